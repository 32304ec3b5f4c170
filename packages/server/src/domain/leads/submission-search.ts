import { folded, inOneLine, type Search } from './lead-search.ts';

/** Search of submissions: a part of any field, ignoring case and accents. */

export const SEARCHED_FIELDS = [
  'contact_email',
  'contact_phone',
  'project_name',
  'source',
  'referer',
  'payload_json',
] as const;
export type SearchedFields = Record<(typeof SEARCHED_FIELDS)[number], string>;

/** One line per field, so that no match spans two fields. */
export function submissionSearchText(submission: SearchedFields): string {
  return folded(SEARCHED_FIELDS.map((field) => inOneLine(submission[field])).join('\n'));
}

const PLAIN = /^[ -~]*$/;

/** As stored: '' for plain ASCII, as nearly always, because the lower-cased fields say the same. */
export function keptSearchText(submission: SearchedFields): string {
  const isPlain = SEARCHED_FIELDS.every((field) => PLAIN.test(submission[field]));
  return isPlain ? '' : submissionSearchText(submission);
}

/** Twice if JSON escapes some of its characters, because the payload is searched as JSON. */
export function readSubmissionSearch(text: string): Search {
  const asTyped = folded(inOneLine(text));
  const inJson = folded(JSON.stringify(text).slice(1, -1));
  return asTyped === inJson ? [[asTyped]] : [[asTyped], [inJson]];
}

export function isFound(searchText: string, search: Search): boolean {
  return search.some((texts) => texts.every((text) => searchText.includes(text)));
}
