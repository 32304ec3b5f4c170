import { ENGAGEMENT_BUCKETS } from '@leadtrail/contract/engagement';

/** The words for how interested somebody was, and the points behind each, coldest first. */
export const ENGAGEMENT_LABELS = ['Cold', 'Cool', 'Warm', 'Hot', 'Very Hot'] as const;
export type EngagementLabel = (typeof ENGAGEMENT_LABELS)[number];

export const ENGAGEMENT_STEPS = ENGAGEMENT_LABELS.map((label, index) => {
  const bucket = ENGAGEMENT_BUCKETS[index] ?? '';
  return { label, bucket, points: bucket.replace('-', '–') };
});
