import {
  ENGAGEMENT_BUCKETS,
  ENGAGEMENT_LABELS,
  type EngagementBucket,
  type EngagementLabel,
} from '@leadtrail/contract/engagement';
import { SECOND_MS } from '../../lib/utc-time.ts';

/** What a visitor did, in one session or over all of them. */
export type Activity = {
  page_views: number;
  engaged_ms: number;
  scroll_depth: number;
  return_visits: number;
  touched: number;
};

const POINTS_PER_PAGE = 6;
const PAGE_POINTS_MAX = 30;
const ENGAGED_POINTS_MAX = 30;
const ENGAGED_MS_FOR_ALL_POINTS = 180 * SECOND_MS;
const SCROLL_POINTS_MAX = 15;
const POINTS_PER_RETURN = 5;
const RETURN_POINTS_MAX = 15;
const TOUCH_POINTS = 10;
const POINTS_MAX = 100;
const POINTS_PER_LABEL = 20;

/** Interest from 0 to 100, in capped groups, so that no single habit can make a visitor look hot. */
export function engagementScore(activity: Activity): number {
  const pages = Math.min(activity.page_views * POINTS_PER_PAGE, PAGE_POINTS_MAX);
  const engaged = Math.min(activity.engaged_ms / ENGAGED_MS_FOR_ALL_POINTS, 1) * ENGAGED_POINTS_MAX;
  const scroll = (Math.min(activity.scroll_depth, 100) / 100) * SCROLL_POINTS_MAX;
  const returns = Math.min(activity.return_visits * POINTS_PER_RETURN, RETURN_POINTS_MAX);
  const touch = activity.touched > 0 ? TOUCH_POINTS : 0;
  return Math.round(pages + engaged + scroll + returns + touch);
}

/** The scores that a label stands for; `below` is exclusive. */
export function scoresOf(label: EngagementLabel): { from: number; below: number } {
  const index = ENGAGEMENT_LABELS.indexOf(label);
  const isLast = index === ENGAGEMENT_LABELS.length - 1;
  return { from: index * POINTS_PER_LABEL, below: isLast ? POINTS_MAX + 1 : (index + 1) * POINTS_PER_LABEL };
}

/** The same over all sessions of a visitor, of which all but the first are returns. */
export function visitorScore(visitor: Omit<Activity, 'return_visits'> & { session_count: number }): number {
  return engagementScore({ ...visitor, return_visits: visitor.session_count - 1 });
}

export function engagementLabel(score: number): EngagementLabel {
  return ENGAGEMENT_LABELS[bucketIndex(score)] ?? 'Cold';
}

export function engagementBucket(score: number): EngagementBucket {
  return ENGAGEMENT_BUCKETS[bucketIndex(score)] ?? '0-19';
}

function bucketIndex(score: number): number {
  return Math.min(Math.floor(score / POINTS_PER_LABEL), ENGAGEMENT_BUCKETS.length - 1);
}
