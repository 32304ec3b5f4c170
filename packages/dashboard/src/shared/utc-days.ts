import { utcDay } from '../charts/days.ts';

/** The service filters lists by UTC days. */

const DAY_MS = 24 * 60 * 60 * 1000;

/** The range of the last `count` days, today included. */
export function lastDays(count: number): { date_from: string; date_to: string } {
  const now = Date.now();
  return { date_from: utcDay(now - (count - 1) * DAY_MS), date_to: utcDay(now) };
}

export function dayHint(): string {
  const midnight = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
  if (midnight.getTimezoneOffset() === 0) return 'Days are in UTC.';
  const time = midnight.toLocaleTimeString(navigator.languages as string[], {
    hour: '2-digit',
    minute: '2-digit',
  });
  return `Days are in UTC and start at ${time} your time.`;
}
