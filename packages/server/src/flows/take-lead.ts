import { IDEMPOTENCY_KEPT_MS } from '../domain/leads/idempotency.ts';
import { AppError, unavailable } from '../lib/errors.ts';
import { makeLru } from '../lib/lru.ts';
import { withTimeout } from '../lib/timeout.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { CaptureOutcome } from '../store/leads/capture.ts';
import type { AnsweredIds } from '../store/leads/idempotency.ts';
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
/** Some 4 MiB. */
const KEYED_ANSWERS_MAX = 10_000;

type KeyedAnswer = { bodyHash: string; at: number; ids: Promise<AnsweredIds> };

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
  /** Latest answers by idempotency key, for while the store cannot be asked. Those of before a restart are missing. */
  const keyed = makeLru<KeyedAnswer>({ entriesMax: KEYED_ANSWERS_MAX });

  async function take(capture: Capture): Promise<TakenLead> {
    // With a full log, storing out of order beats refusing.
    if (isLogging()) return log(capture).catch(whenUnavailable(() => storeNow(capture)));
    const storing = storeNow(capture);
    const late = () => unavailable('The store does not answer in time.');
    const inTime: Promise<TakenLead> = withTimeout(storing, leadMsMax, late);
    // It may have been stored after all; its id then prevents a duplicate.
    return inTime.catch(whenUnavailable(() => log(capture).catch(whenUnavailable(() => storing))));
  }

  async function storeNow(capture: Capture): Promise<CaptureOutcome> {
    const deadline = Date.now() + leadMsMax * (1 - COMMIT_SHARE);
    const outcome = await store.captureLead({ ...capture, deadline });
    if (outcome.kind !== 'refused') {
      const { leadPublicId, submissionPublicId } = outcome;
      keepAnswer(capture, Promise.resolve({ leadPublicId, submissionPublicId }));
    }
    return outcome;
  }

  async function log(capture: Capture): Promise<TakenLead> {
    const { enquiry } = capture;
    const decision = senders.decide(enquiry);
    if (decision === undefined) throw unavailable('The store is not available.');
    const isSiteOrigin = enquiry.origin !== null && senders.isSiteOrigin(enquiry.origin);
    if (decision.kind === 'refused') return { ...decision, isSiteOrigin };
    const before = answerOf(capture);
    if (before !== undefined) {
      if (before.bodyHash === enquiry.idempotency?.bodyHash)
        return { kind: 'repeated', isSiteOrigin, ...(await before.ids) };
      return { kind: 'refused', reason: 'idempotency_key_reused', isSiteOrigin };
    }
    const { leadPublicId, submissionPublicId } = capture;
    const logged = leadLog.append(JSON.stringify(capture)).then(() => ({ leadPublicId, submissionPublicId }));
    keepAnswer(capture, logged);
    return { kind: 'logged', isSiteOrigin, ...(await logged) };
  }

  function answerOf({ enquiry }: Pick<Capture, 'enquiry'>): KeyedAnswer | undefined {
    const key = answerKey(enquiry);
    const known = key === null ? undefined : keyed.get(key);
    return known !== undefined && known.at > enquiry.at - IDEMPOTENCY_KEPT_MS ? known : undefined;
  }

  function keepAnswer({ enquiry }: Capture, ids: Promise<AnsweredIds>): void {
    const key = answerKey(enquiry);
    // A repeated answer does not begin another 24 hours.
    if (key === null || enquiry.idempotency === null || answerOf({ enquiry }) !== undefined) return;
    keyed.set(key, { bodyHash: enquiry.idempotency.bodyHash, at: enquiry.at, ids });
    ids.catch(() => keyed.delete(key));
  }

  return Object.assign(take, { isLogging });
}

function whenUnavailable(otherwise: () => Promise<TakenLead>): (error: unknown) => Promise<TakenLead> {
  return (error) =>
    error instanceof AppError && error.code === 'unavailable' ? otherwise() : Promise.reject(error);
}

/** Null: without a usable idempotency key. */
function answerKey({ keyHash, idempotency }: Capture['enquiry']): string | null {
  return keyHash !== null && idempotency?.isUsable ? `${keyHash}\n${idempotency.keyHash}` : null;
}
