import type { AnswerOf } from '@leadtrail/contract/endpoint';
import { LIST_DEFAULT } from '@leadtrail/contract/limits';
import type { submissions } from '@leadtrail/contract/submissions';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Inbox, ShieldX } from 'lucide-react';
import { useCallback } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { counted } from '../../format.ts';
import { FrameBar } from '../../frame/frame-bar.tsx';
import { type ChangeFrame, useFrame } from '../../frame/use-frame.ts';
import { useFrameScope } from '../../frame/use-frame-scope.ts';
import type { When } from '../../frame/when.ts';
import { type MoveList, PagedList } from '../../shared/paged-list.tsx';
import { personName } from '../../shared/person-name.ts';
import { defined } from '../../shared/search-params.ts';
import { type ChangeSearch, useSearchParams } from '../../shared/use-search-params.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { Dotted } from '../../ui/dotted.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchInput } from '../../ui/search-input.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { ListTime } from '../../ui/time.tsx';
import type { Order, Sort, SubmissionsSearch } from './search.ts';
import { SortButton, type Sorted } from './sort-button.tsx';

type Submission = AnswerOf<typeof submissions>['submissions'][number];

/** The order of a newly chosen column: latest first, or A to Z. */
const FIRST_ORDER: Readonly<Record<Sort, Order>> = {
  submitted_at: 'desc',
  contact_email: 'asc',
  project_name: 'asc',
  source: 'asc',
};

/** The morning's list; other pages begin with more days. */
const WHEN_DEFAULT: When = 'today';
const WIDER: When = 'last_30_days';

const WITHIN: Readonly<Partial<Record<When, string>>> = { today: 'today', yesterday: 'yesterday' };

export function SubmissionsPage() {
  const [search, change] = useSearchParams<SubmissionsSearch>();
  const { q, sort = 'submitted_at', order = 'desc', offset = 0 } = search;
  const [frame, changeFrame] = useFrame(WHEN_DEFAULT);
  const scope = useFrameScope(frame);

  const move = useCallback<MoveList>((to, how) => change({ offset: to || undefined }, how), [change]);

  const asked = {
    period: 'range',
    ...defined({
      q,
      site: scope?.site,
      date_from: scope?.from,
      date_to: scope?.to,
    }),
    sort,
    order,
    limit: LIST_DEFAULT,
    offset,
  };
  const query = useQuery({
    queryKey: queryKeys.submissions(asked),
    queryFn: async ({ signal }) => {
      const { submissions: rows, total } = await call('submissions', { query: asked, signal });
      return { rows, total };
    },
    placeholderData: keepPreviousData,
    enabled: scope !== undefined,
  });

  const sortable = (title: string, by: Sort, hint?: string) => {
    const sorted: Sorted = sort !== by ? 'none' : order === 'asc' ? 'ascending' : 'descending';
    const next = sorted === 'none' ? FIRST_ORDER[by] : order === 'asc' ? 'desc' : 'asc';
    return (
      <SortButton
        title={title}
        {...(hint === undefined ? {} : { hint })}
        sorted={sorted}
        onSort={() => change({ sort: by, order: next })}
      />
    );
  };

  const columns: Column<Submission>[] = [
    {
      key: 'contact',
      title: sortable('Contact', 'contact_email', 'Sort by e-mail address'),
      cell: (row) => <Contact row={row} />,
      className: 'max-w-56 sm:max-w-80 sm:min-w-60',
    },
    {
      key: 'submitted_at',
      title: sortable('Submitted', 'submitted_at'),
      cell: (row) => <Moment row={row} />,
    },
    {
      key: 'project',
      title: sortable('Project', 'project_name'),
      cell: (row) => row.project_name || <None />,
      isFrom: 'md',
      className: 'max-w-48 break-words',
    },
    {
      key: 'source',
      title: sortable('Source', 'source'),
      cell: (row) => <Source row={row} />,
      isFrom: 'md',
      className: 'max-w-48 break-words',
    },
    { key: 'kind', title: 'Kind', cell: (row) => <Kind row={row} />, isFrom: 'lg' },
    { key: 'ip', title: 'IP address', cell: (row) => <Address row={row} />, isFrom: 'xl' },
  ];

  return (
    <Page title="Submissions" hint="Each time someone submitted one of your forms.">
      <FrameBar frame={frame} onChange={changeFrame} parts={['sites']} />
      <SearchInput
        label="Search submissions"
        placeholder="E-mail, phone, project, source…"
        value={q ?? ''}
        onSearch={(typed) => change({ q: typed })}
        className="w-full sm:w-80"
      />
      <PagedList
        query={query}
        caption="Submissions"
        columns={columns}
        rowKey={(row) => row.submission_id}
        offset={offset}
        limit={LIST_DEFAULT}
        onMove={move}
        counted={(total) => counted(total, 'submission')}
        empty={<Empty search={search} when={frame.when} onChange={change} onFrame={changeFrame} />}
      />
    </Page>
  );
}

