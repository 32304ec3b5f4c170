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
const FIGURES_SECONDS_MAX = 20;

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
      const { message: _, ...figures } = await within(FIGURES_SECONDS_MAX, 'To tell the figures', told);
      return figures as unknown as Figures;
    },
  };
}
