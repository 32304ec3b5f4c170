/** Unicode case folding: upper case first, so that `Straße` and `STRASSE` are equal. */
export function caseFolded(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase();
}
