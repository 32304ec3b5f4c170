import type { LeadItem } from '@leadtrail/contract/lead-records';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useIsAdmin } from '../../api/role.ts';
import type { LeadList } from '../../shared/lead-lists.ts';
import { keepQueue, lastOpened, type QueuePage, wantNote } from '../../shared/lead-queue.ts';
import { useKeys } from '../../shared/use-keys.ts';
import { useLeadActions } from '../../shared/use-lead-actions.ts';
import { listOptions, type ScopedSearch } from './queries.ts';
import { LIMIT_DEFAULT } from './search.ts';

const ROW = 'tr[data-lead]';

/** The list as a queue: keys go from row to row and act on the one that has the focus. */
export function useReview(
  search: ScopedSearch,
  list: LeadList | undefined,
  /** The list is still that of the previous search. */
  isStale: boolean,
  onSelect: (leadId: number, isRange: boolean) => void,
): void {
  const isAdmin = useIsAdmin();
  const { keysFor } = useLeadActions();
  const navigate = useNavigate();
  const client = useQueryClient();
  const leads = list?.leads;

  useEffect(() => {
    if (list === undefined || isStale) return;
    const { offset = 0, limit = LIMIT_DEFAULT } = search;
    const load = async (from: number) =>
      queuePage(await client.fetchQuery(listOptions({ ...search, offset: from })), from);
    keepQueue({ ...queuePage(list, offset), limit, load });
  }, [list, isStale, search, client]);
  // Coming back from a lead restores the focus to its row.
  const place = useRef<'unknown' | 'sought' | 'found'>('unknown');
  useEffect(() => {
    if (leads === undefined || place.current === 'found') return;
    const row = document.querySelector(`tr[data-lead="${lastOpened()}"]`);
    // A cached list may lack the lead until it is refetched. Focus that has moved meanwhile is left alone.
    const isFree = place.current === 'unknown' || document.activeElement?.matches('main, body') === true;
    place.current = row === null && isFree ? 'sought' : 'found';
    if (row !== null && isFree) focusRow(row);
  }, [leads]);

  useKeys({
    ...keysFor(() => chosenOf(leads), isAdmin),
    x: () => {
      const lead = chosenOf(leads);
      if (lead !== undefined) onSelect(lead.lead_id, false);
    },
    X: () => {
      const lead = chosenOf(leads);
      if (lead !== undefined) onSelect(lead.lead_id, true);
    },
    n: (event) => {
      const lead = chosenOf(leads);
      if (lead === undefined || !isAdmin) return;
      // Otherwise the letter would be typed into the note.
      event.preventDefault();
      wantNote(lead.lead_id);
      void navigate({ to: '/leads/$leadId', params: { leadId: String(lead.lead_id) } });
    },
    j: (event) => step(event, 1),
    k: (event) => step(event, -1),
    ArrowDown: (event) => currentRow() !== null && step(event, 1),
    ArrowUp: (event) => currentRow() !== null && step(event, -1),
  });
}

function queuePage({ leads, total }: LeadList, offset: number): QueuePage {
  return { leadIds: leads.map(({ lead_id }) => lead_id), offset, total };
}

function currentRow(): Element | null {
  return document.activeElement?.closest(ROW) ?? null;
}

function chosenOf(leads: readonly LeadItem[] | undefined): LeadItem | undefined {
  const leadId = currentRow()?.getAttribute('data-lead');
  return leads?.find(({ lead_id }) => String(lead_id) === leadId);
}

function step(event: KeyboardEvent, by: number): void {
  const rows = [...document.querySelectorAll(ROW)];
  const current = currentRow();
  const index = current === null ? (by > 0 ? 0 : -1) : rows.indexOf(current) + by;
  const row = rows.at(index);
  if (row === undefined || index >= rows.length || (current !== null && index < 0)) return;
  event.preventDefault();
  focusRow(row);
}

function focusRow(row: Element): void {
  row.querySelector<HTMLElement>('a[href]')?.focus();
  row.scrollIntoView({ block: 'nearest' });
}
