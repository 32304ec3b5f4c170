export function assertObjectKey(key: string): void {
  if (!isObjectKey(key)) {
    throw new Error('An object key must stay inside the store.');
  }
}

/** A normalised path: another spelling of it would be another object in some stores only. */
export function isObjectKey(key: string): boolean {
  return !key.includes('\0') && key.split('/').every((segment) => !['', '.', '..'].includes(segment));
}
