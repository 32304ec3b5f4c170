import { VISIT_IDLE_MS } from '../campaign.ts';
import { listen } from './lifetime.ts';

/** How long the page was visible and had the focus, and how much of it was seen. */

/** Longer than between two looks: a computer that slept was not being looked at. */
const GAP_MS_MAX = 20_000;

let lookingSince = 0;
let lastInputAt = Date.now();
let isWatching: boolean;
let engagedMs = 0;
let depth = 0;
let reportedDepth = 0;

/** Browsers draw the page anew for whoever wants to know of its scrolling. */
export function watchAttention(): void {
  if (isWatching) return;
  isWatching = true;
  listen('scroll pointermove keydown', ({ target }) => {
    lastInputAt = Date.now();
    // Boxes within the page scroll too.
    if (target === document) measureDepth();
  });
}

/** A page that was never scrolled has none. */
function measureDepth(): void {
  const { scrollTop, scrollHeight } = document.documentElement;
  if (scrollTop)
    depth = Math.max(depth, Math.min(Math.round(((scrollTop + innerHeight) / scrollHeight) * 100), 100));
}

/** Says whether somebody looks at the page, and counts the time until now. */
export function look(isLeaving?: boolean): boolean {
  const now = Date.now();
  if (lookingSince) engagedMs += Math.min(now - lookingSince, GAP_MS_MAX);
  const isLooking =
    !isLeaving && !document.hidden && document.hasFocus() && now - lastInputAt < VISIT_IDLE_MS;
  lookingSince = isLooking ? now : 0;
  return isLooking;
}

/** What has come together since it was last reported. */
export function reportAttention(report: (type: string, data: object) => void): void {
  // Perhaps it was before anybody watched.
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
