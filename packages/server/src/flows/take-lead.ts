import { AppError, unavailable } from '../lib/errors.ts';
import { withTimeout } from '../lib/timeout.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { CaptureOutcome } from '../store/leads/capture.ts';
import type { Capture } from '../store/leads/submission.ts';
import type { Store } from '../store/store.ts';
import type { KnownSenders } from './known-senders.ts';

/** Logged: the lead is on disk, and will be stored when the store is back. */
export type TakenLead =
  | CaptureOutcome
  | { kind: 'logged'; isSiteOrigin: boolean; leadPublicId: string; submissionPublicId: string };

export type TakeLead = {
  (capture: Capture): Promise<TakenLead>;
  /** The store is away or behind: leads go straight to the log. */
  isLogging(): boolean;
};

/** The final share of the time: a transaction that has not committed before it must not commit at all. */
const COMMIT_SHARE = 0.1;

/**
 * Stores a lead, or logs it if the store does not answer in time. While leads wait in the log, later ones are
 * logged as well, to keep their order.
 */
export function makeTakeLead(parts: {
  store: Store;
  leadLog: Inbox;
  senders: KnownSenders;
  /** How long a lead waits for the store. */
  leadMsMax: number;
}): TakeLead {
  const { store, leadLog, senders, leadMsMax } = parts;
  const isLogging = () => leadLog.backlog().records > 0;

  async function take(capture: Capture): Promise<TakenLead> {
    // With a full log, storing out of order beats refusing.
    if (isLogging()) return log(capture).catch(whenUnavailable(() => storeNow(capture)));
    const storing = storeNow(capture);
    const late = () => unavailable('The store does not answer in time.');
    const inTime: Promise<TakenLead> = withTimeout(storing, leadMsMax, late);
    // It may have been stored after all; its id then prevents a duplicate.
    return inTime.catch(whenUnavailable(() => log(capture).catch(whenUnavailable(() => storing))));
  }

  function storeNow(capture: Capture): Promise<CaptureOutcome> {
    return store.captureLead({ ...capture, deadline: Date.now() + leadMsMax * (1 - COMMIT_SHARE) });
  }

  async function log(capture: Capture): Promise<TakenLead> {
    const { enquiry } = capture;
    const decision = senders.decide(enquiry);
    if (decision === undefined) throw unavailable('The store is not available.');
    const isSiteOrigin = enquiry.origin !== null && senders.isSiteOrigin(enquiry.origin);
    if (decision.kind === 'refused') return { ...decision, isSiteOrigin };
    await leadLog.append(JSON.stringify(capture));
    const { leadPublicId, submissionPublicId } = capture;
    return { kind: 'logged', isSiteOrigin, leadPublicId, submissionPublicId };
  }

  return Object.assign(take, { isLogging });
}

function whenUnavailable(otherwise: () => Promise<TakenLead>): (error: unknown) => Promise<TakenLead> {
  return (error) =>
    error instanceof AppError && error.code === 'unavailable' ? otherwise() : Promise.reject(error);
}
