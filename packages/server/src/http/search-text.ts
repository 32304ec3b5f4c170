import { wellFormedText } from './read-body.ts';

/** A search term in the form in which text is stored; empty if there is none. */
export function searchText(given: string | undefined): string {
  return wellFormedText(given ?? '').trim();
}
