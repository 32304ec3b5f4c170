import { Compass } from 'lucide-react';
import { Bars } from '../../charts/bars.tsx';
import { Loaded } from '../../charts/loaded.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { useSources } from './queries.ts';

const DIRECT = '(direct)';

export function Sources() {
  const sources = useSources();
  return (
    <Card title="Sources" hint="Sessions, all time">
      <Loaded query={sources} outline={<Skeleton className="h-72" />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={<Compass aria-hidden="true" />} title="No sources yet">
              Sources appear with the first visit to one of your pages.
            </EmptyState>
          ) : (
            <Bars
              label="Sessions by source"
              tone={3}
              bars={rows.map(({ referrer_domain, sessions }) => ({
                key: referrer_domain,
                label: referrer_domain === DIRECT ? 'Direct' : referrer_domain,
                value: sessions,
              }))}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
