import { ENGAGEMENT_BUCKETS } from '@leadtrail/contract/engagement';

/** Engagement labels with their point ranges, coldest first. */
export const ENGAGEMENT_LABELS = ['Cold', 'Cool', 'Warm', 'Hot', 'Very Hot'] as const;
export type EngagementLabel = (typeof ENGAGEMENT_LABELS)[number];

export const ENGAGEMENT_STEPS = ENGAGEMENT_LABELS.map((label, index) => {
  const bucket = ENGAGEMENT_BUCKETS[index] ?? '';
  return { label, bucket, points: bucket.replace('-', '–') };
});
