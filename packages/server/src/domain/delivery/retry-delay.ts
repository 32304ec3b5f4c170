import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/utc-time.ts';

/** Delay after the first, second, … failed attempt; the attempt after the last delay is the last. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];

export type FailedAttempt = {
  /** Attempts made so far in this round, this one included. */
  attempts: number;
  /** Null: there was no answer. */
  statusCode: number | null;
  /** The `Retry-After` header as it came. */
  retryAfter: string | undefined;
};

/** Deliveries that failed together must not be retried together (thundering herd). */
const JITTER_SHARE_MAX = 0.1;
/** Caps `Retry-After`: a target must not park a lead indefinitely. */
export const DELAY_MS_MAX = DAY_MS;
const GONE = 410;
const SECONDS = /^\d+$/;
/** Only what looks like an HTTP date, because `Date.parse` finds a date in nearly any text with a number. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .{1,30} GMT$/;

/** The status alone decides, even if reading the body fails. */
export function isDelivered(statusCode: number | null): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode <= 299;
}

/** When to try again; null: not at all, because the target is gone for good or this was the last attempt. */
export function nextAttemptAt(failed: FailedAttempt, now: number, random: () => number): number | null {
  const scheduled = RETRY_DELAYS_MS[failed.attempts - 1];
  if (scheduled === undefined || failed.statusCode === GONE) return null;
  const delay = Math.max(scheduled, askedDelay(failed.retryAfter, now));
  const jittered = delay * (1 + JITTER_SHARE_MAX * random());
  return now + Math.min(Math.ceil(jittered), DELAY_MS_MAX);
}

function askedDelay(retryAfter: string | undefined, now: number): number {
  const text = retryAfter?.trim() ?? '';
  if (SECONDS.test(text)) return Number(text) * SECOND_MS;
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? 0 : at - now;
}
