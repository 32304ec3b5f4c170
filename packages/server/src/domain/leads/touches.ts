import { DAY_MS } from '../../lib/utc-time.ts';
import type { VisitOrigin } from '../tracking/visit-origin.ts';

/** Touches: the visits before an enquiry that count as having brought it, oldest first. */

export const TOUCHES_MAX = 50;
export const ATTRIBUTION_DAYS_DEFAULT = 90;

export type Visit = { session_id: string; started_at: number; channel: string };
export type OriginVisit = Omit<VisitOrigin, 'channel'> & Visit & { entry_page: string };

/**
 * The first visit within the days before the enquiry, and every later one that was not direct. Where there are too many,
 * the first and the latest are kept.
 */
export function touchesOf<V extends Visit>(visits: readonly V[], enquiryAt: number, days: number): V[] {
  const from = enquiryAt - days * DAY_MS;
  const [first, ...later] = visits
    .filter(({ started_at }) => started_at >= from && started_at <= enquiryAt)
    .sort(inOrder);
  if (first === undefined) return [];
  const others = later.filter((visit) => !isDirect(visit));
  return [first, ...others.slice(Math.max(others.length - (TOUCHES_MAX - 1), 0))];
}

export function isDirect({ channel }: Pick<Visit, 'channel'>): boolean {
  return channel === 'Direct';
}

/** Ids break ties, so that every store gives the same order. */
function inOrder(a: Visit, b: Visit): number {
  return a.started_at - b.started_at || (a.session_id < b.session_id ? -1 : 1);
}
