import { wellFormedText } from './read-body.ts';

/** What someone searches for, as it would be stored; empty when it is nothing. */
export function searchText(given: string | undefined): string {
  return wellFormedText(given ?? '').trim();
}
