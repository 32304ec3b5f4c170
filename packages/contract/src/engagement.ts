/** The score ranges that sessions are counted in. Apart from the schemas, so that it can be used without them. */
export const ENGAGEMENT_BUCKETS = ['0-19', '20-39', '40-59', '60-79', '80-100'] as const;
export type EngagementBucket = (typeof ENGAGEMENT_BUCKETS)[number];
