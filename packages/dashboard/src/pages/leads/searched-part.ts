import { spanText } from '../../frame/compared-period.ts';
import { daysOf } from '../../frame/days.ts';
import type { Frame } from '../../frame/frame.ts';
import { PERIODS } from '../../frame/period-select.tsx';

/** More are counted. */
const NAMED_MAX = 3;

/** Which part of all leads was searched, and how the rest would be; undefined: there is no rest. */
export function searchedPart(
  { sites, when }: Pick<Frame, 'sites' | 'when'>,
  siteName: (key: string) => string,
): { said: string; widen: string } | undefined {
  const places = sites.length > NAMED_MAX ? `${sites.length} sites` : listed(sites.map(siteName));
  const were = sites.length > 1 ? 'were' : 'was';
  const period = periodText(when);
  if (period === undefined) {
    return places === ''
      ? undefined
      : { said: `Only ${places} ${were} searched.`, widen: 'Search all sites' };
  }
  if (places === '') return { said: `Only the period “${period}” was searched.`, widen: 'Search all time' };
  return {
    said: `Only ${places}, ${period.charAt(0).toLowerCase()}${period.slice(1)}, ${were} searched.`,
    widen: 'Search all sites and all time',
  };
}

function periodText(when: Frame['when']): string | undefined {
  if (when === 'all') return undefined;
  const days = when.includes('..') ? daysOf(when, '') : undefined;
  return days === undefined ? PERIODS.find(({ value }) => value === when)?.label : spanText(days);
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
