import { readObject, SESSION } from '../storage.ts';
import { VISIT_IDLE_MS } from '../visit-idle.ts';

/** The call to action that was clicked last in this visit, as the tracker has noted it. */
export function lastCta(): string | undefined {
  const { at, cta } = readObject(SESSION) as { at: number; cta?: string };
  return Date.now() - at < VISIT_IDLE_MS ? cta : undefined;
}
