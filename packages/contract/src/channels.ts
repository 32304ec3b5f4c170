/** Where visits come from, in kinds. Separate from the schemas, so that they can be imported without zod. */
export const CHANNELS = [
  'Paid search',
  'Paid social',
  'Display',
  'Organic search',
  'Social',
  'E-mail',
  'Referral',
  'Portal',
  'Direct',
] as const;
export type Channel = (typeof CHANNELS)[number];
