/** Quantile thresholds at round numbers: with a linear scale most countries would get the same shade. */

const ROUND = [1, 1.5, 2, 3, 5, 7];

export function shadeStarts(values: readonly number[], shades: number): number[] {
  const sorted = values.filter((value) => value >= 1).toSorted((a, b) => a - b);
  const firsts = Array.from({ length: shades }, (_, shade) =>
    sorted.at(Math.floor((shade * sorted.length) / shades)),
  );
  return [...new Set(firsts.filter((first) => first !== undefined).map(roundedDown))];
}

function roundedDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const starts = ROUND.map((step) => step * power).filter(Number.isInteger);
  return starts.findLast((start) => start <= value) ?? power;
}
