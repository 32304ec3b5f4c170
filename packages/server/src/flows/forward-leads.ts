import { setTimeout as sleep } from 'node:timers/promises';
import { isDelivered } from '../domain/delivery/retry-delay.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Webhook, WebhookOutcome, WebhookTarget } from '../ports/webhook.ts';
import type { ClaimedSend, SendAttempt, SendClaim } from '../store/flow-sends/deliver.ts';
import type { Store } from '../store/store.ts';
import type { AppSettings } from './app-settings.ts';

const SENDS_AT_ONCE_MAX = 32;
/** For a whole attempt: longer than a webhook takes at most. */
const ATTEMPT_MS_MAX = 20 * SECOND_MS;
/** When the claims of a process that has died run out. */
const CLAIM_MS = 30 * SECOND_MS;
/** How often to look for what other processes have left behind. */
const POLL_MS = SECOND_MS;
/** Another process may just be taking what is due. */
const LOOK_AGAIN_MS = 50;
const RETRY_MS = SECOND_MS;
const STOP_FINISH_MS = 1500;
const STOP_GIVE_BACK_MS = 500;

/** Webhooks answer whatever happens; should one fail all the same, it must not take the service with it. */
const NOT_SENT: WebhookOutcome = {
  statusCode: null,
  error: 'The message could not be sent.',
  retryAfter: undefined,
  durationMs: 0,
  answer: '',
};

export type Forwarding = {
  /** Something has become due. */
  nudge(): void;
  /** Resolves when nothing is on its way and nothing that may be sent is due. */
  settled(): Promise<void>;
  /** Lets what is on its way arrive, but not for long; what is cut off has not been tried. */
  stop(): Promise<void>;
};

/**
 * Brings new leads to the automation platform for as long as the service runs. The store knows what is to be
 * sent and when, and lends each send to one process at a time; this only carries it there and reports.
 */
export function startForwarding(parts: {
  store: Store;
  settings: AppSettings;
  webhook: Webhook;
  now: () => number;
  random: () => number;
  log: Log;
  metrics: Metrics;
}): Forwarding {
  const { store, settings, webhook, now, random, log, metrics } = parts;
  const onItsWay = new Map<string, Promise<void>>();
  const cutOffSends: SendClaim[] = [];
  const stopping = new AbortController();
  const cuttingOff = new AbortController();
  const alarm = makeAlarm();
  const trouble = makeTrouble('sends cannot be taken', log, stopping.signal);
  const record = makeRecorder({
    store,
    log,
    metrics,
    trouble: makeTrouble('attempts cannot be recorded', log, stopping.signal),
    onRecorded: alarm.ring,
  });
  const finished = run();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const target = await currentTarget();
        const free = SENDS_AT_ONCE_MAX - onItsWay.size;
        if (target === null || free === 0) await alarm.within(POLL_MS);
        else if (!(await takeDue(target, free))) await untilDue();
        trouble.passed();
      } catch (error) {
        await trouble.met(error);
      }
    }
  }

  async function currentTarget(): Promise<WebhookTarget | null> {
    const { flowEnabled, flowTarget } = await settings.current();
    return flowEnabled ? flowTarget : null;
  }

  /** False: nothing was due. */
  async function takeDue(target: WebhookTarget, max: number): Promise<boolean> {
    const claimedAt = now();
    const claimed = await store.claimSends({ now: claimedAt, leaseMs: CLAIM_MS, max });
    const isTooLate = now() + ATTEMPT_MS_MAX > claimedAt + CLAIM_MS;
    if (isTooLate || stopping.signal.aborted) await giveBack(claimed);
    else for (const send of claimed) start(send, target);
    return claimed.length > 0;
  }

  /** Until somebody says so, or until the time of the next one has come. */
  async function untilDue(): Promise<void> {
    let wait = LOOK_AGAIN_MS;
    while (wait > 0 && !(await alarm.within(wait))) {
      const dueAt = await store.nextSendDueAt({ now: now() });
      wait = dueAt === null ? POLL_MS : Math.min(dueAt - now(), POLL_MS);
    }
  }

  function start(send: ClaimedSend, target: WebhookTarget): void {
    // The store was away for so long that our own claim has run out before we could report.
    if (onItsWay.has(send.id)) return;
    onItsWay.set(
      send.id,
      deliver(send, target).then(() => void onItsWay.delete(send.id)),
    );
  }

  async function deliver({ id, claimedUntil, body }: ClaimedSend, target: WebhookTarget): Promise<void> {
    const startedAt = now();
    const outcome = await webhook
      .send(target, { id, body, at: startedAt }, cuttingOff.signal)
      .catch(() => NOT_SENT);
    if (outcome.statusCode === null && cuttingOff.signal.aborted) cutOffSends.push({ id, claimedUntil });
    else await record({ id, claimedUntil, startedAt, endedAt: now(), random: random(), ...outcome });
  }

  async function giveBack(claims: readonly SendClaim[]): Promise<void> {
    if (claims.length === 0) return;
    // Where this fails, the claims run out by themselves.
    await store
      .releaseSends({ claims: claims.map(({ id, claimedUntil }) => ({ id, claimedUntil })) })
      .catch(() => undefined);
  }

  return {
    nudge: alarm.ring,
    async settled() {
      do {
        await Promise.all(onItsWay.values());
        const quiet = alarm.quiet();
        alarm.ring();
        await Promise.race([quiet, finished]);
      } while (onItsWay.size > 0);
    },
    async stop() {
      stopping.abort();
      alarm.ring();
      const ended = finished.then(() => Promise.all(onItsWay.values()));
      await within(STOP_FINISH_MS, ended);
      cuttingOff.abort();
      await within(
        STOP_GIVE_BACK_MS,
        ended.then(() => giveBack(cutOffSends)),
      );
    },
  };
}

