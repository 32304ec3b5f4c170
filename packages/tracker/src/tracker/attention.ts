import { VISIT_IDLE_MS } from '../visit-idle.ts';
import { listen } from './lifetime.ts';

/** Engaged time (visible and focused) and scroll depth. */

/** Longer than the interval between checks: excludes the time a computer slept. */
const GAP_MS_MAX = 20_000;

let lookingSince = 0;
let lastInputAt = Date.now();
let isWatching: boolean;
let engagedMs = 0;
let depth = 0;
let reportedDepth = 0;

/** Called late: adding a scroll listener forces a layout. */
export function watchAttention(): void {
  if (isWatching) return;
  isWatching = true;
  listen('scroll pointermove keydown', ({ target }) => {
    lastInputAt = Date.now();
    // Ignores scrolling of elements within the page.
    if (target === document) measureDepth();
  });
}

/** Without scrolling the depth is 0. Not by `scrollTop`, which in quirks mode is that of the body. */
function measureDepth(): void {
  const { scrollHeight } = document.documentElement;
  if (scrollY)
    depth = Math.min(Math.max(Math.round(((scrollY + innerHeight) / scrollHeight) * 100), depth), 100);
}

/** Adds the time since the last check; true while the page is looked at. */
export function look(isLeaving?: boolean): boolean {
  const now = Date.now();
  if (lookingSince) engagedMs += Math.min(now - lookingSince, GAP_MS_MAX);
  const isLooking =
    !isLeaving && !document.hidden && document.hasFocus() && now - lastInputAt < VISIT_IDLE_MS;
  lookingSince = isLooking ? now : 0;
  return isLooking;
}

/** Reports what accumulated since the last report. */
export function reportAttention(report: (type: string, data: object) => void): void {
  // The page may have been scrolled before the listener was added.
  measureDepth();
  if (engagedMs) report('engaged', { ms: engagedMs });
  if (depth > reportedDepth) report('scroll', { depth });
  engagedMs = 0;
  reportedDepth = depth;
}

export function lookAtNewPage(): void {
  look();
  engagedMs = depth = reportedDepth = 0;
}
