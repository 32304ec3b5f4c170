import type { SkipReason } from '@leadtrail/contract/bulk-leads';
import type { LeadStatus } from '@leadtrail/contract/lead-status';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { currentKey } from '../../api/key.ts';
import { type LeadFilters, queryKeys } from '../../api/query-keys.ts';
import { counted, formatNumber } from '../../format.ts';
import { offerUndo } from '../../shared/use-move-stage.ts';
import { statusName } from '../../ui/status-badge.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';

export type BulkAction =
  | { action: 'stage'; status: LeadStatus; from?: LeadStatus; undo?: true }
  | { action: 'review' }
  | { action: 'forward' };
/** Some leads, or all that match. */
export type Meant = { ids: readonly number[] } | { filter: LeadFilters };

type Moved = { lead_id: number; from: LeadStatus };
type Result = { done: number; moved: Moved[]; skipped: { reason: SkipReason }[] };

/** The service's limit per request. */
const IDS_AT_ONCE = 1000;

/** Applies an action to many leads and reports what was done and what was skipped. */
export function useBulk({ onDone }: { onDone: () => void }) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ meant, act }: { meant: Meant; act: BulkAction }) => doAll(meant, act),
    onMutate: () => ({ key: currentKey() }),
    onSuccess(result, { act }, { key }) {
      // The next viewer must not see this message, nor be able to undo.
      if (currentKey() !== key) return;
      onDone();
      tell(client, result, act);
    },
    onError: (error) => toastProblem('Not all leads were changed', error),
    onSettled: () => refresh(client),
  });
}

async function doAll(meant: Meant, act: BulkAction): Promise<Result> {
  const result: Result = { done: 0, moved: [], skipped: [] };
  for await (const { done, moved, skipped } of steps(meant, act)) {
    result.done += done;
    result.moved.push(...moved);
    result.skipped.push(...skipped);
  }
  return result;
}

async function* steps(meant: Meant, act: BulkAction): AsyncIterable<Result> {
  if ('ids' in meant) {
    for (let from = 0; from < meant.ids.length; from += IDS_AT_ONCE) {
      yield await call('bulkLeads', { body: { ids: meant.ids.slice(from, from + IDS_AT_ONCE), ...act } });
    }
    return;
  }
  let before: number | null = null;
  do {
    const answer: Result & { next_before: number | null } = await call('bulkLeads', {
      body: { filter: meant.filter, ...(before === null ? {} : { before }), ...act },
    });
    yield answer;
    before = answer.next_before;
  } while (before !== null);
}

function tell(client: QueryClient, { done, moved, skipped }: Result, act: BulkAction): void {
  const title = [doneText(done, act), ...skippedTexts(skipped, act)].join('; ');
  if (act.action !== 'stage' || moved.length === 0) return void toasts.add({ title });
  offerUndo(title, () => void takeBack(client, moved, act.status));
}

function doneText(done: number, act: BulkAction): string {
  const leads = counted(done, 'lead');
  if (act.action === 'stage') return `${leads} moved to ${statusName(act.status)}`;
  return act.action === 'review' ? `${leads} marked as reviewed` : `${leads} being sent`;
}

const REASONS: Readonly<Record<SkipReason, string>> = {
  unknown: 'no longer there',
  unchanged: 'unchanged',
  changed_meanwhile: 'changed in the meantime',
  already_sent: 'already sent',
  failed: 'failed',
};

function skippedTexts(skipped: Result['skipped'], { action }: Pick<BulkAction, 'action'>): string[] {
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(
    ([reason, those]) => `${formatNumber(those.length)} ${reasonText(reason, action)}`,
  );
}

function reasonText(reason: SkipReason, action: BulkAction['action']): string {
  return reason === 'changed_meanwhile' && action === 'review'
    ? 'followed up in the meantime'
    : REASONS[reason];
}

/** Leads that a colleague has moved since then are skipped. */
async function takeBack(client: QueryClient, moved: readonly Moved[], from: LeadStatus): Promise<void> {
  const action = 'stage';
  try {
    let done = 0;
    const skipped: Result['skipped'] = [];
    for (const [status, those] of Map.groupBy(moved, (each) => each.from)) {
      const ids = those.map(({ lead_id }) => lead_id);
      const result = await doAll({ ids }, { action, status, from, undo: true });
      done += result.done;
      skipped.push(...result.skipped);
    }
    const texts = [`${counted(done, 'lead')} moved back`, ...skippedTexts(skipped, { action })];
    toasts.add({ title: texts.join('; ') });
  } catch (error) {
    toastProblem('Not all leads were moved back', error);
  } finally {
    refresh(client);
  }
}

function refresh(client: QueryClient): void {
  for (const queryKey of [queryKeys.leads, queryKeys.anyLead, queryKeys.deliveries, queryKeys.need('review')])
    void client.invalidateQueries({ queryKey });
}
