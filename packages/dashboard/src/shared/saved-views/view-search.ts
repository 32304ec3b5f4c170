import { parseSearchWith, stringifySearchWith } from '@tanstack/react-router';
import { FRAME_KEYS } from '../../frame/frame.ts';

/** What a view keeps of an address: filters, order, columns, sites and period, but not the position in a list. */

const PLACES = ['offset', 'limit', 'open'];

const parse = parseSearchWith(JSON.parse);
const stringify = stringifySearchWith(JSON.stringify, JSON.parse);

export function viewSearch(search: object): string {
  const kept = Object.entries(search).filter(
    ([key, value]) => value !== undefined && value !== '' && !PLACES.includes(key),
  );
  return stringify(Object.fromEntries(kept.toSorted(([one], [other]) => (one < other ? -1 : 1))));
}

/** Clears frame parameters that the view does not have: links would carry over the present ones. */
export function searchOfView(text: string): object {
  const noFrame = Object.fromEntries(FRAME_KEYS.map((key) => [key, undefined]));
  return { ...noFrame, ...parse(text) };
}

/** Regardless of the order of parameters. */
export function isSameView(one: string, other: string): boolean {
  return viewSearch(parse(one)) === viewSearch(parse(other));
}
