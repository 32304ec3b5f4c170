import type { LeadStatus } from '@leadtrail/contract/lead-status';
import { AppError } from '../lib/errors.ts';
import type { MoveConditions } from '../store/leads/change.ts';
import type { Store } from '../store/store.ts';
import type { AppSettings } from './app-settings.ts';
import { unknownLead } from './view-lead.ts';

export type UpdateLead = ReturnType<typeof makeUpdateLead>;

type LeadUpdate = {
  id: string;
  status?: LeadStatus;
  value?: number | null;
  by: 'admin' | 'marketing';
} & MoveConditions;

/** Moves a lead to a stage or sets its value, and notifies the automation platform if that is enabled. */
export function makeUpdateLead(parts: {
  store: Store;
  settings: AppSettings;
  now: () => number;
  newId: () => string;
  onPendingSend: () => void;
  onStored: () => void;
}) {
  const { store, settings, now, newId, onPendingSend, onStored } = parts;
  return async (update: LeadUpdate): Promise<void> => {
    const { flowEnabled, flowTarget, flowSendStageChanges } = await settings.current();
    const isSending = flowSendStageChanges && flowEnabled && flowTarget !== null;
    const stageSendId = isSending ? newId() : null;
    const change = { ...update, stageSendId, now: now() };
    const outcome = await (isSending ? store.updateLeadAndTell(change) : store.updateLead(change));
    if (outcome === 'unknown') throw unknownLead();
    if (outcome === 'elsewhere')
      throw new AppError('conflict', 'The lead has been moved to another stage meanwhile.');
    onStored();
    if (outcome === 'sending') onPendingSend();
  };
}
