import type { VisitItem } from '@leadtrail/contract/questions';
import { Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { counted, countryName, formatDuration } from '../../format.ts';
import { valueName } from '../../frame/value-name.ts';
import { COUNTRY_COLUMN, DEVICE_COLUMN, ORIGIN_COLUMN, sourceName } from '../../shared/visit-columns.tsx';
import { VisitorLeadLink } from '../../shared/visitor-lead-link.tsx';
import { Button } from '../../ui/button.tsx';
import { Dotted } from '../../ui/dotted.tsx';
import { EngagementBadge } from '../../ui/engagement-badge.tsx';
import { PageAddress } from '../../ui/page-address.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Shown = {
  hasRecordings: boolean;
  onPlay: (sessionId: string) => void;
};

export function columnsOf({ hasRecordings, onPlay }: Shown): Column<VisitItem>[] {
  const started = (visit: VisitItem) => <Time value={visit.started_at} />;
  return [
    {
      key: 'pages',
      title: 'Visit',
      cell: (visit) => (
        <span className="grid min-w-0">
          <Pages visit={visit} />
          <Narrow visit={visit} started={started(visit)} />
        </span>
      ),
      className: '@2xl:min-w-56',
    },
    { key: 'person', title: 'Person', cell: (visit) => <Person visit={visit} />, isFrom: 'sm' },
    ORIGIN_COLUMN,
    { ...COUNTRY_COLUMN, isFrom: 'lg' },
    { ...DEVICE_COLUMN, isFrom: 'xl' },
    {
      key: 'engaged',
      title: 'Engaged',
      cell: ({ engaged_seconds, page_views }) => (
        <span className="grid whitespace-nowrap">
          {formatDuration(engaged_seconds * 1000)}
          <span className="text-[0.8125rem] text-ink-faint">{counted(page_views, 'view')}</span>
        </span>
      ),
      isNumber: true,
      isFrom: 'lg',
    },
    {
      key: 'engagement',
      title: 'Engagement',
      cell: (visit) => <EngagementBadge lead={visit} />,
      isFrom: 'xl',
    },
    { key: 'time', title: 'Started', cell: started, isFrom: 'md' },
    ...(hasRecordings
      ? [
          {
            key: 'recording',
            title: <span className="sr-only">Recording</span>,
            cell: ({ session_id, entry_page, has_recording }: VisitItem) =>
              has_recording && (
                <Button
                  size="small"
                  icon={<Play aria-hidden="true" />}
                  aria-label={`Play the visit to ${pageName(entry_page)}`}
                  onClick={() => onPlay(session_id)}
                />
              ),
            className: 'text-right',
          },
        ]
      : []),
  ];
}

/** The entry page and, if it differs, the exit page: by its path alone if the host is the same. */
function Pages({ visit: { entry_page, exit_page } }: { visit: VisitItem }) {
  const host = /^https?:\/\/[^/]+(?=\/)/.exec(entry_page)?.[0] ?? '';
  const isSameHost = host !== '' && exit_page.startsWith(`${host}/`);
  return (
    <>
      <bdi className="wrap-anywhere">
        <PageAddress text={pageName(entry_page)} />
      </bdi>
      {exit_page !== entry_page && (
        <span title={pageName(exit_page)} className="text-[0.8125rem] wrap-anywhere text-ink-soft">
          <span aria-hidden="true">→ </span>
          <span className="sr-only">to </span>
          <bdi>
            <PageAddress text={isSameHost ? exit_page.slice(host.length) : pageName(exit_page)} />
          </bdi>
        </span>
      )}
    </>
  );
}

function Person({ visit: { lead, is_returning } }: { visit: VisitItem }) {
  if (lead !== null) return <VisitorLeadLink lead={lead} />;
  return <span className="text-ink-faint">{is_returning ? 'Returning' : 'New'}</span>;
}

/** For columns that a narrow table hides. */
function Narrow({ visit, started }: { visit: VisitItem; started: ReactNode }) {
  const { country, device, page_views, engaged_seconds } = visit;
  return (
    <>
      <span className="text-[0.8125rem] wrap-anywhere text-ink-faint @2xl:hidden">
        <Dotted parts={[started, visit.channel || 'Unknown', sourceName(visit)]} />
      </span>
      <span className="text-[0.8125rem] text-ink-faint @4xl:hidden">
        <Dotted
          parts={[
            countryName(country),
            valueName({ dimension: 'device', value: device }),
            counted(page_views, 'view'),
            <span key="engaged" className="whitespace-nowrap">
              {formatDuration(engaged_seconds * 1000)}
            </span>,
          ]}
        />
      </span>
      <span className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 @5xl:hidden">
        <span className="@lg:hidden">
          <Person visit={visit} />
        </span>
        <EngagementBadge lead={visit} />
      </span>
    </>
  );
}

function pageName(address: string): string {
  return valueName({ dimension: 'entry_page', value: address }) || 'Unknown';
}
