import { defined, oneOf, type RawSearch } from '../../shared/search-params.ts';

export const COUNTRY_VIEWS = ['map', 'list'] as const;
export type CountryView = (typeof COUNTRY_VIEWS)[number];

export const CHARTED = ['leads', 'visits'] as const;
export type Charted = (typeof CHARTED)[number];

export type OverviewSearch = { chart?: Charted; countries?: CountryView };

export function readOverviewSearch(search: RawSearch): OverviewSearch {
  return defined({
    chart: oneOf(search.chart, CHARTED),
    countries: oneOf(search.countries, COUNTRY_VIEWS),
  });
}
