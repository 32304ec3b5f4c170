import { setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, backoffMs } from '../lib/backoff.ts';

/** Background work that goes on step by step, until it is stopped. */
export type Loop = {
  /** There may be something to do. */
  nudge(): void;
  /** Resolves when there is nothing left to do, as far as the loop has been nudged. */
  settled(): Promise<void>;
  /** From now on without debounce, pauses and long backoffs. */
  hurry(): void;
  /** Resolves when the step under way has ended. */
  stop(): Promise<void>;
  /** It does no further step. */
  isStopping(): boolean;
};

export type Turn = {
  /** How many steps before this one have failed in a row. */
  failures: number;
  /** Nothing to do: waits for a nudge, not longer than this. Tells whether to look again because of one, or of a stop. */
  idle(ms?: number): Promise<boolean>;
  /** Leaves the time to others; a nudge does not end it. */
  pause(ms: number): Promise<void>;
};

export function startLoop(parts: {
  step(turn: Turn): Promise<unknown>;
  /** Nudges that come together are worked off together. */
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
      // The step sees what was there when it was nudged.
      isNudged = false;
      try {
        await step({ failures, idle, pause });
        failures = 0;
      } catch (error) {
        failures += 1;
        onFailure(error, failures);
        // The shortest one in a hurry too: work that goes on failing must not spin.
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
