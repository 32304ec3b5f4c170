/** A repeated parameter counts as its last value; an empty one as left out. */
export function readQuery(text: string): Record<string, string> {
  if (text === '') return {};
  // PostgreSQL refuses NUL.
  const given = new URLSearchParams(text.replaceAll('%00', '%EF%BF%BD'));
  return Object.fromEntries([...given].filter(([, value]) => value !== ''));
}
