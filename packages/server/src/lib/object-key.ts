/** A normalised path: another spelling of it would be another object in some stores only. */
export function assertObjectKey(key: string): void {
  if (key.split('/').some((segment) => ['', '.', '..'].includes(segment)) || key.includes('\0')) {
    throw new Error('An object key must stay inside the store.');
  }
}
