import { CONSENT, write } from './storage.ts';

/**
 * Where consent is required: follows what the consent tool of a page says, by Google consent mode or IAB TCF, and tells
 * the tracker. Without the tracker it does for the form script what the tracker would have done. Loaded apart.
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

/** Calls for which there is no tracker, or not yet: it will read them too. */
function queuedConsent(): boolean | undefined {
  const calls = [...(window.leadtrail?.q ?? [])].map((call) => [...call]);
  const last = calls.reverse().find(([command]) => command === 'consent');
  return last && last[1] === true;
}

/**
 * `gtag('consent', 'update', { analytics_storage })` pushes its arguments; the last one counts. A refusal by default is no
 * choice yet.
 */
function googleConsent(): boolean | undefined {
  let isGiven: boolean | undefined;
  for (const call of Array.isArray(window.dataLayer) ? window.dataLayer : []) {
    const said = call?.[0] === 'consent' ? call[2]?.analytics_storage : undefined;
    if (said === 'granted' || (said === 'denied' && call[1] === 'update')) isGiven = said === 'granted';
  }
  return isGiven;
}

function listenToTcf(): void {
  if (isListening || !window.__tcfapi) return;
  isListening = true;
  window.__tcfapi('addEventListener', 2, ({ gdprApplies, eventStatus, purpose }, isValid) => {
    // While the visitor is being asked nothing is known; outside of the GDPR nobody has to be asked.
    if (isValid && eventStatus !== 'cmpuishown')
      tcf = gdprApplies === false || PURPOSES.every((id) => purpose?.consents?.[id]);
  });
}
