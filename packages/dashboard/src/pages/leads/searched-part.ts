import { spanText } from '../../frame/compared-period.ts';
import { type Days, daysOf } from '../../frame/days.ts';
import type { Frame } from '../../frame/frame.ts';
import { PERIODS } from '../../frame/period-select.tsx';

/** More sites than these are counted instead of named. */
const NAMED_MAX = 3;

/** Says which part of all leads was searched, and how to search the rest; undefined if all were searched. */
export function searchedPart(
  { sites, when }: Pick<Frame, 'sites' | 'when'>,
  siteName: (key: string) => string,
): { message: string; widen: string } | undefined {
  const places = sites.length > NAMED_MAX ? `${sites.length} sites` : listed(sites.map(siteName));
  const were = sites.length > 1 ? 'were' : 'was';
  if (when === 'all') {
    return places === ''
      ? undefined
      : { message: `Only ${places} ${were} searched.`, widen: 'Search all sites' };
  }
  const days = when.includes('..') ? daysOf(when, '') : undefined;
  if (places === '') {
    const period = days === undefined ? nameOf(when) : spanText(days);
    return { message: `Only the period “${period}” was searched.`, widen: 'Search all time' };
  }
  const period = days === undefined ? nameInSentence(when) : daysInSentence(days);
  return { message: `Only ${places} ${were} searched, ${period}.`, widen: 'Search all sites and all time' };
}

function nameOf(when: Frame['when']): string {
  return PERIODS.find(({ value }) => value === when)?.label ?? when;
}

/** As in “in the last 7 days”, “this month”, “yesterday”. */
function nameInSentence(when: Frame['when']): string {
  const name = nameOf(when).toLowerCase();
  return /^last \d/.test(name) ? `in the ${name}` : name;
}

/** The names of months keep their case. */
function daysInSentence(days: Days): string {
  return days.from === days.to ? `on ${spanText(days)}` : `from ${spanText(days)}`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
