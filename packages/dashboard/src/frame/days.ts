import type { Comparison, When } from './when.ts';

/** Calendar days, written `YYYY-MM-DD`, and the moments at which they begin in a time zone. */

export type Days = { from: string; to: string };

const DAY_MS = 24 * 60 * 60 * 1000;

/** False for impossible dates such as 30 February, which the service refuses. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

export function addDays(day: string, count: number): string {
  return dayText(Date.parse(day) + count * DAY_MS);
}

/** How many days, both ends included. */
export function lengthOf({ from, to }: Days): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}

export function eachDay({ from, to }: Days): string[] {
  return Array.from({ length: Math.max(0, lengthOf({ from, to })) }, (_, index) => addDays(from, index));
}

export function todayIn(timeZone: string, now = Date.now()): string {
  return dayText(now + offsetAt(now, timeZone));
}

/** 00 to 23. */
export function hourIn(timeZone: string, now = Date.now()): string {
  return new Date(now + offsetAt(now, timeZone)).toISOString().slice(11, 13);
}

/** The days of a period; undefined: all there are. */
export function daysOf(when: When, today: string): Days | undefined {
  const [from = '', to] = when.split('..');
  if (to !== undefined) return { from, to };
  switch (when) {
    case 'all':
      return undefined;
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case 'last_7_days':
      return { from: addDays(today, -6), to: today };
    case 'last_30_days':
      return { from: addDays(today, -29), to: today };
    case 'last_90_days':
      return { from: addDays(today, -89), to: today };
    case 'this_month':
      return monthOf(today);
    case 'last_month':
      return monthOf(addDays(`${today.slice(0, 7)}-01`, -1));
    case 'this_year':
      return { from: `${today.slice(0, 4)}-01-01`, to: `${today.slice(0, 4)}-12-31` };
    default:
      return { from: today, to: today };
  }
}

/** The compared days, by the rules of the service: its answer leaves out days without visits. */
export function comparedDays(days: Days, when: When, compare: Comparison): Days | undefined {
  if (compare === 'none' || when === 'all') return undefined;
  const isMonth = when === 'this_month' || when === 'last_month';
  if (compare === 'previous_year' || when === 'this_year') {
    const before = { from: yearBefore(days.from), to: yearBefore(days.to) };
    return isMonth ? monthOf(before.from) : before;
  }
  if (isMonth) return monthOf(addDays(days.from, -1));
  const length = lengthOf(days);
  return { from: addDays(days.from, -length), to: addDays(days.to, -length) };
}

/** From the first to the last moment of days in a time zone, for lists that are filtered by moments. */
export function momentsOf({ from, to }: Days, timeZone: string): { from: string; to: string } {
  const last = startOfDay(addDays(to, 1), timeZone) - 1000;
  return { from: isoSeconds(startOfDay(from, timeZone)), to: isoSeconds(last) };
}

export function startOfDay(day: string, timeZone: string): number {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const offsets = [midnight - DAY_MS, midnight + DAY_MS].map((time) => offsetAt(time, timeZone));
  const guesses = offsets.map((offset) => midnight - offset);
  // Where the clocks change at midnight, one of the offsets leads to the day before.
  return Math.min(...guesses.filter((guess) => todayIn(timeZone, guess) >= day));
}

/** The offset from UTC in milliseconds. */
function offsetAt(time: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(time);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? '';
  const local = `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}Z`;
  return Date.parse(local) - Math.floor(time / 1000) * 1000;
}

function monthOf(day: string): Days {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return { from: `${day.slice(0, 7)}-01`, to: dayText(Date.UTC(year, month, 0)) };
}

/** 29 February becomes 28 February. */
function yearBefore(day: string): string {
  const moved = `${String(Number(day.slice(0, 4)) - 1).padStart(4, '0')}${day.slice(4)}`;
  return isDay(moved) ? moved : addDays(`${moved.slice(0, 7)}-01`, 27);
}

function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function isoSeconds(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
