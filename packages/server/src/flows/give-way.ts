/** When requests keep the main thread this busy, background work gives way to them. */
const BUSY_UTILIZATION = 0.85;

/** How long to rest after work that took so long: not at all, or while requests come thick and fast a multiple of it. */
export function makeGiveWay(restFactor: number): (workedMs: number) => number {
  let last = performance.eventLoopUtilization();
  return (workedMs) => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, last);
    last = current;
    return utilization > BUSY_UTILIZATION ? workedMs * restFactor : 0;
  };
}
