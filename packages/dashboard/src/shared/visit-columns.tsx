import type { ListedVisit } from '@leadtrail/contract/listed-visit';
import { countryName } from '../format.ts';
import { valueName } from '../frame/value-name.ts';
import type { Column } from '../ui/table.tsx';

/** Columns that all lists of visits have. */

export const ORIGIN_COLUMN: Column<ListedVisit> = {
  key: 'origin',
  title: 'Came from',
  cell: (visit) => (
    <span className="grid min-w-0">
      <span className="whitespace-nowrap">{visit.channel || 'Unknown'}</span>
      <bdi className="text-[0.8125rem] wrap-anywhere text-ink-faint">{sourceName(visit)}</bdi>
    </span>
  ),
  isFrom: 'md',
  className: '@5xl:min-w-34',
};

export const COUNTRY_COLUMN: Column<ListedVisit> = {
  key: 'country',
  title: 'Country',
  cell: ({ country, city }) => (
    <span className="grid">
      {countryName(country)}
      <bdi className="text-[0.8125rem] text-ink-faint">{city}</bdi>
    </span>
  ),
  isFrom: 'md',
};

export const DEVICE_COLUMN: Column<ListedVisit> = {
  key: 'device',
  title: 'Device',
  cell: ({ device, browser }) => (
    <span className="grid">
      {valueName({ dimension: 'device', value: device })}
      <span className="text-[0.8125rem] text-ink-faint">
        {valueName({ dimension: 'browser', value: browser })}
      </span>
    </span>
  ),
  isFrom: 'lg',
};

/** Source and campaign, as far as they say more than the channel. */
export function sourceName({ channel, source, campaign }: ListedVisit): string {
  return [valueName({ dimension: 'source', value: source }), campaign]
    .filter((text) => text !== '' && text !== '(none)' && text !== channel)
    .join(' · ');
}
