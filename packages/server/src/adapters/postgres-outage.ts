import { AppError, reasonOf } from '../lib/errors.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';
import type { Call } from '../store/store.ts';

/** A single failed call, or a brief blip, is not an outage. */
const SILENT_MS_MIN = SECOND_MS;

/** Logs once when the server stops answering, and once when it answers again. */
export function tellOutages(log: Log): (call: Call) => Call {
  let failingSince: number | undefined;
  let isTold = false;

  function failed(error: unknown): void {
    failingSince ??= performance.now();
    if (isTold || performance.now() - failingSince < SILENT_MS_MIN) return;
    isTold = true;
    log.warn('store is away', { reason: reasonOf(error) });
  }

  function answered(): void {
    if (isTold) {
      const seconds = Math.round((performance.now() - (failingSince ?? 0)) / SECOND_MS);
      log.info('store is back', { seconds });
    }
    failingSince = undefined;
    isTold = false;
  }

  return (call) => async (name, argument) => {
    try {
      const result = await call(name, argument);
      answered();
      return result;
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') failed(error);
      else answered();
      throw error;
    }
  };
}
