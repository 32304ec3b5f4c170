import type { LeadStatus } from '@leadtrail/contract/lead-status';
import type { LeadItem } from '@leadtrail/contract/leads';
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call } from '../../api/client.ts';
import { statusName } from '../../ui/status-badge.tsx';
import { toastProblem, toastWithUndo } from '../../ui/toast.tsx';
import { nameOf } from './lead-name.ts';
import { placeAmong } from './lead-order.ts';
import { COLUMNS, type ColumnKey, type LeadFilters, type LeadList, LISTS } from './queries.ts';

export type MoveLead = (lead: LeadItem, to: LeadStatus) => void;

/** Moves a lead to a stage: shown at once, taken back when it fails, and undone on request. */
export function useMoveLead(): MoveLead {
  const client = useQueryClient();
  return useCallback(
    (lead, to) => {
      if (lead.status === to) return;
      const moved = { ...lead, status: to };
      move(client, lead, to).then((isMoved) => {
        if (!isMoved) return;
        toastWithUndo(`${nameOf(lead)} moved to ${statusName(to)}`, () => move(client, moved, lead.status));
      });
    },
    [client],
  );
}

/** The last thing that was asked for each lead, so that what is asked in a row also arrives in a row. */
const turns = new Map<number, Promise<unknown>>();

async function move(client: QueryClient, lead: LeadItem, to: LeadStatus): Promise<boolean> {
  const { lead_id } = lead;
  show(client, lead, to);
  const turn = (turns.get(lead_id) ?? Promise.resolve())
    .catch(() => {})
    .then(() => call('updateLead', { params: { id: lead_id }, body: { status: to } }));
  turns.set(lead_id, turn);
  const isLatest = () => turns.get(lead_id) === turn;
  let isMoved = false;
  try {
    await turn;
    isMoved = true;
    // A list that was on its way meanwhile may still have said otherwise.
    if (isLatest()) show(client, lead, to);
    return isLatest();
  } catch (error) {
    if (isLatest()) show(client, { ...lead, status: to }, lead.status);
    toastProblem(`${nameOf(lead)} was not moved`, error);
    return false;
  } finally {
    if (isLatest()) {
      turns.delete(lead_id);
      // Where it was before is not certain either: the move before may have failed as well.
      if (isMoved) askAgain(client, [lead.status, to]);
      else
        void client.invalidateQueries({
          predicate: ({ queryKey: [name] }) => name === 'leads' || name === 'lead',
        });
    }
  }
}

function show(client: QueryClient, lead: LeadItem, to: LeadStatus): void {
  client.setQueriesData<LeadList>({ queryKey: LISTS }, (list) => list && withStatus(list, lead.lead_id, to));
  // Only those on the screen: they all have the filters that the lead has passed.
  const columns = client.getQueryCache().findAll({ queryKey: COLUMNS, type: 'active' });
  for (const { queryKey } of columns) {
    client.setQueryData<InfiniteData<LeadList>>(queryKey, (column) => {
      const key = queryKey[COLUMNS.length] as ColumnKey;
      if (column === undefined) return column;
      return key.status === to ? withCard(column, { ...lead, status: to }, key) : withoutCard(column, lead);
    });
  }
}

function withStatus(list: LeadList, leadId: number, status: LeadStatus): LeadList {
  if (!list.leads.some((each) => each.lead_id === leadId && each.status !== status)) return list;
  return { ...list, leads: list.leads.map((each) => (each.lead_id === leadId ? { ...each, status } : each)) };
}

type Column = InfiniteData<LeadList>;

function withoutCard(column: Column, { lead_id }: LeadItem): Column {
  if (!holds(column, lead_id)) return column;
  return mapPages(column, ({ leads, total }) => ({
    leads: leads.filter((each) => each.lead_id !== lead_id),
    total: total - 1,
  }));
}

function withCard(column: Column, lead: LeadItem, { sort }: ColumnKey): Column {
  if (holds(column, lead.lead_id)) return column;
  const sizes = column.pages.map(({ leads }) => leads.length);
  const all = column.pages.flatMap(({ leads }) => leads);
  const placed = all.toSpliced(placeAmong(all, lead, sort), 0, lead);
  // The last page takes what there is more.
  let from = 0;
  return mapPages(column, ({ total }, index) => {
    const until = index === sizes.length - 1 ? placed.length : from + (sizes[index] ?? 0);
    const leads = placed.slice(from, until);
    from = until;
    return { leads, total: total + 1 };
  });
}

function holds({ pages }: Column, leadId: number): boolean {
  return pages.some(({ leads }) => leads.some((each) => each.lead_id === leadId));
}

function mapPages(column: Column, change: (page: LeadList, index: number) => LeadList): Column {
  return { ...column, pages: column.pages.map(change) };
}

/**
 * What the service says now. A list by stage has lost or won a lead; any other keeps its leads, and must not move
 * under the eyes of its reader.
 */
function askAgain(client: QueryClient, stages: readonly LeadStatus[]): void {
  client.invalidateQueries({ queryKey: ['leads'], refetchType: 'none' });
  client.invalidateQueries({ queryKey: ['lead'] });
  client.invalidateQueries({
    queryKey: LISTS,
    // What is on its way may have been read before the move.
    predicate: ({ queryKey, state }) =>
      (queryKey[LISTS.length] as LeadFilters).status !== undefined || state.fetchStatus === 'fetching',
  });
  client.invalidateQueries({
    queryKey: COLUMNS,
    predicate: ({ queryKey }) => stages.includes((queryKey[COLUMNS.length] as ColumnKey).status),
  });
}
