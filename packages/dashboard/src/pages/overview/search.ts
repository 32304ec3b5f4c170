import { defined, oneOf, type RawSearch } from '../../shared/search-params.ts';

export const PERIODS = [7, 14, 30] as const;
export type Period = (typeof PERIODS)[number];
export const PERIOD_DEFAULT: Period = 30;

export const COUNTRY_VIEWS = ['map', 'list'] as const;
export type CountryView = (typeof COUNTRY_VIEWS)[number];

export type OverviewSearch = { days?: Period; countries?: CountryView };

export function readOverviewSearch(search: RawSearch): OverviewSearch {
  return defined({
    days: PERIODS.find((period) => period === Number(search.days)),
    countries: oneOf(search.countries, COUNTRY_VIEWS),
  });
}
