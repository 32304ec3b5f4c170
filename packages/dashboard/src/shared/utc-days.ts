import { utcDay } from '../charts/days.ts';

/** Lists are filtered by the service's days, which are those of UTC. */

const DAY_MS = 24 * 60 * 60 * 1000;

/** The first and the last of as many days, of which today is one. */
export function lastDays(count: number): { date_from: string; date_to: string } {
  const now = Date.now();
  return { date_from: utcDay(now - (count - 1) * DAY_MS), date_to: utcDay(now) };
}

/** The service's days are others than the viewer's, unless they live where it is UTC. */
export function dayHint(): string {
  const midnight = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
  if (midnight.getTimezoneOffset() === 0) return 'Days are in UTC.';
  const time = midnight.toLocaleTimeString(navigator.languages as string[], {
    hour: '2-digit',
    minute: '2-digit',
  });
  return `Days are in UTC: they begin at ${time} your time.`;
}
