import type { EngagementLabel } from '@leadtrail/contract/engagement';
import { LEAD_STATUSES, type LeadStatus } from '@leadtrail/contract/lead-status';
import type { DeliveryState } from '../delivery/delivery-state.ts';
import { scoresOf } from '../tracking/engagement.ts';
import { cut } from '../tracking/page-address.ts';
import { projectKey } from './lead-identity.ts';
import { folded } from './lead-search.ts';
import { endOf, startOf } from './submission-period.ts';

/** Filters and sort keys of the lead list. */

const NAME_KEY_CHARS_MAX = 64;
/** Sorts after every name. */
const NAMELESS = '\u{10FFFF}';

/** Folded as in the search. Leads without a name come last. */
export function nameKey(name: string): string {
  return cut(folded(name.trim()), NAME_KEY_CHARS_MAX) || NAMELESS;
}

/** Sources and campaigns are normalised like project names. */
export function attributionKeys(source: string, campaign: Readonly<{ utm_campaign?: string }>) {
  return { source_key: projectKey(source), campaign_key: projectKey(campaign.utm_campaign ?? '') };
}

/** A bucket is stage, review state and follow-ups in one number, so that every filter is a few index ranges. */
export type Listed = {
  status: string;
  needs_review: number;
  seen_at: number | null;
  follow_ups_count: number;
};

type Review = 'never viewed' | 'reviewed' | 'to be reviewed again';
const REVIEWS: readonly Review[] = ['never viewed', 'reviewed', 'to be reviewed again'];

export function bucketOf({ status, needs_review, seen_at, follow_ups_count }: Listed): number {
  const review = seen_at === null ? 'never viewed' : needs_review === 1 ? 'to be reviewed again' : 'reviewed';
  return bucket(status as LeadStatus, review, follow_ups_count > 0);
}

export type LeadFilter = LeadNarrowing & {
  status?: LeadStatus | undefined;
  has_follow_ups?: boolean | undefined;
  /** True: needs no review. False: needs one. */
  seen?: boolean | undefined;
};

/** Each has an index of its own. Times are milliseconds, `until` is exclusive. */
export type LeadNarrowing = {
  siteKeys?: readonly string[] | undefined;
  projectKey?: string | undefined;
  sourceKey?: string | undefined;
  campaignKey?: string | undefined;
  channelKey?: string | undefined;
  delivery?: DeliveryState['delivery_state'] | undefined;
  scoreFrom?: number | undefined;
  scoreBelow?: number | undefined;
  from?: number | undefined;
  until?: number | undefined;
  updatedSince?: number | undefined;
};

/** From a query, with names in any spelling, and days or times. */
export function leadNarrowing(asked: {
  site?: readonly string[] | undefined;
  project?: string | undefined;
  source?: string | undefined;
  campaign?: string | undefined;
  channel?: string | undefined;
  engagement?: EngagementLabel | undefined;
  delivery?: DeliveryState['delivery_state'] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  updated_since?: string | undefined;
}): LeadNarrowing {
  const key = (text: string | undefined) => (text === undefined ? undefined : projectKey(text));
  const scores = asked.engagement === undefined ? undefined : scoresOf(asked.engagement);
  return {
    siteKeys: asked.site,
    projectKey: key(asked.project),
    sourceKey: key(asked.source),
    campaignKey: key(asked.campaign),
    channelKey: key(asked.channel),
    delivery: asked.delivery,
    scoreFrom: scores?.from,
    scoreBelow: scores?.below,
    from: asked.from === undefined ? undefined : startOf(asked.from),
    until: asked.to === undefined ? undefined : endOf(asked.to),
    updatedSince: asked.updated_since === undefined ? undefined : startOf(asked.updated_since),
  };
}

export function bucketsOf(filter: LeadFilter): number[] {
  const passes = (review: Review) => filter.seen === undefined || filter.seen === (review === 'reviewed');
  return LEAD_STATUSES.filter((status) => filter.status === undefined || status === filter.status).flatMap(
    (status) =>
      REVIEWS.filter(passes).flatMap((review) =>
        [false, true]
          .filter((followed) => filter.has_follow_ups === undefined || followed === filter.has_follow_ups)
          .map((followed) => bucket(status, review, followed)),
      ),
  );
}

function bucket(status: LeadStatus, review: Review, hasFollowUps: boolean): number {
  return (
    (LEAD_STATUSES.indexOf(status) * REVIEWS.length + REVIEWS.indexOf(review)) * 2 + (hasFollowUps ? 1 : 0)
  );
}

export const BUCKETS = LEAD_STATUSES.length * REVIEWS.length * 2;
