import { FileText } from 'lucide-react';
import { Bars } from '../../charts/bars.tsx';
import { Loaded } from '../../charts/loaded.tsx';
import { formatNumber } from '../../format.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { readableAddress, WebLink, webAddress } from '../../ui/web-link.tsx';
import { useTopPages } from './queries.ts';

export function TopPages() {
  const pages = useTopPages();
  return (
    <Card title="Top pages" hint="Views, all time">
      <Loaded query={pages} outline={<Skeleton className="h-72" />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={<FileText aria-hidden="true" />} title="No pages yet">
              Add the tracker to a page to count its views.
            </EmptyState>
          ) : (
            <Bars
              label="Views by page"
              bars={rows.map(({ page, views, unique_sessions }) => ({
                key: page,
                value: views,
                title: `${page}\n${formatNumber(unique_sessions)} sessions`,
                label: <PageLink page={page} />,
              }))}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function PageLink({ page }: { page: string }) {
  const url = webAddress(page);
  if (url === undefined) return page;
  return (
    <WebLink
      address={page}
      // Not shortened: `www.` and trailing slashes tell pages apart.
      text={readableAddress(url)}
      className="-my-2 block truncate py-2 no-underline hover:underline"
    />
  );
}
