import { keepConsent, mayKeep } from './privacy.ts';
import { CAMPAIGN, remove, SESSION, TOUCHES, UNSENT, VISITOR } from './storage.ts';
import { isAlive } from './tracker/lifetime.ts';
import { beginTracking, stopTracking, track, viewAgain } from './tracker/tracking.ts';

type Call = Iterable<unknown>;
type Leadtrail = {
  (...call: unknown[]): void;
  /** Calls queued before the script was loaded. */
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

// A prerendered page has not been visited.
if (document.prerendering) document.addEventListener('prerenderingchange', run);
else run();

function run(): void {
  const { leadtrail } = window;
  // The page may include the script twice.
  if (leadtrail?.isLoaded) return;
  window.leadtrail = (...call) => handle(call);
  window.leadtrail.isLoaded = true;
  // Consent may change in another tab. In the capture phase, before any other listener.
  addEventListener('storage', followConsent, true);
  // Registered on pagehide, so that it does not fire for the first load.
  addEventListener('pagehide', () => addEventListener('pageshow', comeBack, true), true);
  leadtrail?.q?.forEach(handle);
  followConsent();
}

/** Starts or stops tracking by the current consent, which another tab may have changed. */
function followConsent(): boolean {
  const may = mayKeep();
  if (may) beginTracking();
  else stopTracking();
  return may;
}

/** The page came back from the back/forward cache. */
function comeBack(): void {
  const wasAlive = isAlive;
  // A new start counts as a page view by itself.
  if (followConsent() && wasAlive) viewAgain();
}

/** Never throws into the page. */
function handle([command, value, data]: Call): void {
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
  for (const key of [VISITOR, SESSION, UNSENT, CAMPAIGN, TOUCHES]) remove(key);
}
