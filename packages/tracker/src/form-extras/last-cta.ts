import { readObject, SESSION } from '../storage.ts';
import { VISIT_IDLE_MS } from '../visit-idle.ts';

/** The last call to action clicked in this visit, as noted by the tracker. */
export function lastCta(): string | undefined {
  const { at, cta } = readObject(SESSION) as { at: number; cta?: string };
  return Date.now() - at < VISIT_IDLE_MS ? cta : undefined;
}
