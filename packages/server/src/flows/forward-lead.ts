import { AppError } from '../lib/errors.ts';
import type { Store } from '../store/store.ts';
import type { AppSettings } from './app-settings.ts';
import { unknownLead } from './view-lead.ts';

export type ForwardLead = ReturnType<typeof makeForwardLead>;

export type ForwardLeadParts = {
  store: Store;
  settings: AppSettings;
  environment: string;
  now: () => number;
  newId: () => string;
  /** A lead is waiting to be forwarded. */
  onPendingSend: () => void;
  onStored: () => void;
};

/** Sends a lead on request, and returns the id of the delivery. */
export function makeForwardLead(parts: ForwardLeadParts) {
  const { store, settings, environment, now, newId, onPendingSend, onStored } = parts;
  return async ({ id, again }: { id: string; again: boolean }): Promise<string> => {
    const { flowEnabled, flowTarget } = await settings.latest();
    if (!flowEnabled || flowTarget === null) {
      throw forwardingOff();
    }
    const sendPublicId = newId();
    const outcome = await store.forwardLead({ id, again, sendPublicId, environment, now: now() });
    if (outcome === 'unknown') throw unknownLead();
    if (outcome === 'sent') {
      throw new AppError(
        'conflict',
        'This lead has been delivered or is on its way. Send `again: true` to repeat.',
      );
    }
    onStored();
    onPendingSend();
    return sendPublicId;
  };
}

export function forwardingOff(): AppError {
  return new AppError('conflict', 'Forwarding is off. Switch it on in the settings first.');
}
