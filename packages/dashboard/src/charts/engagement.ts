import { ENGAGEMENT_BUCKETS, ENGAGEMENT_LABELS } from '@leadtrail/contract/engagement';

/** Engagement labels with their point ranges, coldest first. */
export const ENGAGEMENT_STEPS = ENGAGEMENT_LABELS.map((label, index) => {
  const bucket = ENGAGEMENT_BUCKETS[index] ?? '';
  return { label, bucket, points: bucket.replace('-', '–') };
});
