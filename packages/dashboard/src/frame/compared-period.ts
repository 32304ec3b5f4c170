import { formatDay, formatDayOfYear } from '../format.ts';
import { addDays, comparedDays, type Days, lengthOf, todayIn } from './days.ts';
import type { Frame } from './frame.ts';
import { useShownDays } from './use-shown-days.ts';
import type { Comparison } from './when.ts';

/** A period that is not over is compared with the same part of the other one. */
export function otherPeriod(compare: Comparison, isPartial: boolean): string {
  const other = compare === 'previous_year' ? 'the previous year' : 'the previous period';
  return isPartial ? `the same part of ${other}` : other;
}

/** The days that the frame is compared with, in words, once the time zone is known. */
export function useComparedPeriod({ when, compare }: Frame): string {
  const shown = useShownDays(when);
  const days = shown?.days && comparedDays(shown.days, when, compare);
  if (shown?.days === undefined || days === undefined) return otherPeriod(compare, false);
  const today = todayIn(shown.timeZone);
  const isPartial = shown.days.to >= today;
  const part = isPartial ? firstDays(days, lengthOf({ from: shown.days.from, to: today })) : days;
  return isPartial ? `${spanText(part)} up to the same time` : spanText(part);
}

function firstDays({ from, to }: Days, count: number): Days {
  const last = addDays(from, Math.max(0, count - 1));
  return { from, to: last < to ? last : to };
}

/** The year once, if it is the same. */
export function spanText({ from, to }: Days): string {
  if (from === to) return formatDayOfYear(from);
  const isOneYear = from.slice(0, 4) === to.slice(0, 4);
  return `${isOneYear ? formatDay(from) : formatDayOfYear(from)} to ${formatDayOfYear(to)}`;
}
