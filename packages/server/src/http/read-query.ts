/** The last value of a repeated parameter counts; an empty one counts as missing. */
export function readQuery(text: string): Record<string, string> {
  if (text === '') return {};
  return Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => value !== ''));
}
