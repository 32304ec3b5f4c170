import { monitorEventLoopDelay } from 'node:perf_hooks';
import { withTimeout } from '../lib/timeout.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { QueueFigures } from '../store/queue-figures.ts';
import type { Store } from '../store/store.ts';

/** Samples the state of the parts of the service, for a scrape of the metrics. */
export type GatherFigures = () => Promise<void>;

const STORE_MS_MAX = SECOND_MS;
const LAG_RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;

export function makeGatherFigures(parts: {
  store: Store;
  objects: ObjectStore;
  metrics: Metrics;
  freeBytes: () => Promise<number>;
  now: () => number;
  isStoreElsewhere: boolean;
}): GatherFigures {
  const { store, objects, metrics, freeBytes, now, isStoreElsewhere } = parts;
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  lag.enable();

  async function queues(): Promise<QueueFigures | undefined> {
    const read = store.queueFigures().catch(() => undefined);
    return withTimeout<QueueFigures | undefined>(read, STORE_MS_MAX, () => undefined);
  }

  return async () => {
    const [waiting, diskFreeBytes] = await Promise.all([queues(), freeBytes().catch(() => undefined)]);
    const isUp = objects.isUp?.();
    metrics.show({
      diskFreeBytes,
      lagSeconds: Math.max(0, lag.max - LAG_RESOLUTION_MS * 1e6) / NS_PER_SECOND,
      pendingSends: waiting?.pendingSends,
      oldestSendSeconds: waiting && ageSeconds(waiting.oldestSendAt, now()),
      waitingArchives: waiting?.waitingArchives,
      failedRecords: waiting?.failedRecords,
      postgresUp: isStoreElsewhere ? Number(waiting !== undefined) : undefined,
      s3Up: isUp === undefined ? undefined : Number(isUp),
    });
    lag.reset();
  };
}

function ageSeconds(since: number | null, now: number): number {
  return since === null ? 0 : Math.max(0, now - since) / SECOND_MS;
}
