/** Where the shades of a map begin: round numbers, further apart the larger they get. */

const ROUND = [1, 2, 5];

export function shadeStarts(most: number, shades: number): number[] {
  const ladder: number[] = [];
  for (let power = 1; power <= most; power *= 10) {
    ladder.push(...ROUND.map((step) => step * power).filter((start) => start <= most));
  }
  const stride = Math.max(1, Math.ceil(ladder.length / shades));
  return ladder.filter((_, index) => index % stride === 0);
}
