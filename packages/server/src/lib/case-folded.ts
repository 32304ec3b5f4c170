/**
 * Folds case and width for comparisons. Upper-cases first, because that unites letters that lower case keeps
 * apart, as in Straße and STRASSE, or σ and ς.
 */
export function caseFolded(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize();
}
