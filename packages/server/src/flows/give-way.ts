import { performance } from 'node:perf_hooks';

/** How long background work pauses for requests: `restFactor` times as long as it took, while they keep the main thread busy. */
export function makeGiveWay(asked: {
  /** Event loop utilization, from 0 to 1. */
  busyFrom: number;
  restFactor: number;
}): (workedMs: number) => number {
  let last = performance.eventLoopUtilization();
  return (workedMs) => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, last);
    last = current;
    return utilization > asked.busyFrom ? workedMs * asked.restFactor : 0;
  };
}
