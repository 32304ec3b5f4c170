import { LIVE_MINUTES } from '@leadtrail/contract/limits';
import type { LiveVisit } from '@leadtrail/contract/live';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Radio } from 'lucide-react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { Figure } from '../../charts/figure.tsx';
import { Loaded } from '../../charts/loaded.tsx';
import { counted, countryName, formatDuration, formatNumber } from '../../format.ts';
import { NUMBER_LINK } from '../../frame/figure-link.tsx';
import { SiteSelect } from '../../frame/site-select.tsx';
import { useFrame } from '../../frame/use-frame.ts';
import { useWorkspace } from '../../frame/use-workspace.ts';
import { useValueName, valueName } from '../../frame/value-name.ts';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { COUNTRY_COLUMN, DEVICE_COLUMN, ORIGIN_COLUMN } from '../../shared/visit-columns.tsx';
import { VisitorLeadLink } from '../../shared/visitor-lead-link.tsx';
import { Card } from '../../ui/card.tsx';
import { FilterChip } from '../../ui/filter-chip.tsx';
import { Page } from '../../ui/page.tsx';
import { PageAddress } from '../../ui/page-address.tsx';
import { EmptyState, SkeletonRows } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { LIVE_PARTS, type LivePart, type LiveSearch } from './search.ts';

const POLL_MS = 5000;
const PARTS: Readonly<Record<LivePart, { name: string; holds: (visit: LiveVisit) => boolean }>> = {
  leads: { name: 'Leads', holds: ({ lead }) => lead !== null },
  returning: { name: 'Returning', holds: ({ is_returning }) => is_returning },
};

/** Visits in progress, polled every few seconds. */
export function LivePage() {
  const [{ only }, changeSearch] = useSearchParams<LiveSearch>();
  const [frame, changeFrame] = useFrame();
  const { sites } = useWorkspace();
  const asked = { site: frame.sites.join(',') };
  const live = useQuery({
    queryKey: queryKeys.live(asked),
    queryFn: ({ signal }) => call('live', { query: asked, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
    refetchIntervalInBackground: false,
  });
  const nameOf = useValueName();
  return (
    <Page title="Live" hint={`Visits with activity in the last ${LIVE_MINUTES} minutes.`}>
      {(sites.length > 1 || frame.sites.length > 0) && (
        <SiteSelect
          sites={sites}
          chosen={frame.sites}
          onChange={(chosen) => changeFrame({ sites: chosen })}
        />
      )}
      <Loaded query={live} outline={<SkeletonRows rows={8} />}>
        {({ total, visits }) => {
          const shown = only === undefined ? visits : visits.filter(PARTS[only].holds);
          return (
            <>
              <dl className="grid grid-cols-3 gap-3 sm:gap-4">
                <Figure name="Visits" isLive={!live.isError} value={formatNumber(total)} />
                {LIVE_PARTS.map((part) => (
                  <Figure
                    key={part}
                    name={PARTS[part].name}
                    value={<PartLink part={part} count={visits.filter(PARTS[part].holds).length} />}
                  />
                ))}
              </dl>
              {live.isError && (
                <p className="text-[0.8125rem] text-warning">Not up to date: {live.error.message}</p>
              )}
              {only !== undefined && (
                <p>
                  <FilterChip
                    name="Only"
                    value={PARTS[only].name}
                    onRemove={() => changeSearch({ only: undefined })}
                  />
                </p>
              )}
              <Card isFlush>
                {shown.length === 0 ? (
                  <EmptyState
                    icon={<Radio aria-hidden="true" />}
                    title={visits.length === 0 ? 'No visitors right now' : 'No visit matches the filters'}
                  >
                    Visits appear here within seconds.
                  </EmptyState>
                ) : (
                  <Table
                    caption="Visits right now"
                    columns={columnsOf((key) => nameOf({ dimension: 'site', value: key }))}
                    rows={shown}
                    rowKey={({ session_id }) => session_id}
                    isStale={live.isPlaceholderData}
                  />
                )}
                {total > visits.length && (
                  <p className="border-t border-line px-4 py-3 text-[0.8125rem] text-ink-soft sm:px-5">
                    The latest {counted(visits.length, 'visit')} of {formatNumber(total)}; leads and returning
                    visitors are counted among these.
                  </p>
                )}
              </Card>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** A count that links to the list narrowed to it. */
function PartLink({ part, count }: { part: LivePart; count: number }) {
  if (count === 0) return formatNumber(count);
  return (
    <Link to="/live" search={{ only: part }} className={NUMBER_LINK}>
      {formatNumber(count)}
    </Link>
  );
}

function columnsOf(siteName: (key: string) => string): Column<LiveVisit>[] {
  return [
    {
      key: 'page',
      title: 'Page',
      cell: ({ page, site_key, channel, country, lead }) => (
        <span className="grid min-w-0">
          <bdi className="wrap-anywhere">
            <PageAddress text={valueName({ dimension: 'exit_page', value: page }) || 'Unknown'} />
          </bdi>
          <span className="text-[0.8125rem] text-ink-faint">
            {siteName(site_key)}
            {/* For columns that a narrow table hides. */}
            <span className="@2xl:hidden">
              {site_key !== '' && ' · '}
              {channel || 'Unknown'} · {countryName(country)}
            </span>
          </span>
          {lead !== null && (
            <span className="mt-1 @lg:hidden">
              <VisitorLeadLink lead={lead} />
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'lead',
      title: 'Lead',
      cell: ({ lead }) => <VisitorLeadLink lead={lead} />,
      isFrom: 'sm',
    },
    ORIGIN_COLUMN,
    COUNTRY_COLUMN,
    DEVICE_COLUMN,
    {
      key: 'views',
      title: 'Pages',
      cell: ({ page_views }) => formatNumber(page_views),
      isNumber: true,
      isFrom: 'md',
    },
    {
      key: 'time',
      title: 'Time',
      cell: ({ duration_ms }) => formatDuration(duration_ms),
      isNumber: true,
      className: 'whitespace-nowrap',
    },
  ];
}
