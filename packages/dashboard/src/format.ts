import { knownTimeZone } from './time-zone.ts';

/** Numbers and times in the viewer's locale, times in the time zone of the workspace. */

const LOCALE = navigator.languages as string[];
const DAY_MS = 24 * 60 * 60 * 1000;

const whole = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const decimal = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', minimumFractionDigits: 2 });
const share = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });
const change = new Intl.NumberFormat(LOCALE, { style: 'percent' });
const dateTime = timeFormat({ dateStyle: 'medium', timeStyle: 'short' });
const dateTimeFull = timeFormat({ dateStyle: 'full', timeStyle: 'long' });
const timeOfDay = timeFormat({ timeStyle: 'short' });
const date = timeFormat({ dateStyle: 'medium' });
const day = timeFormat({ year: 'numeric', month: '2-digit', day: '2-digit' }, 'sv');
const dayOfMonth = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const wholeDay = new Intl.DateTimeFormat(LOCALE, {
  month: 'short',
  day: 'numeric',
  year: 'numeric',
  timeZone: 'UTC',
});
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'short' });
const regions = new Intl.DisplayNames(LOCALE, { type: 'region', fallback: 'code' });

export const formatNumber = (value: number): string => whole.format(value);
export const formatShort = (value: number): string => short.format(value);
export const formatDecimal = (value: number): string => decimal.format(value);
/** Takes a rate as the API has it, 0 to 100. Always two decimals, so that columns line up. */
export const formatPercent = (value: number): string => percent.format(value / 100);
export const formatChange = (value: number): string => change.format(value);
export const formatShare = (value: number): string => share.format(Number.isFinite(value) ? value : 0);

type Digits = 'usual' | 'whole' | 'all';

const DIGITS: Readonly<Record<Digits, Intl.NumberFormatOptions>> = {
  usual: {},
  whole: { maximumFractionDigits: 0 },
  all: { maximumFractionDigits: 20 },
};

export function formatMoney(
  value: number,
  currency: string,
  { digits = 'usual' }: { /** The currency's usual decimals, none, or all. */ digits?: Digits } = {},
): string {
  try {
    return new Intl.NumberFormat(LOCALE, { style: 'currency', currency, ...DIGITS[digits] }).format(value);
  } catch {
    // A currency that the browser does not know.
    return `${digits === 'all' ? value : decimal.format(value)} ${currency}`;
  }
}

/** The service writes `YYYY-MM-DD HH:MM:SS` in UTC, or Unix milliseconds. */
export function timeOf(value: string | number): Date {
  return new Date(typeof value === 'number' ? value : `${value.replace(' ', 'T')}Z`);
}

export const formatDateTime = (value: string | number): string => dateTime(timeOf(value));
export const formatDateTimeFull = (value: string | number): string => dateTimeFull(timeOf(value));
export const formatTimeOfDay = (value: string | number): string => timeOfDay(timeOf(value));
export const formatDate = (value: string | number): string => date(timeOf(value));
/** Its calendar day, `YYYY-MM-DD`. */
export const dayOf = (value: string | number): string => day(timeOf(value));

/** Constructing an `Intl.DateTimeFormat` is slow: cached until the time zone changes. */
export function timeFormat(look: Intl.DateTimeFormatOptions, locale: string | string[] = LOCALE) {
  let made: { timeZone: string; format: Intl.DateTimeFormat } | undefined;
  return (time: Date): string => {
    const timeZone = knownTimeZone();
    if (made?.timeZone !== timeZone)
      made = { timeZone, format: new Intl.DateTimeFormat(locale, { ...look, timeZone }) };
    return made.format.format(time);
  };
}

/** Formats a calendar day, `YYYY-MM-DD`. */
export const formatDay = (day: string): string => dayOfMonth.format(new Date(`${day}T00:00:00Z`));
export const formatDayOfYear = (day: string): string => wholeDay.format(new Date(`${day}T00:00:00Z`));

const STEPS: readonly [Intl.RelativeTimeFormatUnit, { ms: number; inNext: number }][] = [
  ['second', { ms: 1000, inNext: 60 }],
  ['minute', { ms: 60_000, inNext: 60 }],
  ['hour', { ms: DAY_MS / 24, inNext: 24 }],
];

/** Relative time; the date after a week. */
export function formatAgo(value: string | number, now = Date.now()): string {
  const passed = timeOf(value).getTime() - now;
  if (Math.abs(passed) > 7 * DAY_MS) return formatDate(value);
  for (const [unit, { ms, inNext }] of STEPS) {
    const count = Math.round(passed / ms);
    if (Math.abs(count) < inNext) return relative.format(count, unit);
  }
  return relative.format(Math.round(passed / DAY_MS), 'day');
}

/** A number with its noun. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : nouns}`;
}

export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function countryName(code: string): string {
  if (!/^[A-Z]{2}$/i.test(code) || code === 'XX') return code === 'XX' || code === '' ? 'Unknown' : code;
  return regions.of(code.toUpperCase()) ?? code;
}
