import { readEnquiryAgain } from '../domain/leads/enquiry.ts';
import { AppError } from '../lib/errors.ts';
import type { Store } from '../store/store.ts';
import { type CaptureParts, captureOf } from './capture-lead.ts';

export type AcceptLead = ReturnType<typeof makeAcceptLead>;

type Asked = { kind: 'rejected' | 'testing'; id: number; unblock: boolean };

/**
 * Turns a submission that was set aside into a lead, with its
 * original time and IP address, regardless of both lists.
 */
export function makeAcceptLead(parts: CaptureParts & { store: Store }) {
  const { store, settings, now, onStored, onPendingSend } = parts;
  return async ({ kind, id, unblock }: Asked) => {
    const row = await store.readSetAside({ kind, id });
    if (row === null) throw unknown();
    const capture = captureOf(parts, await settings.current(), readEnquiryAgain(row));
    const outcome = await store.acceptSetAside({
      kind,
      id,
      unblock,
      capture: {
        ...capture,
        acceptedAt: now(),
        // The ids that the sender was given. Rows of earlier versions lack them.
        leadPublicId: row.lead_public_id ?? capture.leadPublicId,
        submissionPublicId: row.lead_submission_public_id ?? capture.submissionPublicId,
        // Accepting it is a decision that it is neither a bot nor spam.
        botLeadDetection: false,
        sendRiskMax: null,
      },
      now: now(),
    });
    if (outcome === 'unknown') throw unknown();
    if (outcome === 'accepted_before')
      throw new AppError('conflict', 'This submission has been accepted before.');
    onStored();
    if (outcome.isForwarded) onPendingSend();
    return outcome;
  };
}

function unknown(): AppError {
  return new AppError('not_found', 'There is no such submission.');
}
