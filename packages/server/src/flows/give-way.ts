import { performance } from 'node:perf_hooks';

const LOOK_MS = 20;
/** On a busy machine work takes long without being much. */
const REST_MS_MAX = 500;

/**
 * Lets requests go before background work: pauses for as long as they keep the main thread busy, at most `restFactor` times
 * as long as the work took. Resolves to whether it paused.
 */
export function makeGiveWay(asked: {
  /** Event loop utilization, from 0 to 1. */
  busyFrom: number;
  restFactor: number;
}): (workedMs: number, pause: (ms: number) => Promise<void>) => Promise<boolean> {
  let last = performance.eventLoopUtilization();

  function wasBusy(): boolean {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, last);
    last = current;
    return utilization > asked.busyFrom;
  }

  return async (workedMs, pause) => {
    let leftMs = Math.min(workedMs * asked.restFactor, REST_MS_MAX);
    let hasPaused = false;
    // The work itself may have kept the thread busy; what happens during a pause is the requests'.
    while (leftMs > 0 && wasBusy()) {
      const startedAt = performance.now();
      hasPaused = true;
      await pause(Math.min(leftMs, LOOK_MS));
      // On a busy thread it ends late; in a hurry there is none.
      leftMs -= Math.max(performance.now() - startedAt, LOOK_MS);
    }
    return hasPaused;
  };
}
