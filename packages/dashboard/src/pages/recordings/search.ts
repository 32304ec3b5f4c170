import { FORM_PROGRESS, type FormProgress } from '@leadtrail/contract/form-progress';
import { defined, flagOf, oneOf, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export type RecordingsSearch = {
  offset?: number;
  /** Part of the address of a page that was seen. */
  q?: string;
  form?: FormProgress;
  lead?: boolean;
  /** The session whose recording is open. */
  replay?: string;
};

export function readRecordingsSearch(search: RawSearch): RecordingsSearch {
  return defined({
    offset: positiveOf(search.offset),
    q: textOf(search.q),
    form: oneOf(search.form, FORM_PROGRESS),
    lead: flagOf(search.lead),
    replay: textOf(search.replay),
  });
}
