import type { AnswerOf } from '@leadtrail/contract/endpoint';
import { LIST_DEFAULT } from '@leadtrail/contract/limits';
import type { rejectedLeads } from '@leadtrail/contract/set-aside-leads';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Inbox, Trash2 } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useIsAdmin } from '../../api/role.ts';
import { formatNumber } from '../../format.ts';
import { type ListPage, type MoveList, PagedList } from '../../lists/paged-list.tsx';
import { type ChangeSearch, useSearchChange } from '../../lists/search-change.ts';
import { dayHint } from '../../lists/utc-days.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchInput } from '../../ui/search-input.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { ListTime } from '../../ui/time.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import { LeadDialog } from './lead-dialog.tsx';
import type { Period, SetAsideSearch } from './search.ts';

export type SetAsideLead = AnswerOf<typeof rejectedLeads>['blocked_ip_leads'][number];
type Asked = { period: Period; q: string; limit: number; offset: number };

/** What makes the one list differ from the other. */
export type SetAsideKind = {
  key: string;
  title: string;
  hint: string;
  /** The list that is the reason why something is here. */
  ipList: { to: '/blocked-ips' | '/whitelisted-ips'; label: string };
  empty: { title: string; text: string; action: string };
  list: (asked: Asked, signal: AbortSignal) => Promise<ListPage<SetAsideLead>>;
  remove: (ids: number[]) => Promise<{ deleted: number }>;
};

const PERIODS: readonly { value: Period; label: string }[] = [
  { value: 'all', label: 'All time' },
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Yesterday' },
  { value: 'past_7_days', label: 'Past 7 days' },
  { value: 'past_14_days', label: 'Past 14 days' },
  { value: 'past_30_days', label: 'Past 30 days' },
];

/** Submissions that did not become leads. */
export function SetAsidePage({ kind, search }: { kind: SetAsideKind; search: SetAsideSearch }) {
  const change = useSearchChange<SetAsideSearch>();
  const { period = 'all', q = '', offset = 0 } = search;
  const asked = { period, q, limit: LIST_DEFAULT, offset };
  const query = useQuery({
    queryKey: ['set-aside', kind.key, asked],
    queryFn: ({ signal }) => kind.list(asked, signal),
    placeholderData: keepPreviousData,
  });
  const rows = query.data?.rows;
  const isAdmin = useIsAdmin();
  const selection = useSelection(rows);
  const [isAsking, setAsking] = useState(false);
  const removal = useRemoval(kind);

  const show = useCallback(
    (id: number | undefined) => change({ open: id }, { isReplaced: id === undefined }),
    [change],
  );
  const move = useCallback<MoveList>((to, how) => change({ offset: to || undefined }, how), [change]);
  const columns = useMemo(
    () => [...(isAdmin ? [selectColumn(selection)] : []), ...leadColumns(show, kind.ipList)],
    [isAdmin, selection, show, kind],
  );

  return (
    <Page title={kind.title} hint={kind.hint}>
      <div className="flex flex-wrap items-center gap-3">
        <SearchInput
          label={`Search ${kind.title.toLowerCase()} enquiries`}
          placeholder="IP address, contact, project…"
          value={q}
          onSearch={(typed) => change({ q: typed })}
          className="w-full sm:w-80"
        />
        <Select
          label="Period"
          value={period}
          choices={PERIODS}
          onChange={(chosen) => change({ period: chosen === 'all' ? undefined : chosen })}
          className="w-full sm:w-44"
        />
        {period !== 'all' && <p className="text-[0.8125rem] text-ink-faint">{dayHint()}</p>}
      </div>
      <PagedList
        query={query}
        caption={`${kind.title} enquiries`}
        columns={columns}
        rowKey={(row) => row.id}
        rowClassName={(row) => (selection.has(row.id) ? 'bg-accent-soft/50' : undefined)}
        offset={offset}
        limit={LIST_DEFAULT}
        onMove={move}
        counted={(total) =>
          selection.ids.length > 0
            ? `${formatNumber(selection.ids.length)} of ${formatNumber(total)} selected`
            : counted(total)
        }
        actions={
          isAdmin && (
            <Button
              look="danger"
              size="small"
              icon={<Trash2 aria-hidden="true" />}
              disabled={selection.ids.length === 0}
              onClick={() => setAsking(true)}
            >
              Delete
            </Button>
          )
        }
        empty={<Empty kind={kind} search={search} onChange={change} />}
      />
      <LeadDialog
        lead={rows?.find((row) => row.id === search.open)}
        ipList={kind.ipList}
        onClose={() => show(undefined)}
      />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() =>
          removal.mutate(selection.ids, { onSuccess: selection.clear, onSettled: () => setAsking(false) })
        }
        title={`Delete ${counted(selection.ids.length)}?`}
        action="Delete"
        isBusy={removal.isPending}
      >
        {selection.ids.length === 1 ? 'It disappears' : 'They disappear'} from this list. This cannot be
        undone here.
      </ConfirmDialog>
    </Page>
  );
}

function counted(enquiries: number): string {
  return `${formatNumber(enquiries)} ${enquiries === 1 ? 'enquiry' : 'enquiries'}`;
}

