/** Score ranges. Separate from the schemas, so that they can be imported without zod. */
export const ENGAGEMENT_BUCKETS = ['0-19', '20-39', '40-59', '60-79', '80-100'] as const;
export type EngagementBucket = (typeof ENGAGEMENT_BUCKETS)[number];

/** One for each range. */
export const ENGAGEMENT_LABELS = ['Cold', 'Cool', 'Warm', 'Hot', 'Very Hot'] as const;
export type EngagementLabel = (typeof ENGAGEMENT_LABELS)[number];
