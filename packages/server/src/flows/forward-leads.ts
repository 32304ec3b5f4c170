import { isDelivered } from '../domain/delivery/retry-delay.ts';
import { sentenceFor } from '../domain/delivery/send-result.ts';
import { reasonOf } from '../lib/errors.ts';
import { withTimeout } from '../lib/timeout.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Webhook, WebhookOutcome, WebhookTarget } from '../ports/webhook.ts';
import type { ClaimedSend, SendAttempt, SendClaim } from '../store/flow-sends/deliver.ts';
import type { Store } from '../store/store.ts';
import type { AppSettings } from './app-settings.ts';
import { startLoop, type Turn } from './background-loop.ts';

const SENDS_AT_ONCE_MAX = 32;
/** For a whole attempt: above the timeout of a webhook. */
const ATTEMPT_MS_MAX = 20 * SECOND_MS;
/** After this long, other processes take over the claims of one that has died. */
const LEASE_MS = 30 * SECOND_MS;
/** How often to look for deliveries that other processes have left behind. */
const POLL_MS = SECOND_MS;
/** Another process may be claiming what is due at this moment. */
const LOOK_AGAIN_MS = 50;
const BACKOFF = { minMs: SECOND_MS, maxMs: SECOND_MS };
const STOP_FINISH_MS = 1500;
const STOP_RELEASE_MS = 500;

/** Webhooks never reject; if one does, it must not crash the service. */
const NOT_SENT: WebhookOutcome = {
  statusCode: null,
  result: 'failed',
  error: sentenceFor('failed'),
  retryAfter: undefined,
  durationMs: 0,
  answer: '',
};

export type Forwarding = {
  /** A delivery has become due. */
  nudge(): void;
  /** Resolves when nothing is in flight and nothing that may be sent is due. */
  settled(): Promise<void>;
  /** Waits briefly for requests in flight; those cut off do not count as attempts. */
  stop(): Promise<void>;
};

/**
 * Delivers new leads to the automation platform. The store knows what is due when, and leases each delivery
 * to one process at a time.
 */
export function startForwarding(parts: {
  store: Store;
  settings: AppSettings;
  /** False: deliveries stay pending. */
  isForwarding: boolean;
  webhook: Webhook;
  now: () => number;
  random: () => number;
  log: Log;
  metrics: Metrics;
  /** The outcome of a delivery is stored. */
  onOutcome: () => void;
}): Forwarding {
  const { store, settings, webhook, now, random, log } = parts;
  const inFlight = new Map<string, Promise<void>>();
  const cutOffSends: SendClaim[] = [];
  const stopping = new AbortController();
  const cuttingOff = new AbortController();
  const recorder = startRecorder({ ...parts, stopping: stopping.signal, onRecorded });
  const loop = startLoop({
    step,
    backoff: BACKOFF,
    onFailure: logFirst(log, 'sends cannot be taken'),
  });

  function onRecorded(): void {
    loop.nudge();
    parts.onOutcome();
  }

  async function step({ idle }: Turn): Promise<void> {
    const target = await currentTarget();
    const free = SENDS_AT_ONCE_MAX - inFlight.size;
    if (target === null || free === 0) await idle(POLL_MS);
    else if (!(await takeDue(target, free))) await untilDue(idle);
  }

  async function currentTarget(): Promise<WebhookTarget | null> {
    if (!parts.isForwarding) return null;
    const { flowEnabled, flowTarget } = await settings.current();
    return flowEnabled ? flowTarget : null;
  }

  /** False: nothing was due. */
  async function takeDue(target: WebhookTarget, max: number): Promise<boolean> {
    const claimedAt = now();
    const claimed = await store.claimSends({ now: claimedAt, leaseMs: LEASE_MS, max });
    const isTooLate = now() + ATTEMPT_MS_MAX > claimedAt + LEASE_MS;
    if (isTooLate || stopping.signal.aborted) await release(claimed);
    else for (const send of claimed) start(send, target);
    return claimed.length > 0;
  }

  /** Waits for a nudge, or until the next delivery is due. */
  async function untilDue(idle: Turn['idle']): Promise<void> {
    let wait = LOOK_AGAIN_MS;
    while (wait > 0 && !(await idle(wait))) {
      const dueAt = await store.nextSendDueAt({ now: now() });
      wait = dueAt === null ? POLL_MS : Math.min(dueAt - now(), POLL_MS);
    }
  }

  function start(send: ClaimedSend, target: WebhookTarget): void {
    // During a long outage of the store our own lease expired before the attempt could be recorded.
    if (inFlight.has(send.id)) return;
    inFlight.set(
      send.id,
      deliver(send, target).then(() => void inFlight.delete(send.id)),
    );
  }

  async function deliver({ id, claimedUntil, body }: ClaimedSend, target: WebhookTarget): Promise<void> {
    const startedAt = now();
    const outcome = await webhook
      .send(target, { id, body, at: startedAt }, cuttingOff.signal)
      .catch(() => NOT_SENT);
    if (outcome.statusCode === null && cuttingOff.signal.aborted) cutOffSends.push({ id, claimedUntil });
    else await recorder.record({ id, claimedUntil, startedAt, endedAt: now(), random: random(), ...outcome });
  }

  async function release(claims: readonly SendClaim[]): Promise<void> {
    if (claims.length === 0) return;
    // If this fails, the leases expire.
    await store
      .releaseSends({ claims: claims.map(({ id, claimedUntil }) => ({ id, claimedUntil })) })
      .catch(() => undefined);
  }

  return {
    nudge: loop.nudge,
    async settled() {
      do {
        await Promise.all(inFlight.values());
        loop.nudge();
        await loop.settled();
      } while (inFlight.size > 0);
    },
    async stop() {
      stopping.abort();
      const ended = loop.stop().then(() => Promise.all(inFlight.values()));
      await withTimeout<unknown>(ended, STOP_FINISH_MS, () => undefined);
      cuttingOff.abort();
      const released = ended.then(() => release(cutOffSends));
      await withTimeout(released, STOP_RELEASE_MS, () => undefined);
      void recorder.stop();
    },
  };
}