/** Attempts that end while others are being recorded are recorded together after them. */
function makeRecorder(parts: {
  store: Store;
  log: Log;
  metrics: Metrics;
  trouble: Trouble;
  onRecorded: () => void;
}): (attempt: SendAttempt) => Promise<void> {
  const waiting: { attempt: SendAttempt; done: () => void }[] = [];
  let isWorking = false;

  async function work(): Promise<void> {
    let most = SENDS_AT_ONCE_MAX;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      try {
        await recordTogether(batch.map(({ attempt }) => attempt));
        for (const { done } of batch) done();
        parts.onRecorded();
        parts.trouble.passed();
      } catch (error) {
        // One by one from now on, so that an attempt which cannot be recorded does not hold up the others.
        most = 1;
        waiting.push(...batch);
        // What is not recorded is sent again under the same id.
        if (!(await parts.trouble.met(error))) for (const { done } of waiting.splice(0)) done();
      }
    }
  }

  async function recordTogether(attempts: readonly SendAttempt[]): Promise<void> {
    const givenUp = new Set(await parts.store.recordAttempts({ attempts }));
    for (const { id, statusCode, error } of attempts) {
      const failed = givenUp.has(id);
      if (failed) parts.log.warn('lead not forwarded', { flow_send: id, reason: error });
      parts.metrics.deliveryTried(isDelivered(statusCode) ? 'delivered' : failed ? 'failed' : 'retry');
    }
  }

  return (attempt) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ attempt, done: resolve });
    if (!isWorking) {
      isWorking = true;
      void work().then(() => {
        isWorking = false;
      });
    }
    return promise;
  };
}

type Trouble = {
  /** Waits a while; false: there is no time left to try again. */
  met(error: unknown): Promise<boolean>;
  passed(): void;
};

/** With the store. It is logged when it begins, not every time it is met again. */
function makeTrouble(message: string, log: Log, stopping: AbortSignal): Trouble {
  let isKnown = false;
  return {
    async met(error) {
      if (!isKnown) log.error(message, { reason: reasonOf(error) });
      isKnown = true;
      await sleep(RETRY_MS, undefined, { signal: stopping }).catch(() => undefined);
      return !stopping.aborted;
    },
    passed() {
      isKnown = false;
    },
  };
}

type Alarm = {
  ring(): void;
  /** Waits until it rings, which it may have done already, or until the time is up; tells whether it rang. */
  within(ms: number): Promise<boolean>;
  /** Resolves when somebody has begun to wait, with nothing left to do. */
  quiet(): Promise<void>;
};

function makeAlarm(): Alarm {
  let hasRung = false;
  let wake: (() => void) | undefined;
  let quiet = Promise.withResolvers<void>();

  return {
    ring() {
      hasRung = true;
      wake?.();
    },
    async within(ms) {
      if (!hasRung) {
        quiet.resolve();
        quiet = Promise.withResolvers();
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        wake = resolve;
        await promise;
        clearTimeout(timer);
        wake = undefined;
      }
      const rang = hasRung;
      hasRung = false;
      return rang;
    },
    quiet: () => quiet.promise,
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, timeUp]);
  clearTimeout(timer);
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
