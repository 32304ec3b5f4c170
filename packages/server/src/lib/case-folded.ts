/**
 * A text as it is compared without regard to case and width. Upper case comes first: it is the same for letters that
 * lower case keeps apart, as in Straße and STRASSE, or σ and ς.
 */
export function caseFolded(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize();
}
