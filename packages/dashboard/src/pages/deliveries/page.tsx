import type { FlowSend } from '@leadtrail/contract/deliveries';
import { LIST_DEFAULT, LIST_MAX } from '@leadtrail/contract/limits';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useIsAdmin } from '../../api/role.ts';
import { counted, timeOf } from '../../format.ts';
import type { Frame } from '../../frame/frame.ts';
import { FrameBar } from '../../frame/frame-bar.tsx';
import { useFrame } from '../../frame/use-frame.ts';
import { useFrameScope } from '../../frame/use-frame-scope.ts';
import { type ListPage, type MoveList, PagedList } from '../../shared/paged-list.tsx';
import { defined } from '../../shared/search-params.ts';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { sendColumns } from './columns.tsx';
import { useResend } from './resend.tsx';
import { ResendFailed } from './resend-failed.tsx';
import type { DeliveriesSearch, State } from './search.ts';
import { SendDialog } from './send-dialog.tsx';

/** Poll intervals while an attempt is near, and while it is far off. */
const SOON_POLL_MS = 4000;
const LATER_POLL_MS = 30_000;

const STATES: readonly { value: State | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
];

export function DeliveriesPage() {
  const [search, change] = useSearchParams<DeliveriesSearch>();
  const { status, offset = 0 } = search;
  const [frame, changeFrame] = useFrame('all');
  const scope = useFrameScope(frame);
  const asked = {
    ...defined({ status }),
    ...scope,
    limit: LIST_DEFAULT,
    offset,
  };
  const query = useQuery({
    queryKey: queryKeys.deliveryList(asked),
    queryFn: async ({ signal }) => {
      const { flow_sends: rows, total } = await call('flowSends', { query: asked, signal });
      return { rows, total };
    },
    placeholderData: keepPreviousData,
    enabled: scope !== undefined,
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
    <Page title="Deliveries" hint="Every lead sent to your automation platform, with its attempts.">
      <FrameBar frame={frame} onChange={changeFrame} parts={['sites']} />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Segments
          label="State"
          value={status ?? 'all'}
          choices={STATES}
          onChange={(chosen) => change({ status: chosen === 'all' ? undefined : chosen })}
        />
        {isAdmin && scope !== undefined && <ResendFailed scope={scope} pollMs={pollAfterMs(query.data)} />}
      </div>
      <PagedList
        query={query}
        caption="Deliveries"
        columns={columns}
        rowKey={(send) => send.flow_send_public_id}
        offset={offset}
        limit={LIST_DEFAULT}
        onMove={move}
        counted={(total) => counted(total, 'delivery', 'deliveries')}
        empty={
          <Empty
            status={status}
            frame={frame}
            onAllStates={() => change({ status: undefined })}
            onAllOfFrame={() => changeFrame({ when: 'all', sites: [] })}
          />
        }
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

/** The opened delivery may be on another page of the list, or leave it when it is resent. */
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

/** Only pending deliveries change without the viewer. */
function pollAfterMs(page: ListPage<FlowSend> | undefined): number | false {
  const pending = page?.rows.filter(({ status }) => status === 'pending') ?? [];
  if (pending.length === 0) return false;
  const soon = Date.now() + LATER_POLL_MS;
  const isSoon = pending.some(
    ({ next_attempt_at }) => next_attempt_at === null || timeOf(next_attempt_at).getTime() < soon,
  );
  return isSoon ? SOON_POLL_MS : LATER_POLL_MS;
}

function Empty({
  status,
  frame,
  onAllStates,
  onAllOfFrame,
}: {
  status: State | undefined;
  frame: Frame;
  onAllStates: () => void;
  onAllOfFrame: () => void;
}) {
  const isAdmin = useIsAdmin();
  const icon = <Send aria-hidden="true" />;
  if (frame.when !== 'all' || frame.sites.length > 0) {
    return (
      <EmptyState icon={icon} title="No matches" action={<Button onClick={onAllOfFrame}>Show all</Button>}>
        {status === undefined ? 'Nothing was sent' : `No ${status} deliveries`} for these sites in this
        period.
      </EmptyState>
    );
  }
  if (status !== undefined) {
    return (
      <EmptyState
        icon={icon}
        title={`No ${status} deliveries`}
        action={<Button onClick={onAllStates}>Show all</Button>}
      >
        {status === 'failed' && 'Nothing needs your attention.'}
        {status === 'pending' && 'Nothing is waiting to be sent.'}
        {status === 'delivered' && 'Leads appear here once your automation platform has accepted them.'}
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
      With forwarding on, every new lead is sent to your automation platform and retried until it is accepted.
    </EmptyState>
  );
}
