import type { LeadItem } from '@leadtrail/contract/lead-records';
import type { LeadStatus } from '@leadtrail/contract/lead-status';
import { type InfiniteData, type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call } from '../api/client.ts';
import { currentKey } from '../api/key.ts';
import { type LeadColumn, type LeadListQuery, queryKeys } from '../api/query-keys.ts';
import { statusName } from '../ui/status-badge.tsx';
import { toastProblem, toasts, toastWithUndo } from '../ui/toast.tsx';
import { type LeadList, withCard, withoutCard, withStage } from './lead-lists.ts';
import { personName } from './person-name.ts';
import { viewerState } from './viewer-state.ts';

export type MoveStage = (lead: LeadItem, to: LeadStatus) => void;

/** Moves a lead to a stage: optimistic update, rollback on failure, undo on request. */
export function useMoveStage(): MoveStage {
  const client = useQueryClient();
  return useCallback(
    (lead, to) => {
      if (lead.status === to) return;
      const moved = { ...lead, status: to };
      void move(client, lead, to).then((isMoved) => {
        if (!isMoved) return;
        const title = `${personName(lead)} moved to ${statusName(to)}`;
        offerUndo(title, () => void moveBack(client, moved, lead.status), lead.lead_id);
      });
    },
    [client],
  );
}

async function moveBack(client: QueryClient, lead: LeadItem, to: LeadStatus): Promise<void> {
  if (await move(client, lead, to, { undo: true }))
    toasts.add({ title: `${personName(lead)} moved back to ${statusName(to)}` });
}

type Move = { undo: () => void; leadId: number | undefined };

const moves = viewerState((): Move[] => []);

/** Offers undo in a toast and by the key `u`. */
export function offerUndo(title: string, undo: () => void, leadId?: number): void {
  const close = toastWithUndo(title, () => {
    moves.now = moves.now.filter((each) => each !== byKey);
    undo();
  });
  const byKey: Move = {
    undo() {
      close();
      undo();
    },
    leadId,
  };
  moves.now.push(byKey);
}

/** Undoes the latest move that is not undone yet. Returns the lead that it moved. */
export function undoLastMove(): number | undefined {
  const last = moves.now.pop();
  last?.undo();
  return last?.leadId;
}

/** The latest request for each lead: requests for the same lead are sent one after the other. */
const requests = viewerState(() => new Map<number, Promise<unknown>>());

/** Fails if a colleague has moved the lead meanwhile. */
async function move(
  client: QueryClient,
  lead: LeadItem,
  to: LeadStatus,
  how: { undo?: true } = {},
): Promise<boolean> {
  const { lead_id } = lead;
  // A response in flight still has the old stage.
  await client.cancelQueries(showing(lead_id));
  show(client, lead, to);
  const sent = requests.now;
  const key = currentKey();
  const request = (sent.get(lead_id) ?? Promise.resolve())
    .catch(() => {})
    .then(() =>
      call('updateLead', { params: { id: lead_id }, body: { status: to, from: lead.status, ...how } }),
    );
  sent.set(lead_id, request);
  const isLatest = () => requests.now.get(lead_id) === request;
  let isMoved = false;
  try {
    await request;
    isMoved = true;
    // A list that was in flight may have restored the old stage.
    if (isLatest()) show(client, lead, to);
    return isLatest();
  } catch (error) {
    if (isLatest()) show(client, { ...lead, status: to }, lead.status);
    if (currentKey() === key) toastProblem(`${personName(lead)} was not moved`, error);
    return false;
  } finally {
    if (isLatest()) {
      sent.delete(lead_id);
      if (isMoved) refreshStages(client, [lead.status, to]);
      // The stage rolled back to is not certain either: the move before may have failed as well.
      else
        for (const queryKey of [queryKeys.leads, queryKeys.anyLead])
          void client.invalidateQueries({ queryKey });
    }
  }
}

type LeadData = { lead: LeadItem };

/** The cached lead under any of its addresses: number, UUID, or a lead that was merged into it. */
function showing(leadId: number) {
  return {
    queryKey: queryKeys.anyLead,
    predicate: ({ state }: Query) => (state.data as LeadData | undefined)?.lead.lead_id === leadId,
  };
}

function show(client: QueryClient, lead: LeadItem, to: LeadStatus): void {
  client.setQueriesData<LeadData>(
    showing(lead.lead_id),
    (known) => known && { ...known, lead: { ...known.lead, status: to } },
  );
  client.setQueriesData<LeadList>(
    { queryKey: queryKeys.leadLists },
    (list) => list && withStage(list, lead.lead_id, to),
  );
  // Only columns on the screen: their filters are known to match the lead.
  const columns = client.getQueryCache().findAll({ queryKey: queryKeys.leadColumns, type: 'active' });
  for (const { queryKey } of columns) {
    const { status, sort } = queryKey.at(-1) as LeadColumn;
    client.setQueryData<InfiniteData<LeadList>>(queryKey, (column) => {
      if (column === undefined) return column;
      return status === to ? withCard(column, { ...lead, status: to }, sort) : withoutCard(column, lead);
    });
  }
}

/**
 * Refetches what the move has changed. Lists filtered by stage have gained or lost a lead; other lists keep their
 * rows and must not move while they are read.
 */
function refreshStages(client: QueryClient, stages: readonly LeadStatus[]): void {
  void client.invalidateQueries({ queryKey: queryKeys.leads, refetchType: 'none' });
  void client.invalidateQueries({ queryKey: queryKeys.anyLead });
  void client.invalidateQueries({
    queryKey: queryKeys.leadLists,
    // A list in flight may have been read before the move.
    predicate: ({ queryKey, state }) =>
      (queryKey.at(-1) as LeadListQuery).status !== undefined || state.fetchStatus === 'fetching',
  });
  void client.invalidateQueries({
    queryKey: queryKeys.leadColumns,
    predicate: ({ queryKey }) => stages.includes((queryKey.at(-1) as LeadColumn).status),
  });
}
