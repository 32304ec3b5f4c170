/** Series colours. Class names are spelled out because Tailwind finds them by text search. */

export type Tone = 1 | 2 | 3 | 4 | 5;

export const STROKES: Readonly<Record<Tone, string>> = {
  1: 'stroke-series-1',
  2: 'stroke-series-2',
  3: 'stroke-series-3',
  4: 'stroke-series-4',
  5: 'stroke-series-5',
};

export const FILLS: Readonly<Record<Tone, string>> = {
  1: 'fill-series-1',
  2: 'fill-series-2',
  3: 'fill-series-3',
  4: 'fill-series-4',
  5: 'fill-series-5',
};

export const SWATCHES: Readonly<Record<Tone, string>> = {
  1: 'bg-series-1',
  2: 'bg-series-2',
  3: 'bg-series-3',
  4: 'bg-series-4',
  5: 'bg-series-5',
};

/** Backgrounds light enough for text. */
export const TINTS: Readonly<Record<Tone, string>> = {
  1: 'bg-series-1/15',
  2: 'bg-series-2/15',
  3: 'bg-series-3/15',
  4: 'bg-series-4/15',
  5: 'bg-series-5/15',
};