function Contact({ row }: { row: Submission }) {
  const name = personName(row);
  return (
    <div className="grid grid-cols-1">
      <Link
        to="/leads/$leadId"
        params={{ leadId: String(row.lead_id) }}
        className="truncate font-medium underline-offset-2 hover:underline"
      >
        {name}
      </Link>
      <span className="flex flex-wrap gap-x-2.5 text-[0.8125rem] text-ink-soft">
        {row.contact_email !== '' && row.contact_email !== name && (
          <span className="max-w-full truncate">{row.contact_email}</span>
        )}
        {row.contact_phone !== name && <span className="max-w-full truncate">{row.contact_phone}</span>}
      </span>
      <span className="truncate text-[0.8125rem] text-ink-faint @2xl:hidden">
        <Dotted parts={[row.project_name, row.source]} />
      </span>
    </div>
  );
}

/** Includes what has no column in a narrow table. */
function Moment({ row }: { row: Submission }) {
  return (
    <div className="grid justify-items-start gap-1">
      <ListTime value={row.submitted_at} />
      <div className="@4xl:hidden">
        <Kind row={row} />
      </div>
    </div>
  );
}

function Kind({ row }: { row: Submission }) {
  return (
    <div className="flex flex-wrap gap-1">
      {row.is_follow_up ? <Badge>Follow-up</Badge> : <Badge tone="accent">First</Badge>}
      {row.is_ip_blocked === 1 && (
        <Link to="/blocked-ips" search={{ q: row.contact_ip }} className="rounded-md">
          <Badge tone="negative" title={`${row.contact_ip} is blocked`}>
            <ShieldX aria-hidden="true" />
            IP blocked
          </Badge>
        </Link>
      )}
    </div>
  );
}

function Source({ row }: { row: Submission }) {
  return (
    <div className="grid">
      {row.source === '' ? <None /> : <span>{row.source}</span>}
      {row.cta_name !== '' && <span className="text-[0.8125rem] text-ink-faint">{row.cta_name}</span>}
    </div>
  );
}

function Address({ row }: { row: Submission }) {
  return row.contact_ip === '' ? (
    <None />
  ) : (
    <span
      title={row.contact_ip}
      className="block max-w-40 truncate @min-[90rem]:max-w-80 font-mono text-[0.8125rem] text-ink-soft"
    >
      {row.contact_ip}
    </span>
  );
}

function None() {
  return <span className="text-ink-faint">–</span>;
}

function Empty({
  search: { q },
  when,
  onChange,
  onFrame,
}: {
  search: SubmissionsSearch;
  when: When;
  onChange: ChangeSearch<SubmissionsSearch>;
  onFrame: ChangeFrame;
}) {
  const icon = <Inbox aria-hidden="true" />;
  const isOneDay = WITHIN[when] !== undefined;
  if (q !== undefined) {
    return (
      <EmptyState
        icon={icon}
        title="No submission matches"
        action={
          <div className="flex flex-wrap justify-center gap-2">
            {isOneDay && (
              <Button look="primary" onClick={() => onFrame({ when: WIDER })}>
                Search the last 30 days
              </Button>
            )}
            <Button onClick={() => onChange({ q: undefined })}>Clear search</Button>
          </div>
        }
      >
        Nothing was found for “<bdi>{q}</bdi>” {WITHIN[when] ?? 'in this period'}.
      </EmptyState>
    );
  }
  if (when === 'today') {
    return (
      <EmptyState
        icon={icon}
        title="Nothing submitted yet today"
        action={<Button onClick={() => onFrame({ when: 'yesterday' })}>Show yesterday</Button>}
      >
        Submissions appear here as soon as someone sends a form.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={icon}
      title={`Nothing was submitted ${WITHIN[when] ?? 'in this period'}`}
      action={
        <Link to="/leads" className={buttonClasses()}>
          All leads
        </Link>
      }
    >
      Choose another period, or go to all leads.
    </EmptyState>
  );
}
