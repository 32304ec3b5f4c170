import { defined, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export type RecordingsSearch = {
  offset?: number;
  /** The session whose recording is open. */
  replay?: string;
};

export function readRecordingsSearch(search: RawSearch): RecordingsSearch {
  return defined({ offset: positiveOf(search.offset), replay: textOf(search.replay) });
}
