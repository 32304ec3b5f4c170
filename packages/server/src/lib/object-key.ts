export function assertObjectKey(key: string): void {
  if (!isObjectKey(key)) {
    throw new Error('An object key must stay inside the store.');
  }
}

/** Normalised paths only: `a//b` and `a/./b` are objects of their own in some stores, and `a/b` in others. */
export function isObjectKey(key: string): boolean {
  return !key.includes('\0') && key.split('/').every((segment) => !['', '.', '..'].includes(segment));
}
