import {
  COMPARISONS,
  DIMENSION_NAMES,
  type DimensionName,
  PERIOD_NAMES,
} from '@leadtrail/contract/question-fields';
import { defined, oneOf, type RawSearch, textOf } from '../shared/search-params.ts';
import { isDay } from './days.ts';
import type { Comparison, When } from './when.ts';

/** What all pages look at: sites, days, the days to compare with, and filters of figures. It lives in the address. */

export type FrameFilter = { dimension: DimensionName; value: string };

/** Dimensions with several values per visit, and none per lead. */
export const OF_VISITS: ReadonlySet<DimensionName> = new Set(['page', 'event']);

/** As in the address. Omitted parameters take the defaults of the page. */
export type FrameSearch = { when?: When; compare?: Comparison; sites?: string; filters?: string[] };

export type Frame = {
  when: When;
  compare: Comparison;
  sites: readonly string[];
  filters: readonly FrameFilter[];
};

export const FRAME_KEYS = ['when', 'compare', 'sites', 'filters'] as const satisfies (keyof FrameSearch)[];
const COMPARE_DEFAULT: Comparison = 'previous_period';
const FILTERS_MAX = 20;

export function readFrameSearch(search: RawSearch): FrameSearch {
  const filters = filtersOf(search.filters).map(filterText);
  return defined({
    when: readWhen(search.when),
    compare: oneOf(search.compare, [...COMPARISONS, 'none'] as const),
    sites: textOf(search.sites),
    filters: filters.length === 0 ? undefined : filters,
  });
}

export function frameOf({ when, compare, sites, filters }: FrameSearch, whenDefault: When): Frame {
  return {
    when: when ?? whenDefault,
    compare: compare ?? COMPARE_DEFAULT,
    sites: (sites ?? '').split(',').filter((site) => site !== ''),
    filters: filtersOf(filters),
  };
}

/** A change of the frame as a change of the address; undefined removes a parameter. */
export function frameChange({ when, compare, sites, filters }: Partial<Frame>): {
  [K in keyof FrameSearch]?: FrameSearch[K] | undefined;
} {
  return {
    ...(when === undefined ? {} : { when }),
    ...(compare === undefined ? {} : { compare: compare === COMPARE_DEFAULT ? undefined : compare }),
    ...(sites === undefined ? {} : { sites: sites.length === 0 ? undefined : sites.join(',') }),
    ...(filters === undefined ? {} : { filters: filters.length === 0 ? undefined : filters.map(filterText) }),
  };
}

/** A dimension has one value: choosing another replaces it. */
export function withFilter(filters: readonly FrameFilter[], added: FrameFilter): FrameFilter[] {
  return [...filters.filter(({ dimension }) => dimension !== added.dimension), added];
}

function readWhen(value: unknown): When | undefined {
  const text = textOf(value) ?? '';
  const name = oneOf(text, PERIOD_NAMES);
  if (name !== undefined) return name;
  const [from = '', to = '', ...more] = text.split('..');
  return isDay(from) && isDay(to) && from <= to && more.length === 0 ? `${from}..${to}` : undefined;
}

export function filterText({ dimension, value }: FrameFilter): string {
  return `${dimension}:${value}`;
}

export function filtersOf(value: unknown): FrameFilter[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, FILTERS_MAX).flatMap((each) => {
    const text = String(each);
    const colon = text.indexOf(':');
    const dimension = oneOf(text.slice(0, colon), DIMENSION_NAMES);
    const wanted = text.slice(colon + 1);
    return dimension === undefined || wanted === '' ? [] : [{ dimension, value: wanted }];
  });
}
