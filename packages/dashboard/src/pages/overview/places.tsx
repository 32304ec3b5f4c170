import { Globe } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Loaded } from '../../charts/loaded.tsx';
import { WhenInView } from '../../charts/when-in-view.tsx';
import { lazyPart } from '../../code.ts';
import { figureAddress } from '../../frame/figure-address.ts';
import type { Frame } from '../../frame/frame.ts';
import { type ChangeFrame, questionFrame, useAnswer } from '../../frame/use-frame.ts';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Card } from '../../ui/card.tsx';
import { Segments } from '../../ui/segments.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Rows } from './breakdown.tsx';
import type { CountryView, OverviewSearch } from './search.ts';

const WorldMap = lazyPart(async () => (await import('../../charts/world-map.tsx')).WorldMap);

const VIEWS: readonly { value: CountryView; label: string }[] = [
  { value: 'map', label: 'Map' },
  { value: 'list', label: 'List' },
];
const TABS = [
  { value: 'country', label: 'Country' },
  { value: 'region', label: 'Region' },
  { value: 'city', label: 'City' },
] as const;
const COUNTRIES_MAX = 300;

/** Where visitors are. */
export function Places({ frame, onChange }: { frame: Frame; onChange: ChangeFrame }) {
  const [{ countries: view = 'map' }, changeSearch] = useSearchParams<OverviewSearch>();
  const [dimension, setDimension] = useState<(typeof TABS)[number]['value']>('country');
  const rows = (
    <div>
      <Tabs label="Places" value={dimension} tabs={TABS} onChange={setDimension} />
      <Rows key={dimension} dimension={dimension} frame={frame} onChange={onChange} />
    </div>
  );
  return (
    <Card
      title="Countries"
      className="break-inside-avoid"
      actions={
        <Segments
          label="Show countries as"
          value={view}
          choices={VIEWS}
          onChange={(chosen) => changeSearch({ countries: chosen })}
        />
      }
    >
      {view === 'list' ? (
        rows
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 xl:grid-cols-[minmax(0,1fr)_28rem] print:grid-cols-1">
          <div className="print:hidden">
            <CountryMap frame={frame} />
          </div>
          {rows}
        </div>
      )}
    </Card>
  );
}

function CountryMap({ frame }: { frame: Frame }) {
  const { compare: _, ...asked } = questionFrame(frame);
  const answer = useAnswer({
    ...asked,
    metrics: ['visits', 'visitors'],
    dimensions: ['country'],
    limit: COUNTRIES_MAX,
  });
  const placeholder = <Skeleton className="aspect-[2.15] w-full" />;
  return (
    <Loaded query={answer} outline={placeholder}>
      {({ rows }) =>
        rows.length === 0 ? (
          <EmptyState icon={<Globe aria-hidden="true" />} title="No visits in this period" />
        ) : (
          <WhenInView placeholder={placeholder}>
            <Suspense fallback={placeholder}>
              <WorldMap
                addressOf={({ country, visits }) =>
                  figureAddress({
                    frame,
                    metric: 'visits',
                    count: visits,
                    more: [{ dimension: 'country', value: country }],
                  })
                }
                counts={rows.map(({ dimensions: [country = ''], metrics: [visits, visitors] }) => ({
                  country,
                  visits: visits ?? 0,
                  visitors: visitors ?? 0,
                }))}
              />
            </Suspense>
          </WhenInView>
        )
      }
    </Loaded>
  );
}
