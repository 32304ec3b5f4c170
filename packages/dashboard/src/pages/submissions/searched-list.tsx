import { LIST_DEFAULT } from '@leadtrail/contract/limits';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { counted } from '../../format.ts';
import type { Frame } from '../../frame/frame.ts';
import type { ChangeFrame } from '../../frame/use-frame.ts';
import { useFrameScope } from '../../frame/use-frame-scope.ts';
import type { When } from '../../frame/when.ts';
import { type MoveList, PagedList } from '../../shared/paged-list.tsx';
import { defined } from '../../shared/search-params.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { SearchInput } from '../../ui/search-input.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { columnsOf, type TitleOf } from './columns.tsx';
import type { Order, Sort, SubmissionsSearch } from './search.ts';
import { SortButton, type Sorted } from './sort-button.tsx';

/** The order of a newly chosen column: latest first, or A to Z. */
const FIRST_ORDER: Readonly<Record<Sort, Order>> = {
  submitted_at: 'desc',
  contact_email: 'asc',
  project_name: 'asc',
  source: 'asc',
};

const WIDER: When = 'last_30_days';

const WITHIN: Readonly<Partial<Record<When, string>>> = { today: 'today', yesterday: 'yesterday' };

/** All submissions of the period, to search and to sort. */
export function SearchedList({
  search,
  onChange,
  onMove,
  frame,
  onFrame,
}: {
  search: SubmissionsSearch;
  onChange: ChangeSearch<SubmissionsSearch>;
  onMove: MoveList;
  frame: Frame;
  onFrame: ChangeFrame;
}) {
  const { q, sort = 'submitted_at', order = 'desc', offset = 0 } = search;
  const scope = useFrameScope(frame);
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

  const sortable: TitleOf = (title, by, hint) => {
    const sorted: Sorted = sort !== by ? 'none' : order === 'asc' ? 'ascending' : 'descending';
    const next = sorted === 'none' ? FIRST_ORDER[by] : order === 'asc' ? 'desc' : 'asc';
    return (
      <SortButton
        title={title}
        {...(hint === undefined ? {} : { hint })}
        sorted={sorted}
        onSort={() => onChange({ sort: by, order: next })}
      />
    );
  };

  return (
    <>
      <SearchInput
        label="Search submissions"
        placeholder="E-mail, phone, project, source…"
        value={q ?? ''}
        onSearch={(typed) => onChange({ q: typed })}
        className="w-full sm:w-80"
      />
      <PagedList
        query={query}
        caption="Submissions"
        columns={columnsOf(sortable)}
        rowKey={(row) => row.submission_id}
        offset={offset}
        limit={LIST_DEFAULT}
        onMove={onMove}
        counted={(total) => counted(total, 'submission')}
        empty={<Empty search={search} when={frame.when} onChange={onChange} onFrame={onFrame} />}
      />
    </>
  );
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
