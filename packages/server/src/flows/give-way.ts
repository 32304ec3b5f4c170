import { performance } from 'node:perf_hooks';

const LOOK_MS = 20;
/** On a busy machine even little work takes long. */
const REST_MS_MAX = 500;

/**
 * Background work yields to requests: pauses while they keep the main thread busy, at most `restFactor` times
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
    // The first look includes the work itself; later ones see only what requests did during the pause.
    while (leftMs > 0 && wasBusy()) {
      const startedAt = performance.now();
      hasPaused = true;
      await pause(Math.min(leftMs, LOOK_MS));
      // A pause ends late on a busy thread, and at once in a hurry.
      leftMs -= Math.max(performance.now() - startedAt, LOOK_MS);
    }
    return hasPaused;
  };
}
