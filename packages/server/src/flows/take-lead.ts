import { AppError, unavailable } from '../lib/errors.ts';
import { withTimeout } from '../lib/timeout.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { CaptureOutcome } from '../store/leads/capture.ts';
import type { Capture } from '../store/leads/submission.ts';
import type { Store } from '../store/store.ts';
import type { KnownSenders } from './known-senders.ts';

/** Logged: it is on disk, and becomes a lead when the store is back. */
export type TakenLead =
  | CaptureOutcome
  | { kind: 'logged'; isSiteOrigin: boolean; leadPublicId: string; submissionPublicId: string };

export type TakeLead = {
  (capture: Capture): Promise<TakenLead>;
  /** The store is away or behind: leads go to the log, without asking it first. */
  isLogging(): boolean;
};

/** The last part of the time: what has not been committed by then must not be any more. */
const COMMIT_SHARE = 0.1;

/**
 * Stores a lead, or logs it where the store does not answer in time. For as long as leads wait in the log, later ones
 * follow them, so that they are stored in the order in which they came.
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
    // Where the log is full, it is better to be out of order than refused.
    if (isLogging()) return log(capture).catch(whenUnavailable(() => storeNow(capture)));
    const storing = storeNow(capture);
    const late = () => unavailable('The store does not answer in time.');
    const inTime: Promise<TakenLead> = withTimeout(storing, leadMsMax, late);
    // It may have been stored all the same; then its id keeps it from being stored again.
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
