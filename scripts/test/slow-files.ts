/**
 * The slowest first, so that none of them is left running alone at the end. Not exact: the end of `npm test`
 * prints how long files take today.
 */
export const SLOW_FILES: readonly string[] = [];