type Recorder = { record(attempt: SendAttempt): Promise<void>; stop(): Promise<void> };

/** Records attempts in batches: those that end during a write share the next one. */
function startRecorder(parts: {
  store: Store;
  log: Log;
  metrics: Metrics;
  stopping: AbortSignal;
  onRecorded: () => void;
}): Recorder {
  const { store, log, metrics, stopping, onRecorded } = parts;
  const waiting: { attempt: SendAttempt; done: () => void }[] = [];
  let batchMax = SENDS_AT_ONCE_MAX;
  const logFailure = logFirst(log, 'attempts cannot be recorded');
  const loop = startLoop({
    async step({ idle }) {
      if (waiting.length === 0) {
        batchMax = SENDS_AT_ONCE_MAX;
        return idle();
      }
      const batch = waiting.splice(0, batchMax);
      try {
        await recordTogether(batch.map(({ attempt }) => attempt));
      } catch (error) {
        // One at a time from now on, so that a single attempt that
        // cannot be recorded does not block the others.
        batchMax = 1;
        waiting.push(...batch);
        throw error;
      }
      for (const { done } of batch) done();
      onRecorded();
    },
    backoff: BACKOFF,
    onFailure(error, failures) {
      logFailure(error, failures);
      // Unrecorded attempts are sent again under the same id.
      if (stopping.aborted) for (const { done } of waiting.splice(0)) done();
    },
  });

  async function recordTogether(attempts: readonly SendAttempt[]): Promise<void> {
    const givenUp = new Set(await store.recordAttempts({ attempts }));
    for (const { id, statusCode, error } of attempts) {
      const failed = givenUp.has(id);
      if (failed) log.warn('lead not forwarded', { flow_send: id, reason: error });
      metrics.deliveryTried(isDelivered(statusCode) ? 'delivered' : failed ? 'failed' : 'retry');
    }
  }

  return {
    record(attempt) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ attempt, done: resolve });
      loop.nudge();
      return promise;
    },
    stop: loop.stop,
  };
}

/** Logs the first of consecutive failures only. */
function logFirst(log: Log, message: string): (error: unknown, failures: number) => void {
  return (error, failures) => {
    if (failures === 1) log.error(message, { reason: reasonOf(error) });
  };
}
