import { COMPARISONS, PERIOD_NAMES } from '@leadtrail/contract/question-fields';
import type { Dates, Question } from '@leadtrail/contract/questions';
import { AppError } from '../../lib/errors.ts';
import { DAY_MS } from '../../lib/utc-time.ts';

/** The days that a question covers, and those it is compared with, in its time zone. */

export type Span = {
  from: string;
  to: string;
  /** Unix milliseconds, the end not included. */
  start: number;
  end: number;
  /** Whole days since 1970, both included: costs have days only. */
  firstDay: number;
  lastDay: number;
};

export type Period = Span & {
  /** It is not over yet. */
  isPartial: boolean;
  /** From the first day with data: `from` and `start` are not known yet. */
  isAll: boolean;
};

export type Periods = { period: Period; previous: Span | null };

type Day = Temporal.PlainDate;
type Days = { from: Day; to: Day };

const LAST_DAYS = /^last_(\d{1,4})_days$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const FIRST_YEAR = 1970;
const LAST_YEAR = 2999;
/** Earlier than any data. */
const BEGINNING = '2000-01-01';

export function readTimeZone(name: string): string {
  try {
    return Temporal.Now.zonedDateTimeISO(name).timeZoneId;
  } catch {
    throw refusal('timezone', `must be a time zone such as Europe/Berlin; there is no ${name.slice(0, 64)}`);
  }
}

export function readPeriods(
  { period: asked, compare }: Pick<Question, 'period' | 'compare'>,
  timeZone: string,
  now: number,
): Periods {
  const zonedNow = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone);
  const today = zonedNow.toPlainDate();
  const days = typeof asked === 'string' ? namedDays(asked, today) : givenDays(asked, 'period');
  const isPartial = Temporal.PlainDate.compare(days.to, today) >= 0;
  const period = { ...spanOf(days, timeZone), isPartial, isAll: asked === 'all' };
  if (compare === undefined) return { period, previous: null };
  if (period.isAll) throw refusal('compare', 'cannot be combined with the period all');
  const other = comparedDays(compare, asked, days);
  const whole = spanOf(other, timeZone);
  return { period, previous: isPartial ? samePart(whole, other, days, zonedNow) : whole };
}

function namedDays(name: string, today: Day): Days {
  const [, count] = LAST_DAYS.exec(name) ?? [];
  if (count !== undefined && Number(count) > 0) {
    return { from: today.subtract({ days: Number(count) - 1 }), to: today };
  }
  const yesterday = today.subtract({ days: 1 });
  const lastMonth = today.subtract({ months: 1 });
  switch (name) {
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return { from: yesterday, to: yesterday };
    case 'this_month':
      return monthOf(today);
    case 'last_month':
      return monthOf(lastMonth);
    case 'this_year':
      return { from: today.with({ month: 1, day: 1 }), to: today.with({ month: 12, day: 31 }) };
    case 'all':
      return { from: Temporal.PlainDate.from(BEGINNING), to: today };
    default:
      throw refusal(
        'period',
        `must be one of ${PERIOD_NAMES.join(', ')}, last_N_days, or {from, to} with dates`,
      );
  }
}

function monthOf(day: Day): Days {
  return { from: day.with({ day: 1 }), to: day.with({ day: day.daysInMonth }) };
}

function givenDays({ from, to }: Dates, path: string): Days {
  const days = { from: readDay(from, `${path}.from`), to: readDay(to, `${path}.to`) };
  if (Temporal.PlainDate.compare(days.from, days.to) > 0) {
    throw refusal(`${path}.from`, 'must not be after to');
  }
  return days;
}

function readDay(text: string, path: string): Day {
  try {
    if (!DATE.test(text)) throw new RangeError('not a date');
    const day = Temporal.PlainDate.from(text, { overflow: 'reject' });
    if (day.year < FIRST_YEAR || day.year > LAST_YEAR) throw new RangeError('out of range');
    return day;
  } catch {
    throw refusal(path, 'must be a date that exists, YYYY-MM-DD');
  }
}

/** The previous period of a month or year is the month or year before; of other days, as many days before. */
function comparedDays(
  compare: NonNullable<Question['compare']>,
  asked: Question['period'],
  { from, to }: Days,
): Days {
  if (typeof compare !== 'string') return givenDays(compare, 'compare');
  const yearBefore = { from: from.subtract({ years: 1 }), to: to.subtract({ years: 1 }) };
  switch (compare) {
    case 'previous_year':
      return asked === 'this_month' || asked === 'last_month' ? monthOf(yearBefore.from) : yearBefore;
    case 'previous_period': {
      if (asked === 'this_year') return yearBefore;
      if (asked === 'this_month' || asked === 'last_month') return monthOf(from.subtract({ months: 1 }));
      const length = { days: from.until(to).days + 1 };
      return { from: from.subtract(length), to: to.subtract(length) };
    }
    default:
      throw refusal('compare', `must be one of ${COMPARISONS.join(', ')}, or {from, to} with dates`);
  }
}

/** As much of the compared days as has passed of the current ones: up to the same wall-clock time. */
function samePart(whole: Span, other: Days, days: Days, now: Temporal.ZonedDateTime): Span {
  const daysSince = days.from.until(now.toPlainDate()).days;
  if (daysSince < 0) return { ...whole, end: whole.start, lastDay: whole.firstDay - 1 };
  const day = other.from.add({ days: daysSince });
  const end = day.toZonedDateTime({ timeZone: now.timeZoneId, plainTime: now.toPlainTime() });
  return {
    ...whole,
    end: Math.min(whole.end, end.epochMilliseconds),
    lastDay: Math.min(whole.lastDay, dayNumber(day)),
  };
}

function spanOf({ from, to }: Days, timeZone: string): Span {
  return {
    from: from.toString(),
    to: to.toString(),
    start: from.toZonedDateTime(timeZone).epochMilliseconds,
    end: to.add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds,
    firstDay: dayNumber(from),
    lastDay: dayNumber(to),
  };
}

export function dayNumber(day: Day): number {
  return Date.UTC(day.year, day.month - 1, day.day) / DAY_MS;
}

/** The day on which a moment falls. */
export function dateOf(at: number, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

/** UTC offsets; each holds until the next begins. */
export type Offsets = readonly { from: number; offsetMs: number }[];

/** Between two moments, across all transitions. */
export function offsetsOf(timeZone: string, start: number, end: number): Offsets {
  let at = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timeZone);
  const offsets = [{ from: start, offsetMs: at.offsetNanoseconds / 1e6 }];
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (next === null || next.epochMilliseconds >= end) return offsets;
    offsets.push({ from: next.epochMilliseconds, offsetMs: next.offsetNanoseconds / 1e6 });
    at = next;
  }
}

export function refusal(path: string, message: string): AppError {
  return new AppError('invalid', `The question is not valid: ${path} ${message}.`, {
    details: [{ path, message }],
  });
}
