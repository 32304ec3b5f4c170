import type { SkipReason } from '@leadtrail/contract/bulk-leads';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import type { LeadStatus } from '@leadtrail/contract/lead-status';
import { BULK_LEADS_MAX } from '@leadtrail/contract/limits';
import type { LeadFilter } from '../domain/leads/lead-listing.ts';
import { AppError, reasonOf } from '../lib/errors.ts';
import type { Log } from '../ports/log.ts';
import type { MoveConditions } from '../store/leads/change.ts';
import type { Store } from '../store/store.ts';
import type { AppSettings } from './app-settings.ts';
import { type ForwardLead, forwardingOff } from './forward-lead.ts';
import { takeInFor } from './list-leads.ts';
import type { UpdateLead } from './update-lead.ts';

export type ChangeLeads = ReturnType<typeof makeChangeLeads>;

export type LeadsMeant =
  | { ids: readonly number[] }
  | { filter: LeadFilter & { q: string }; before?: number | undefined };

export type LeadsChange =
  | ({ action: 'stage'; status: LeadStatus; by: 'admin' | 'marketing' } & MoveConditions)
  | { action: 'review' }
  | { action: 'forward'; again: boolean };

type Outcome = 'done' | SkipReason;

/** Each lead is changed in a transaction of its own; this many run concurrently. */
const AT_ONCE = 8;

/** Applies one change to many leads, and reports for each what was done, or why it was skipped. */
export function makeChangeLeads(parts: {
  store: Store;
  settings: AppSettings;
  updateLead: UpdateLead;
  forwardLead: ForwardLead;
  now: () => number;
  log: Log;
  onStored: () => void;
}) {
  const { store, settings, updateLead, forwardLead, now, log, onStored } = parts;

  return async (meant: LeadsMeant, change: LeadsChange) => {
    if (change.action === 'forward') await assertForwarding();
    const { leads, unknown, nextBefore } = await find(meant);
    const outcomes = await changeEach(leads, change);
    if (change.action === 'review') onStored();
    const done = leads.filter(({ lead_id }) => outcomes.get(lead_id) === 'done');
    return {
      done: done.length,
      moved: change.action === 'stage' ? done.map(({ lead_id, status }) => ({ lead_id, from: status })) : [],
      skipped: [
        ...leads.flatMap(({ lead_id }) => {
          const reason = outcomes.get(lead_id) ?? 'failed';
          return reason === 'done' ? [] : [{ lead_id, reason }];
        }),
        ...unknown.map((lead_id) => ({ lead_id, reason: 'unknown' as const })),
      ],
      next_before: nextBefore,
    };
  };

  async function assertForwarding(): Promise<void> {
    const { flowEnabled, flowTarget } = await settings.latest();
    if (!flowEnabled || flowTarget === null) throw forwardingOff();
  }

  async function find(meant: LeadsMeant) {
    if ('ids' in meant) {
      const leadIds = [...new Set(meant.ids)];
      const leads = await store.leadsById({ leadIds });
      const found = new Set(leads.map(({ lead_id }) => lead_id));
      return { leads, unknown: leadIds.filter((leadId) => !found.has(leadId)), nextBefore: null };
    }
    const { filter, before = Number.MAX_SAFE_INTEGER } = meant;
    await takeInFor(store, filter);
    const leads = await store.leadsBefore({ ...filter, before, limit: BULK_LEADS_MAX });
    const isMore = leads.length === BULK_LEADS_MAX;
    return { leads, unknown: [], nextBefore: isMore ? (leads.at(-1)?.lead_id ?? null) : null };
  }

  /**
   * The first lead goes alone: if it fails for an outside reason,
   * nothing has been done and the caller may retry.
   */
  async function changeEach(leads: readonly LeadItem[], change: LeadsChange): Promise<Map<number, Outcome>> {
    const outcomes = new Map<number, Outcome>();
    const [first, ...others] = leads;
    if (first !== undefined) outcomes.set(first.lead_id, await changeOne(first, change));
    const left = others.values();
    const some = async () => {
      for (const lead of left) {
        try {
          outcomes.set(lead.lead_id, await changeOne(lead, change));
        } catch (error) {
          log.warn('lead not changed', { action: change.action, reason: reasonOf(error) });
          outcomes.set(lead.lead_id, 'failed');
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, some));
    return outcomes;
  }

  async function changeOne(lead: LeadItem, change: LeadsChange): Promise<Outcome> {
    const id = String(lead.lead_id);
    switch (change.action) {
      case 'stage': {
        const { action: _action, ...move } = change;
        if (lead.status === move.status) return 'unchanged';
        return outcomeOf(() => updateLead({ id, ...move }), {
          not_found: 'unknown',
          conflict: 'changed_meanwhile',
        });
      }
      case 'review': {
        if (lead.needs_review === 0) return 'unchanged';
        const { lead_id: leadId, follow_ups_count: followUps } = lead;
        return (await store.markLeadSeen({ leadId, followUps, now: now() })) ? 'done' : 'changed_meanwhile';
      }
      case 'forward': {
        const { again } = change;
        return outcomeOf(() => forwardLead({ id, again }), {
          not_found: 'unknown',
          conflict: 'already_sent',
        });
      }
    }
  }
}

/** Translates the refusal of one lead into its outcome in a bulk change. */
async function outcomeOf(
  act: () => Promise<unknown>,
  refusals: Partial<Record<AppError['code'], SkipReason>>,
): Promise<Outcome> {
  try {
    await act();
    return 'done';
  } catch (error) {
    const reason = error instanceof AppError ? refusals[error.code] : undefined;
    if (reason === undefined) throw error;
    return reason;
  }
}
