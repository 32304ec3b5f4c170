import { CONSENT, write } from './storage.ts';

/**
 * For pages that require consent: follows their consent tool, by Google consent
 * mode or IAB TCF, and tells the tracker. On pages without the tracker, it
 * tells the form script itself. A script of its own, loaded on demand.
 */

type TcfData = {
  gdprApplies?: boolean;
  eventStatus?: string;
  purpose?: { consents?: Record<number, boolean> };
};

declare global {
  interface Window {
    dataLayer?: unknown;
    __tcfapi?: (
      command: string,
      version: number,
      listener: (data: TcfData, isValid: boolean) => void,
    ) => void;
  }
}

/** "Store and access information on a device" and "measure content performance". */
const PURPOSES = [1, 8];
const LOOK_MS = 300;

let tcf: boolean | undefined;
let isListening = false;
let told: boolean | undefined;

setInterval(look, LOOK_MS);
look();

function look(): void {
  listenToTcf();
  const isGiven = queuedConsent() ?? googleConsent() ?? tcf;
  if (isGiven === undefined || isGiven === told) return;
  told = isGiven;
  if (window.leadtrail?.isLoaded) window.leadtrail('consent', isGiven);
  else write(CONSENT, String(isGiven));
}

/** Calls queued because the tracker is missing or not loaded yet, in which case it will read them as well. */
function queuedConsent(): boolean | undefined {
  const calls = [...(window.leadtrail?.q ?? [])].map((call) => [...call]);
  const last = calls.reverse().find(([command]) => command === 'consent');
  return last && last[1] === true;
}

/**
 * `gtag('consent', 'update', { analytics_storage })` pushes its arguments; the last update counts. A default of "denied" is
 * not a choice yet, and one for some regions may be that of this visitor.
 */
function googleConsent(): boolean | undefined {
  let updated: boolean | undefined;
  let isGranted: boolean | undefined;
  let isDenied: boolean | undefined;
  for (const call of Array.isArray(window.dataLayer) ? window.dataLayer : []) {
    const { analytics_storage: state, region } = Object(call?.[0] === 'consent' && call[2]);
    if (!state) continue;
    if (call[1] === 'update') updated = state === 'granted';
    else if (state === 'denied') isDenied = true;
    else if (!region) isGranted = true;
  }
  return updated ?? (isDenied ? undefined : isGranted);
}

function listenToTcf(): void {
  if (isListening || !window.__tcfapi) return;
  isListening = true;
  window.__tcfapi('addEventListener', 2, ({ gdprApplies, eventStatus, purpose }, isValid) => {
    // Undecided while the visitor is being asked; outside the GDPR no consent is needed.
    if (isValid && eventStatus !== 'cmpuishown')
      tcf = gdprApplies === false || PURPOSES.every((id) => purpose?.consents?.[id]);
  });
}
