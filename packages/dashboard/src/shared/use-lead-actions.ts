import type { LeadItem } from '@leadtrail/contract/lead-records';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { ApiProblem, call } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import { toastProblem, toasts } from '../ui/toast.tsx';
import type { LeadList } from './lead-lists.ts';
import { personName } from './person-name.ts';
import type { Keys } from './use-keys.ts';
import { type MoveStage, undoLastMove, useMoveStage } from './use-move-stage.ts';

/** What can be done to a lead by a key, on the list and on its own page. */
export function useLeadActions(): { keysFor: (lead: () => LeadItem | undefined, isAdmin: boolean) => Keys } {
  const client = useQueryClient();
  const moveStage = useMoveStage();
  const keysFor = useCallback(
    (lead: () => LeadItem | undefined, isAdmin: boolean): Keys => {
      const on = (act: (chosen: LeadItem) => void) => () => {
        const chosen = lead();
        if (chosen !== undefined) act(chosen);
      };
      return {
        ...stageKeys(lead, moveStage),
        r: on((chosen) => void markReviewed(client, chosen)),
        ...(isAdmin ? { f: on((chosen) => void forward(client, chosen)) } : {}),
        u: () => void undoLastMove(),
      };
    },
    [client, moveStage],
  );
  return { keysFor };
}

/** A digit for each stage. */
export function stageKeys(lead: () => LeadItem | undefined, move: MoveStage): Keys {
  return Object.fromEntries(
    LEAD_STATUSES.map((status, index) => [
      String(index + 1),
      () => {
        const chosen = lead();
        if (chosen !== undefined) move(chosen, status);
      },
    ]),
  );
}

/** Viewing a lead is what marks it. */
async function markReviewed(client: QueryClient, lead: LeadItem): Promise<void> {
  if (lead.needs_review === 0) return;
  try {
    await call('lead', { params: { id: lead.lead_id } });
  } catch (error) {
    return toastProblem(`${personName(lead)} was not marked as reviewed`, error);
  }
  // The row stays where it is: a list must not move while it is read.
  client.setQueriesData<LeadList>(
    { queryKey: queryKeys.leadLists },
    (list) => list && { ...list, leads: list.leads.map((each) => reviewed(each, lead.lead_id)) },
  );
  void client.invalidateQueries({ queryKey: queryKeys.leadsToReview });
  void client.invalidateQueries({ queryKey: queryKeys.need('review') });
}

function reviewed(lead: LeadItem, leadId: number): LeadItem {
  return lead.lead_id === leadId ? { ...lead, needs_review: 0 } : lead;
}

async function forward(client: QueryClient, lead: LeadItem): Promise<void> {
  try {
    await call('forwardLead', { params: { id: lead.lead_id } });
    toasts.add({ title: `${personName(lead)} is being sent` });
  } catch (error) {
    toastProblem(`${personName(lead)} was not sent`, await whyNotSent(error));
  }
  void client.invalidateQueries({ queryKey: queryKeys.lead(lead.lead_id) });
  void client.invalidateQueries({ queryKey: queryKeys.deliveries });
}

const SENT_BEFORE =
  'It was delivered before, or is on its way. To repeat it, use “Send again with current details” on the lead.';

/** A conflict is one of two: forwarding is off, or the lead was sent before. */
async function whyNotSent(error: unknown): Promise<unknown> {
  if (!(error instanceof ApiProblem) || error.status !== 409) return error;
  try {
    const { flow_enabled, flow_webhook_url } = await call('settings');
    return flow_enabled && flow_webhook_url !== null ? SENT_BEFORE : error;
  } catch {
    return error;
  }
}
