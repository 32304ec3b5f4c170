import type { Place } from './torture/place.ts';
import { type ServiceProcess, startServiceProcess, within } from './torture/service-process.ts';

/** A service process that tells how it is doing. */
export type WatchedService = ServiceProcess & {
  /** Since the last time they were asked for. */
  figures(): Promise<Figures>;
};

export type Figures = {
  /** How long the main thread worked, in processor time. */
  workedMs: number;
  /** The longest that it did so without a pause. */
  stallMs: number;
  /** What is in use once all garbage is gone. */
  heapBytes: number;
  /** The most memory that the process has ever taken. */
  peakBytes: number;
};

const WATCH = new URL('watch-process.ts', import.meta.url).href;
const STALL_ROUNDS_MAX = 5;

export function startWatchedService(
  place: Place,
  env: Readonly<Record<string, string>> = {},
): WatchedService {
  const service = startServiceProcess(place, { env: { NODE_OPTIONS: `--import=${WATCH}`, ...env } });
  let asked = 0;
  return {
    ...service,
    async figures() {
      asked += 1;
      const told = service.logged(`figures ${asked}`);
      service.process.kill('SIGUSR2');
      const { message: _, ...figures } = await within('To tell the figures', told);
      return figures as unknown as Figures;
    },
  };
}

/**
 * The longest stall of work that can be done again and again. Other work of the process and of the machine can
 * only add to it, so the least of several rounds counts, and one below the limit is enough.
 */
export async function leastStallMs(
  service: WatchedService,
  enoughMs: number,
  work: () => Promise<void>,
): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < STALL_ROUNDS_MAX && leastMs >= enoughMs; round += 1) {
    await service.figures();
    await work();
    leastMs = Math.min(leastMs, (await service.figures()).stallMs);
  }
  return leastMs;
}
