import { write } from './operation.ts';

/** Whether it was done, and when it may be done next. */
export type AnalyticsRefresh = { refreshed: boolean; nextAt: number };

/** Drops all kept answers of the analytics, in all processes, but no more than once per cooldown. */
export const refreshAnalytics = write(
  { changes: ['refresh'] },
  async (
    { query, dialect },
    { now, cooldownMs }: { now: number; cooldownMs: number },
  ): Promise<AnalyticsRefresh> => {
    await dialect.lock('setup');
    const last = await query.selectFrom('analytics_refreshes').select('refreshed_at').executeTakeFirst();
    // A clock that was set back must not lock it for longer than the cooldown.
    const since = last === undefined ? Number.POSITIVE_INFINITY : now - last.refreshed_at;
    if (since >= 0 && since < cooldownMs) return { refreshed: false, nextAt: now - since + cooldownMs };
    await query.deleteFrom('analytics_refreshes').execute();
    await query.insertInto('analytics_refreshes').values({ refreshed_at: now }).execute();
    return { refreshed: true, nextAt: now + cooldownMs };
  },
);
