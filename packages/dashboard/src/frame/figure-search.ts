import type { Attribution } from '@leadtrail/contract/question-fields';
import { defined, flagOf, oneOf, type RawSearch } from '../shared/search-params.ts';

/** A figure in the address of its list, besides its metric and the frame. */
export type FigureSearch = {
  /** Counts the compared period. */
  compared?: boolean;
  /** Which touch leads and submissions are counted by; the last non-direct one if left out. */
  attribution?: (typeof TOUCHES)[number];
};

const TOUCHES = ['first', 'last'] as const satisfies readonly Attribution[];

export function readFigureSearch(search: RawSearch): FigureSearch {
  return defined({
    compared: flagOf(search.compared) || undefined,
    attribution: oneOf(search.attribution, TOUCHES),
  });
}

export function byTouch({ attribution }: FigureSearch): string {
  return attribution === undefined ? '' : ` by ${attribution} touch`;
}
