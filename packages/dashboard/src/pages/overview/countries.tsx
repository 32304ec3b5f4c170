import { Globe } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Bars } from '../../charts/bars.tsx';
import { Loaded } from '../../charts/loaded.tsx';
import { WhenInView } from '../../charts/when-in-view.tsx';
import type { CountryCount } from '../../charts/world-map.tsx';
import { countryName, formatNumber } from '../../format.ts';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Card } from '../../ui/card.tsx';
import { Segments } from '../../ui/segments.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { useCountries } from './queries.ts';
import type { CountryView, OverviewSearch } from './search.ts';

const WorldMap = lazy(async () => ({ default: (await import('../../charts/world-map.tsx')).WorldMap }));

const VIEWS: readonly { value: CountryView; label: string }[] = [
  { value: 'map', label: 'Map' },
  { value: 'list', label: 'List' },
];
const BESIDE_MAP = 10;
const IN_LIST = 20;

export function Countries() {
  const [{ countries: view = 'map' }, changeSearch] = useSearchParams<OverviewSearch>();
  const counts = useCountries();
  return (
    <Card
      title="Countries"
      hint="Sessions by country, all time"
      actions={
        <Segments
          label="Show countries as"
          value={view}
          choices={VIEWS}
          onChange={(chosen) => changeSearch({ countries: chosen })}
        />
      }
    >
      <Loaded query={counts} outline={<Skeleton className="h-96" />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={<Globe aria-hidden="true" />} title="No sessions yet">
              Countries appear with the first visit to one of your pages.
            </EmptyState>
          ) : view === 'map' ? (
            <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
              <LazyMap rows={rows} />
              <CountryBars rows={rows} shown={BESIDE_MAP} />
            </div>
          ) : (
            <CountryBars rows={rows} shown={IN_LIST} />
          )
        }
      </Loaded>
    </Card>
  );
}

function LazyMap({ rows }: { rows: readonly CountryCount[] }) {
  const placeholder = <Skeleton className="aspect-[2.15] w-full" />;
  return (
    <WhenInView placeholder={placeholder}>
      <Suspense fallback={placeholder}>
        <WorldMap counts={rows} />
      </Suspense>
    </WhenInView>
  );
}

function CountryBars({ rows, shown }: { rows: readonly CountryCount[]; shown: number }) {
  return (
    <Bars
      label="Sessions by country"
      shown={shown}
      hasShares
      bars={rows.map(({ country, sessions, unique_visitors }) => ({
        key: country,
        value: sessions,
        title: `${formatNumber(unique_visitors)} visitors`,
        label: countryName(country),
      }))}
    />
  );
}
