/** What answers depend on: a write declares which topics it changes, a read which it shows. */
export const TOPICS = [
  'integrations',
  'ip-lists',
  'leads',
  'objects',
  'refresh',
  'replays',
  'sends',
  'set-aside',
  'setup',
  'tracking',
] as const;
export type Topic = (typeof TOPICS)[number];
