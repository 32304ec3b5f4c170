/** A repeated parameter counts as its last value; an empty one as left out. */
export function readQuery(text: string): Record<string, string> {
  if (text === '') return {};
  return Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => value !== ''));
}
