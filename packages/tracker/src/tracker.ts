import { keepConsent, mayKeep } from './privacy.ts';
import { CAMPAIGN, remove, SESSION, UNSENT, VISITOR } from './storage.ts';
import { isAlive } from './tracker/lifetime.ts';
import { beginTracking, stopTracking, track, viewAgain } from './tracker/tracking.ts';

type Call = Iterable<unknown>;
type Leadtrail = {
  (...call: unknown[]): void;
  /** Calls made before the script was there. */
  q?: Call[];
  isLoaded?: boolean;
};

declare global {
  interface Window {
    leadtrail?: Leadtrail;
  }
  interface Document {
    prerendering?: boolean;
  }
}

// A page that is only being prepared has not been visited.
if (document.prerendering) document.addEventListener('prerenderingchange', run);
else run();

function run(): void {
  const { leadtrail } = window;
  // A page may carry the script twice.
  if (leadtrail?.isLoaded) return;
  window.leadtrail = (...call) => obey(call);
  window.leadtrail.isLoaded = true;
  // In another tab, of which a page that comes back has not heard. Before anything else happens here.
  addEventListener('storage', followConsent, true);
  // Whoever only listens once the page has gone is not called when it is loaded.
  addEventListener('pagehide', () => addEventListener('pageshow', comeBack, true), true);
  leadtrail?.q?.forEach(obey);
  followConsent();
}

/** Says whether the visitor may be followed, which may have been decided in another tab. */
function followConsent(): boolean {
  const may = mayKeep();
  if (may) beginTracking();
  else stopTracking();
  return may;
}

/** The browser had kept the page for the way back. */
function comeBack(): void {
  const wasAlive = isAlive;
  // Who begins anew has viewed the page by that.
  if (followConsent() && wasAlive) viewAgain();
}

/** Whatever the page calls, it gets no error. */
function obey([command, value, data]: Call): void {
  try {
    if (command === 'event' && followConsent()) track(String(value), data as object | undefined);
    if (command === 'consent') {
      const isGiven = value === true;
      keepConsent(isGiven);
      if (!isGiven) forget();
      followConsent();
    }
  } catch {}
}

function forget(): void {
  stopTracking(true);
  for (const key of [VISITOR, SESSION, UNSENT, CAMPAIGN]) remove(key);
}
