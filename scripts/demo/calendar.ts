import { DAY_MS, HOUR_MS } from '../../packages/server/src/lib/utc-time.ts';
import type { Random } from './random.ts';

/** Times of visits: by hour and weekday, with weekly growth and one peak. */

export const DAYS = 90;

/** By hour of the day, UTC. */
const HOURS = [3, 2, 2, 2, 3, 5, 8, 11, 13, 14, 14, 13, 13, 14, 15, 16, 17, 18, 20, 21, 19, 14, 9, 5];
/** Starting on Sunday. */
const WEEKDAYS = [1.12, 1.05, 1.04, 1.0, 0.97, 0.8, 0.86];
const GROWTH = 0.9;
const RIPPLE = 0.12;

/** In days before the end. */
const PEAK = { from: 26, until: 19, factor: 2.3 };

export type Moment = { at: number; isPeak: boolean };

/** `count` times in the last days, in order. */
export function moments(count: number, now: number, random: Random): Moment[] {
  const hours = Array.from({ length: DAYS * 24 }, (_, i) => now - DAYS * DAY_MS + i * HOUR_MS);
  const weights = hours.map((at) => weightOf(at, now) * (1 + RIPPLE * (random.next() - 0.5)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);

  const found: Moment[] = [];
  let passed = 0;
  let hour = 0;
  for (let i = 0; i < count; i += 1) {
    const place = ((i + random.next()) / count) * total;
    while (hour < hours.length - 1 && passed + (weights[hour] ?? 0) < place) passed += weights[hour++] ?? 0;
    const share = Math.min((place - passed) / (weights[hour] ?? 1), 1);
    const at = Math.floor((hours[hour] ?? now) + share * (HOUR_MS - 1));
    found.push({ at, isPeak: isPeak(at, now) });
  }
  return found;
}

function weightOf(at: number, now: number): number {
  const time = new Date(at);
  const age = (now - at) / (DAYS * DAY_MS);
  const usual =
    (HOURS[time.getUTCHours()] ?? 1) * (WEEKDAYS[time.getUTCDay()] ?? 1) * (1 - GROWTH * 0.5 * age);
  return isPeak(at, now) ? usual * PEAK.factor : usual;
}

function isPeak(at: number, now: number): boolean {
  const daysBefore = (now - at) / DAY_MS;
  return daysBefore < PEAK.from && daysBefore >= PEAK.until;
}
