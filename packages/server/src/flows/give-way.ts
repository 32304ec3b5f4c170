import { performance } from 'node:perf_hooks';

/** How long background work gives way to requests: `restFactor` times as long as it took, while they come thick and fast. */
export function makeGiveWay(asked: {
  /** The share of the main thread's time that requests have to take for it. */
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
