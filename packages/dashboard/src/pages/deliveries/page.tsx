import type { FlowSend } from '@leadtrail/contract/deliveries';
import { LIST_DEFAULT, LIST_MAX } from '@leadtrail/contract/limits';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useIsAdmin } from '../../api/role.ts';
import { formatNumber, timeOf } from '../../format.ts';
import { type ListPage, type MoveList, PagedList } from '../../shared/paged-list.tsx';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { sendColumns } from './columns.tsx';
import { useResend } from './resend.tsx';
import type { DeliveriesSearch, State } from './search.ts';
import { SendDialog } from './send-dialog.tsx';

/** While something is about to happen, and while the next attempt is far off. */
const SOON_POLL_MS = 4000;
const LATER_POLL_MS = 30_000;

const STATES: readonly { value: State | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
];

/** Leads on their way to the automation platform. */
export function DeliveriesPage() {
  const [search, change] = useSearchParams<DeliveriesSearch>();
  const { status, offset = 0 } = search;
  const query = useQuery({
    queryKey: queryKeys.deliveryList({ status, offset }),
    queryFn: async ({ signal }) => {
      const { flow_sends: rows, total } = await call('flowSends', {
        query: { ...(status === undefined ? {} : { status }), limit: LIST_DEFAULT, offset },
        signal,
      });
      return { rows, total };
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pollAfterMs(state.data),
  });
  const isAdmin = useIsAdmin();
  const resend = useResend();
  const show = useCallback(
    (id: string | undefined) => change({ open: id }, { isReplacing: id === undefined }),
    [change],
  );
  const move = useCallback<MoveList>((to, how) => change({ offset: to || undefined }, how), [change]);
  const columns = useMemo(
    () => sendColumns({ onOpen: show, onResend: isAdmin ? resend.ask : undefined, busyId: resend.busyId }),
    [show, isAdmin, resend.ask, resend.busyId],
  );
  const opened = useOpened(search.open, query.data?.rows);

  return (
    <Page title="Deliveries" hint="Every new lead on its way to your automation platform.">
      <div className="flex">
        <Segments
          label="State"
          value={status ?? 'all'}
          choices={STATES}
          onChange={(chosen) => change({ status: chosen === 'all' ? undefined : chosen })}
        />
      </div>
      <PagedList
        query={query}
        caption="Deliveries"
        columns={columns}
        rowKey={(send) => send.flow_send_public_id}
        offset={offset}
        limit={LIST_DEFAULT}
        onMove={move}
        counted={(total) => `${formatNumber(total)} ${total === 1 ? 'delivery' : 'deliveries'}`}
        empty={<Empty status={status} onShowAll={() => change({ status: undefined })} />}
      />
      <SendDialog
        id={search.open}
        send={opened}
        onClose={() => show(undefined)}
        onResend={isAdmin ? resend.ask : undefined}
        busyId={resend.busyId}
      />
      {resend.dialog}
    </Page>
  );
}

/** What is opened may be on another page, or leaves the list when it is sent again; then it is asked for itself. */
function useOpened(id: string | undefined, rows: readonly FlowSend[] = []): FlowSend | undefined {
  const isOpened = (send: FlowSend) => send.flow_send_public_id === id;
  const listed = rows.find(isOpened);
  const { data } = useQuery({
    queryKey: queryKeys.openedDelivery(id),
    queryFn: async ({ signal }) => {
      const { flow_sends } = await call('flowSends', { query: { limit: LIST_MAX }, signal });
      const found = flow_sends.filter(isOpened);
      return { rows: found, total: found.length };
    },
    enabled: id !== undefined && listed === undefined,
    refetchInterval: ({ state }) => pollAfterMs(state.data),
  });
  return listed ?? data?.rows[0];
}

/** Only what is pending changes by itself. */
function pollAfterMs(page: ListPage<FlowSend> | undefined): number | false {
  const pending = page?.rows.filter(({ status }) => status === 'pending') ?? [];
  if (pending.length === 0) return false;
  const soon = Date.now() + LATER_POLL_MS;
  const isSoon = pending.some(
    ({ next_attempt_at }) => next_attempt_at === null || timeOf(next_attempt_at).getTime() < soon,
  );
  return isSoon ? SOON_POLL_MS : LATER_POLL_MS;
}

function Empty({ status, onShowAll }: { status: State | undefined; onShowAll: () => void }) {
  const isAdmin = useIsAdmin();
  const icon = <Send aria-hidden="true" />;
  if (status !== undefined) {
    return (
      <EmptyState
        icon={icon}
        title={`No delivery is ${status}`}
        action={<Button onClick={onShowAll}>Show all</Button>}
      >
        {status === 'failed' && 'That is good news: nothing needs your attention.'}
        {status === 'pending' && 'Nothing is waiting to be sent.'}
        {status === 'delivered' && 'As soon as a lead has been taken over, it appears here.'}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={icon}
      title="Nothing has been sent yet"
      action={
        isAdmin && (
          <Link to="/settings/$section" params={{ section: 'forwarding' }} className={buttonClasses()}>
            Set up forwarding
          </Link>
        )
      }
    >
      With forwarding turned on, every new lead is sent to your automation platform, and tried again if it is
      not taken. Here you see how that went.
    </EmptyState>
  );
}
