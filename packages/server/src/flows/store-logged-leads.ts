import { identityKey } from '../domain/leads/lead-identity.ts';
import { AppError, reasonOf } from '../lib/errors.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Log } from '../ports/log.ts';
import type { LeadOutcome, Metrics } from '../ports/metrics.ts';
import type { CaptureOutcome } from '../store/leads/capture.ts';
import type { Capture } from '../store/leads/submission.ts';
import type { Store } from '../store/store.ts';
import { startLoop } from './background-loop.ts';
import type { Ingest } from './ingest-tracking.ts';
import { untilEmpty } from './until-empty.ts';

const BATCH_LEADS_MAX = 200;
/** Fewer than the connections for writes, so that new leads do not have to wait for them. */
const LEADS_AT_ONCE = 8;
const BACKOFF = { minMs: 100, maxMs: 1000 };
/** How often one lead may fail for a reason that is not temporary. */
const FAILURES_MAX = 3;

/**
 * Stores logged leads. Idempotent by their ids: the process may die before it releases a stored lead, or the
 * answer of the store may get lost.
 */
export function startStoringLoggedLeads(parts: {
  leadLog: Inbox;
  store: Store;
  log: Log;
  metrics: Metrics;
  onStored: () => void;
  onPendingSend: () => void;
}): Ingest {
  const { leadLog, store, log, metrics } = parts;
  const failuresOf = new Map<string, number>();
  const loop = startLoop({
    async step({ idle }) {
      const batch = await leadLog.take(BATCH_LEADS_MAX);
      if (batch === undefined) {
        await idle();
        return;
      }
      const lines = Buffer.from(batch.lines).toString().trimEnd().split('\n');
      const leads = lines.map((line): Capture => ({ ...JSON.parse(line), isLogged: true }));
      await storeAll(leads);
      await leadLog.release(batch.epoch, batch.lastSequence);
      failuresOf.clear();
    },
    backoff: BACKOFF,
    onFailure(error, failures) {
      // One line per outage, however often it is tried.
      if (failures === 1) log.warn('logged leads wait for the store', { reason: reasonOf(error) });
    },
  });
  leadLog.onAppended(loop.nudge);

  /** Begun in the order in which they came. After a failure none is begun, so that no later lead gets ahead. */
  async function storeAll(leads: readonly Capture[]): Promise<void> {
    const previousOf = new Map(chainsOf(leads).flatMap(withPrevious));
    const waiting = [...leads];
    const storing = new Map<Capture | undefined, Promise<void>>();
    const workers = Array.from({ length: LEADS_AT_ONCE }, async () => {
      for (let lead = waiting.shift(); lead !== undefined; lead = waiting.shift()) {
        const stored = storeAfter(storing.get(previousOf.get(lead)), lead);
        storing.set(lead, stored);
        await stored.catch((error: unknown) => {
          waiting.length = 0;
          throw error;
        });
      }
    });
    const outcomes = await Promise.allSettled(workers);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async function storeAfter(previous: Promise<void> | undefined, lead: Capture): Promise<void> {
    await previous;
    await storeOne(lead);
  }

  async function storeOne(lead: Capture): Promise<void> {
    const outcome = await store.captureLead(lead).catch((error: unknown) => keepAnyway(lead, error));
    metrics.leadSubmitted(countedAs(outcome));
    if ('isKept' in outcome && !outcome.isKept) metrics.dropped('set_aside_over_limit');
    if (outcome.kind !== 'stored') return;
    parts.onStored();
    if (outcome.isForwarded) parts.onPendingSend();
  }

  /**
   * Sets the lead aside, where it can be seen and accepted by hand: a
   * single lead must not block the others forever.
   */
  async function keepAnyway(lead: Capture, error: unknown): Promise<CaptureOutcome> {
    const failures = (failuresOf.get(lead.submissionPublicId) ?? 0) + 1;
    failuresOf.set(lead.submissionPublicId, failures);
    const isTemporary = error instanceof AppError && error.code === 'unavailable';
    if (isTemporary || failures < FAILURES_MAX) throw error;
    log.error('logged lead cannot be stored and is set aside', { reason: reasonOf(error) });
    return store.setAsideLogged(lead);
  }

  return {
    settled: () => untilEmpty(leadLog, loop),
    drain(timeoutMs) {
      loop.hurry();
      return untilEmpty(leadLog, loop, performance.now() + timeoutMs);
    },
    stop: loop.stop,
  };
}

function withPrevious(chain: readonly Capture[]): [Capture, Capture | undefined][] {
  return chain.map((lead, position) => [lead, chain[position - 1]]);
}

/**
 * Groups leads that share an identity: they may be one person's, so they
 * are stored in order, and all other leads concurrently. The IP address
 * counts only for leads without other identities, because many people may
 * share it, and where a filled honeypot may block it for those that follow.
 */
export function chainsOf(leads: readonly Capture[]): Capture[][] {
  const trapped = new Set(
    leads.filter(({ enquiry }) => enquiry.form.honeypot !== '').map(({ enquiry }) => enquiry.ip),
  );
  /** Union-find: for each lead an earlier one of its chain, or itself. */
  const before = leads.map((_, position) => position);
  const firstOf = (position: number): number => {
    const previous = before[position] as number;
    return previous === position ? position : firstOf(previous);
  };
  const latestWith = new Map<string, number>();
  for (const [position, lead] of leads.entries()) {
    const addresses = [lead.enquiry.callerIp, lead.enquiry.ip].filter((ip) => trapped.has(ip));
    for (const key of [...personalKeys(lead), ...addresses]) {
      const other = firstOf(latestWith.get(key) ?? position);
      const own = firstOf(position);
      before[Math.max(other, own)] = Math.min(other, own);
      latestWith.set(key, position);
    }
  }
  return [...Map.groupBy(leads.keys(), firstOf).values()].map((positions) =>
    positions.map((position) => leads[position] as Capture),
  );
}

function personalKeys({ enquiry: { identities } }: Capture): string[] {
  const personal = identities.filter(({ kind }) => kind !== 'ip');
  return (personal.length > 0 ? personal : identities).map(identityKey);
}

function countedAs(outcome: CaptureOutcome): LeadOutcome {
  if (outcome.kind !== 'stored') return outcome.kind;
  return outcome.isPrimary ? 'primary' : 'follow_up';
}
