import type { Attribution } from '@leadtrail/contract/question-fields';
import { defined, flagOf, oneOf, type RawSearch } from '../shared/search-params.ts';

/** What the address of a list says about the figure that it is of, besides its name and the frame. */
export type FigureSearch = {
  /** Of the period that the frame is compared with. */
  compared?: boolean;
  /** Which touch leads and submissions are counted by, unless it is the usual one. */
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
