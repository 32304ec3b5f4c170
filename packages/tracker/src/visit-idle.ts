/** A visit ends after this long without activity. */
export const VISIT_IDLE_MS = 30 * 60_000;
