import { LIST_DEFAULT } from '@leadtrail/contract/limits';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Inbox, Trash2 } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import { useIsAdmin } from '../../api/role.ts';
import { counted, formatNumber } from '../../format.ts';
import type { Frame } from '../../frame/frame.ts';
import { FrameBar } from '../../frame/frame-bar.tsx';
import { useFrame } from '../../frame/use-frame.ts';
import { useFrameScope } from '../../frame/use-frame-scope.ts';
import { type MoveList, PagedList } from '../../shared/paged-list.tsx';
import { SpamTabs } from '../../shared/spam-tabs.tsx';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchInput } from '../../ui/search-input.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import { useAccepting } from './accept.tsx';
import { acceptColumn, leadColumns } from './columns.tsx';
import { LeadDialog } from './lead-dialog.tsx';
import type { SetAsideSearch } from './search.ts';
import { selectColumn, useSelection } from './selection.tsx';
import type { SetAsideKind } from './set-aside-kind.ts';

/** The list of rejected or testing leads. */
export function SetAsidePage({ kind }: { kind: SetAsideKind }) {
  const [search, change] = useSearchParams<SetAsideSearch>();
  const { q = '', offset = 0 } = search;
  const [frame, changeFrame] = useFrame('all');
  const scope = useFrameScope(frame);
  const asked = {
    ...scope,
    q,
    limit: LIST_DEFAULT,
    offset,
  };
  const query = useQuery({
    queryKey: queryKeys.setAsideList(kind.key, asked),
    queryFn: ({ signal }) => kind.list(asked, signal),
    placeholderData: keepPreviousData,
    enabled: scope !== undefined,
  });
  const rows = query.data?.rows;
  const isAdmin = useIsAdmin();
  const selection = useSelection(rows);
  const [isAsking, setAsking] = useState(false);
  const removal = useRemoval(kind);

  const show = useCallback(
    (id: number | undefined) => change({ open: id }, { isReplacing: id === undefined }),
    [change],
  );
  const move = useCallback<MoveList>((to, how) => change({ offset: to || undefined }, how), [change]);
  const accepting = useAccepting(kind, () => show(undefined));
  const columns = useMemo(() => {
    const ofAll = leadColumns({ onOpen: show, ipList: kind.ipList });
    return isAdmin ? [selectColumn(selection), ...ofAll, acceptColumn(accepting.ask)] : ofAll;
  }, [isAdmin, selection, show, kind, accepting.ask]);

  return (
    <Page title={kind.title} hint={kind.hint}>
      <SpamTabs />
      <FrameBar frame={frame} onChange={changeFrame} parts={['sites']} />
      <SearchInput
        label={`Search ${kind.title.toLowerCase()} leads`}
        placeholder="IP address, contact, project…"
        value={q}
        onSearch={(typed) => change({ q: typed })}
        className="w-full sm:w-80"
      />
      <PagedList
        query={query}
        caption={`${kind.title} leads`}
        columns={columns}
        rowKey={(row) => row.id}
        rowClassName={(row) => (selection.has(row.id) ? 'bg-accent-soft/40' : undefined)}
        offset={offset}
        limit={LIST_DEFAULT}
        onMove={move}
        counted={(total) =>
          selection.ids.length > 0
            ? `${formatNumber(selection.ids.length)} of ${formatNumber(total)} selected`
            : counted(total, 'lead')
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
        empty={
          <Empty
            kind={kind}
            q={search.q}
            frame={frame}
            onClear={() => change({ q: undefined })}
            onShowAll={() => changeFrame({ when: 'all', sites: [] })}
          />
        }
      />
      <LeadDialog
        lead={rows?.find((row) => row.id === search.open)}
        ipList={kind.ipList}
        onAccept={isAdmin ? accepting.ask : undefined}
        onClose={() => show(undefined)}
      />
      {accepting.dialog}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() =>
          removal.mutate(selection.ids, { onSuccess: selection.clear, onSettled: () => setAsking(false) })
        }
        title={`Delete ${counted(selection.ids.length, 'lead')}?`}
        action="Delete"
        isBusy={removal.isPending}
      >
        {selection.ids.length === 1 ? 'It is' : 'They are'} removed from this list. This cannot be undone.
      </ConfirmDialog>
    </Page>
  );
}

function useRemoval(kind: SetAsideKind) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: kind.remove,
    async onSuccess({ deleted }) {
      await queries.invalidateQueries({ queryKey: queryKeys.setAsideLists(kind.key) });
      toasts.add({ title: `${counted(deleted, 'lead')} deleted` });
    },
    onError: (error) => toastProblem('Nothing was deleted', error),
  });
}

function Empty({
  kind: { empty, ipList },
  q,
  frame,
  onClear,
  onShowAll,
}: {
  kind: SetAsideKind;
  q: string | undefined;
  frame: Frame;
  onClear: () => void;
  onShowAll: () => void;
}) {
  const icon = <Inbox aria-hidden="true" />;
  if (q !== undefined) {
    return (
      <EmptyState icon={icon} title="No matches" action={<Button onClick={onClear}>Clear search</Button>}>
        Nothing was found for “<bdi>{q}</bdi>”.
      </EmptyState>
    );
  }
  if (frame.when !== 'all' || frame.sites.length > 0) {
    return (
      <EmptyState icon={icon} title="No matches" action={<Button onClick={onShowAll}>Show all</Button>}>
        Nothing was received from these sites in this period.
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
