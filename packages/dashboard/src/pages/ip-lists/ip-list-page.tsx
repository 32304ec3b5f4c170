import { LIST_DEFAULT } from '@leadtrail/contract/limits';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import { useIsAdmin } from '../../api/role.ts';
import { counted } from '../../format.ts';
import { type ListPage, type MoveList, PagedList } from '../../shared/paged-list.tsx';
import { SpamTabs } from '../../shared/spam-tabs.tsx';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchInput } from '../../ui/search-input.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { toastProblem, toasts, toastWithUndo } from '../../ui/toast.tsx';
import { type Edited, EntryDialog } from './entry-dialog.tsx';
import type { IpList } from './ip-list.ts';
import type { IpSearch } from './search.ts';

export function IpListPage<R extends { ip: string }>({ list }: { list: IpList<R> }) {
  const [{ q = '', offset = 0 }, change] = useSearchParams<IpSearch>();
  const asked = { q, limit: LIST_DEFAULT, offset };
  const query = useQuery({
    queryKey: queryKeys.ipList(list.key, asked),
    queryFn: ({ signal }) => list.list(asked, signal),
    placeholderData: keepPreviousData,
  });
  const isAdmin = useIsAdmin();
  const [edited, setEdited] = useState<Edited<R>>();
  const remove = useRemoval(list);
  const move = useCallback<MoveList>((to, how) => change({ offset: to || undefined }, how), [change]);
  const columns = useMemo(
    () => [...list.columns, ...(isAdmin ? [actionsColumn(list, setEdited, remove)] : [])],
    [list, isAdmin, remove],
  );
  const startAdding = () =>
    setEdited({ entry: { ...list.fresh, ip: looksLikeIp(q) ? q.trim() : '' }, isNew: true });
  const addButton = isAdmin && (
    <Button look="primary" icon={<Plus aria-hidden="true" />} onClick={startAdding}>
      {list.words.add}
    </Button>
  );

  return (
    <Page title={list.title} hint={list.hint} actions={addButton}>
      <SpamTabs />
      <SearchInput
        label={`Search ${list.title.toLowerCase().replace('ips', 'IPs')}`}
        placeholder="Part of an IP address"
        value={q}
        onSearch={(typed) => change({ q: typed })}
        className="w-full sm:w-80"
      />
      <PagedList
        query={query}
        caption={list.title}
        columns={columns}
        rowKey={(row) => row.ip}
        offset={offset}
        limit={LIST_DEFAULT}
        onMove={move}
        counted={(total) => counted(total, 'address', 'addresses')}
        empty={
          q === '' ? (
            <EmptyState icon={list.icon} title={list.empty.title} action={addButton}>
              {list.empty.text}
            </EmptyState>
          ) : (
            <EmptyState
              icon={list.icon}
              title="No address matches"
              action={<Button onClick={() => change({ q: undefined })}>Clear search</Button>}
            >
              “{q}” is not on this list.
            </EmptyState>
          )
        }
      />
      <EntryDialog list={list} edited={edited} onClose={() => setEdited(undefined)} />
    </Page>
  );
}

/** A search for an unlisted address prefills the dialog that adds it. */
function looksLikeIp(text: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(text.trim()) || /^[\da-f]*:[\da-f:]*$/i.test(text.trim());
}

/** Optimistic removal with undo. */
function useRemoval<R extends { ip: string }>(list: IpList<R>): (entry: R) => void {
  const queries = useQueryClient();
  const queryKey = queryKeys.ipLists(list.key);
  const { mutate } = useMutation({
    mutationFn: (entry: R) => list.remove(entry.ip),
    async onMutate({ ip }) {
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueriesData<ListPage<R>>({ queryKey });
      queries.setQueriesData<ListPage<R>>({ queryKey }, (page) => page && without(page, ip));
      return before;
    },
    onSuccess: (_, entry) => toastWithUndo(`${entry.ip} ${list.words.removed}`, () => putBack(entry)),
    onError(error, entry, before) {
      for (const [key, page] of before ?? []) queries.setQueryData(key, page);
      toastProblem(`${entry.ip} was not removed`, error);
    },
    // Leads and submissions show whether their address is blocked, too.
    onSettled: () => queries.invalidateQueries(),
  });

  async function putBack(entry: R): Promise<void> {
    try {
      await list.add(entry);
      toasts.add({ title: `${entry.ip} is back on the list` });
    } catch (error) {
      toastProblem(`${entry.ip} was not restored`, error);
    }
    await queries.invalidateQueries();
  }

  return mutate;
}

function without<R extends { ip: string }>({ rows, total }: ListPage<R>, ip: string): ListPage<R> {
  const left = rows.filter((row) => row.ip !== ip);
  return { rows: left, total: total - (rows.length - left.length) };
}

function actionsColumn<R extends { ip: string }>(
  list: IpList<R>,
  edit: (edited: Edited<R>) => void,
  remove: (entry: R) => void,
): Column<R> {
  return {
    key: 'actions',
    title: <span className="sr-only">Actions</span>,
    cell: (row) => (
      <div className="flex justify-end gap-1">
        <Button
          look="ghost"
          size="small"
          icon={<Pencil aria-hidden="true" />}
          aria-label={`Edit ${row.ip}`}
          title="Edit"
          onClick={() => edit({ entry: row, isNew: false })}
        />
        <Button
          look="ghost"
          size="small"
          icon={<Trash2 aria-hidden="true" />}
          aria-label={`${list.words.remove} ${row.ip}`}
          title={list.words.remove}
          onClick={() => remove(row)}
        />
      </div>
    ),
    className: 'w-20',
  };
}
