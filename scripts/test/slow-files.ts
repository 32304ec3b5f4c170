/**
 * The slowest first, so that none of them is left running alone at the end. Not exact: the end of `npm test`
 * prints how long files take today.
 */
export const SLOW_FILES: readonly string[] = [
  'packages/server/test/crash-steps.test.ts',
  'packages/dashboard/test/every-page.test.ts',
  'packages/server/test/faults-postgres.test.ts',
  'packages/dashboard/test/settings.test.ts',
  'packages/server/test/faults-http.test.ts',
  'packages/server/test/kill-loop.test.ts',
  'packages/server/test/shutdown.test.ts',
  'packages/server/test/freshness.test.ts',
  'packages/server/test/totals-property.test.ts',
  'packages/server/test/move-to-postgres.test.ts',
  'packages/server/test/move-refused.test.ts',
  'packages/dashboard/test/overview.test.ts',
  'packages/dashboard/test/leads.test.ts',
  'packages/dashboard/test/lead.test.ts',
  'packages/dashboard/test/set-aside.test.ts',
  'packages/dashboard/test/lead-person.test.ts',
  'packages/dashboard/test/ip-lists.test.ts',
  'packages/server/test/forwarding.test.ts',
  'packages/server/test/lead-identity-property.test.ts',
  'packages/server/test/faults-redis.test.ts',
  'packages/server/test/fresh-after-write.test.ts',
  'packages/server/test/object-store.test.ts',
  'packages/server/test/erase.test.ts',
  'packages/tracker/test/tracker-delivery.test.ts',
  'packages/tracker/test/tracker-visits.test.ts',
  'packages/tracker/test/tracker-events.test.ts',
  'packages/tracker/test/form-sending.test.ts',
];
