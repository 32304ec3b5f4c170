import { setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, backoffMs } from '../lib/backoff.ts';

/** Background work in steps, until it is stopped. */
export type Loop = {
  /** Tells the loop that there may be something to do. */
  nudge(): void;
  /** Resolves when all work known by the nudges so far is done. */
  settled(): Promise<void>;
  /** From now on skips debounce, pauses and long backoffs. */
  hurry(): void;
  /** Resolves when the current step has ended. */
  stop(): Promise<void>;
  /** True once no further step will begin. */
  isStopping(): boolean;
};

export type Turn = {
  /** Consecutive failures before this step. */
  failures: number;
  /**
   * Nothing to do: waits for a nudge, for `ms` at most. True: woken by a nudge or a stop, not by the time.
   */
  idle(ms?: number): Promise<boolean>;
  /** Yields to other work for this long; a nudge does not cut it short. */
  pause(ms: number): Promise<void>;
};

export function startLoop(parts: {
  step(turn: Turn): Promise<unknown>;
  /** Nudges within this time are handled together. */
  debounceMs?: number;
  backoff: Backoff;
  onFailure(error: unknown, failures: number): void;
}): Loop {
  const { step, debounceMs = 0, backoff, onFailure } = parts;
  const stopping = new AbortController();
  const hurrying = new AbortController();
  let isNudged = false;
  let isIdle = false;
  let wake = () => {};
  let becameIdle = Promise.withResolvers<void>();
  const finished = run();

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      // The step sees all changes up to here; a nudge from now on keeps it from idling.
      isNudged = false;
      try {
        await step({ failures, idle, pause });
        failures = 0;
      } catch (error) {
        failures += 1;
        onFailure(error, failures);
        // Even in a hurry the minimum applies, so that work that keeps failing does not spin.
        await sleepUntil(stopping.signal, backoff.minMs);
        await pause(backoffMs(failures, backoff) - backoff.minMs);
      }
    }
  }

  async function idle(ms?: number): Promise<boolean> {
    if (!isNudged && !stopping.signal.aborted) await nudgedWithin(ms);
    const lookAgain = isNudged || stopping.signal.aborted;
    if (lookAgain) await pause(debounceMs);
    isNudged = false;
    return lookAgain;
  }

  async function nudgedWithin(ms: number | undefined): Promise<void> {
    const nudged = Promise.withResolvers<void>();
    const timer = ms === undefined ? undefined : setTimeout(nudged.resolve, ms);
    wake = nudged.resolve;
    isIdle = true;
    becameIdle.resolve();
    becameIdle = Promise.withResolvers();
    await nudged.promise;
    isIdle = false;
    clearTimeout(timer);
  }

  function pause(ms: number): Promise<void> {
    return sleepUntil(hurrying.signal, ms);
  }

  return {
    nudge() {
      isNudged = true;
      isIdle = false;
      wake();
    },
    async settled() {
      if (!isIdle) await Promise.race([becameIdle.promise, finished]);
    },
    hurry: () => hurrying.abort(),
    async stop() {
      stopping.abort();
      hurrying.abort();
      wake();
      await finished;
    },
    isStopping: () => stopping.signal.aborted,
  };
}

async function sleepUntil(signal: AbortSignal, ms: number): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}
