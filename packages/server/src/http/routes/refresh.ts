import type { AppSettings } from '../../flows/app-settings.ts';
import { AppError } from '../../lib/errors.ts';
import { dateTime, SECOND_MS } from '../../lib/utc-time.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';

export function refreshRoutes({
  store,
  settings,
  now,
}: {
  store: Store;
  settings: AppSettings;
  now: () => number;
}): Pick<Handlers, 'refreshAnalytics'> {
  return {
    refreshAnalytics: async () => {
      const cooldownMs = (await settings.latest()).analyticsRefreshCooldownSeconds * SECOND_MS;
      const askedAt = now();
      const { refreshed, nextAt } = await store.refreshAnalytics({ now: askedAt, cooldownMs });
      const next_refresh_at = dateTime(wholeSecond(nextAt));
      if (refreshed) return { refreshed, next_refresh_at };
      throw new AppError(
        'rate_limited',
        `Refreshed a short while ago; the next time is ${next_refresh_at}.`,
        {
          retryAfterSeconds: wholeSecond(nextAt - askedAt) / SECOND_MS,
        },
      );
    },
  };
}

/** Rounds up, so that a client never retries too early. */
function wholeSecond(ms: number): number {
  return Math.ceil(ms / SECOND_MS) * SECOND_MS;
}