type Selection = {
  /** Only what is on the page, so that nothing is deleted unseen. */
  ids: number[];
  isAll: boolean;
  has: (id: number) => boolean;
  set: (id: number, isSelected: boolean) => void;
  setAll: (isSelected: boolean) => void;
  clear: () => void;
};

function useSelection(rows: readonly SetAsideLead[] | undefined): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  return useMemo(() => {
    const shown = rows?.map(({ id }) => id) ?? [];
    const ids = shown.filter((id) => chosen.has(id));
    return {
      ids,
      isAll: ids.length > 0 && ids.length === shown.length,
      has: (id) => chosen.has(id),
      set: (id, isSelected) =>
        setChosen(new Set(isSelected ? [...ids, id] : ids.filter((each) => each !== id))),
      setAll: (isSelected) => setChosen(new Set(isSelected ? shown : [])),
      clear: () => setChosen(new Set()),
    };
  }, [rows, chosen]);
}

function useRemoval(kind: SetAsideKind) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: kind.remove,
    async onSuccess({ deleted }) {
      await queries.invalidateQueries({ queryKey: ['set-aside', kind.key] });
      toasts.add({ title: `${counted(deleted)} deleted` });
    },
    onError: (error) => toastProblem('Not deleted', error),
  });
}

function selectColumn(selection: Selection): Column<SetAsideLead> {
  return {
    key: 'select',
    title: (
      <CheckboxArea>
        <Checkbox
          label="Select all on this page"
          isChecked={selection.isAll}
          isMixed={selection.ids.length > 0 && !selection.isAll}
          onChange={selection.setAll}
        />
      </CheckboxArea>
    ),
    cell: (row) => (
      <CheckboxArea>
        <Checkbox
          label={`Select ${nameOf(row)}`}
          isChecked={selection.has(row.id)}
          onChange={(isSelected) => selection.set(row.id, isSelected)}
        />
      </CheckboxArea>
    ),
    className: 'w-8',
  };
}

/** As large as a finger. */
function CheckboxArea({ children }: { children: ReactNode }) {
  // biome-ignore lint/a11y/noLabelWithoutControl: The control comes with the children, and has a name of its own.
  return <label className="-m-3 grid size-11 place-items-center">{children}</label>;
}

function leadColumns(show: (id: number) => void, ipList: SetAsideKind['ipList']): Column<SetAsideLead>[] {
  return [
    {
      key: 'contact',
      title: 'Contact',
      cell: (row) => <Contact row={row} onOpen={() => show(row.id)} />,
      className: 'max-w-52 sm:max-w-72',
    },
    { key: 'ip', title: 'IP address', cell: (row) => <Address ip={row.ip} ipList={ipList} />, isFrom: 'sm' },
    {
      key: 'project',
      title: 'Project',
      cell: (row) => row.project_name || <span className="text-ink-faint">–</span>,
      isFrom: 'lg',
      className: 'max-w-48 break-words',
    },
    {
      key: 'source',
      title: 'Source',
      cell: (row) => row.source || <span className="text-ink-faint">–</span>,
      isFrom: 'lg',
      className: 'max-w-48 break-words',
    },
    { key: 'received_at', title: 'Received', cell: (row) => <ListTime value={row.received_at} /> },
  ];
}

export function nameOf({ contact_name, contact_email, contact_phone, ip }: SetAsideLead): string {
  return contact_name || contact_email || contact_phone || `Enquiry from ${ip}`;
}

function Contact({ row, onOpen }: { row: SetAsideLead; onOpen: () => void }) {
  const name = nameOf(row);
  return (
    <div className="grid min-w-0 justify-items-start">
      <button
        type="button"
        onClick={onOpen}
        aria-haspopup="dialog"
        className="max-w-full truncate rounded-sm text-left font-medium underline-offset-2 hover:underline"
      >
        {name}
      </button>
      {row.contact_email !== '' && row.contact_email !== name && (
        <span className="max-w-full truncate text-[0.8125rem] text-ink-soft">{row.contact_email}</span>
      )}
      <span className="max-w-full truncate text-[0.8125rem] text-ink-faint sm:hidden">{row.ip}</span>
    </div>
  );
}

function Address({ ip, ipList }: { ip: string; ipList: SetAsideKind['ipList'] }) {
  return (
    <Link
      to={ipList.to}
      search={{ q: ip }}
      title={ipList.label}
      className="rounded-sm font-mono text-[0.8125rem] break-all text-accent-text underline-offset-2 hover:underline"
    >
      {ip}
    </Link>
  );
}

function Empty({
  kind: { empty, ipList },
  search: { q, period },
  onChange,
}: {
  kind: SetAsideKind;
  search: SetAsideSearch;
  onChange: ChangeSearch<SetAsideSearch>;
}) {
  const icon = <Inbox aria-hidden="true" />;
  if (q !== undefined || period !== undefined) {
    return (
      <EmptyState
        icon={icon}
        title="Nothing matches"
        action={<Button onClick={() => onChange({ q: undefined, period: undefined })}>Show all</Button>}
      >
        {q === undefined ? 'There is nothing in this period.' : `Nothing was found for “${q}”.`}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={icon}
      title={empty.title}
      action={
        <Link to={ipList.to} className={buttonClasses()}>
          {empty.action}
        </Link>
      }
    >
      {empty.text}
    </EmptyState>
  );
}
