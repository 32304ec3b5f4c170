import { config, root } from './script-tag.ts';
import { CONSENT, read, write } from './storage.ts';

const GIVEN = 'true';
/**
 * A tag of any of our scripts: its attribute applies to all of them. Tags may be removed, and added later.
 */
const isRequiring = () => document.querySelector('script[data-consent=required]');
const wasRequiring = isRequiring();

// Translates the choices of the page's consent tool into `leadtrail('consent', …)`.
if (wasRequiring) import(root + config.consent).catch(() => undefined);

/** Whether anything may be stored in the browser. */
export function mayKeep(): boolean {
  return !isPrivate() && hasConsent();
}

export function hasConsent(): boolean {
  const consent = read(CONSENT);
  return consent ? consent === GIVEN : !(wasRequiring || isRequiring());
}

export function keepConsent(isGiven: boolean): void {
  if (!isPrivate()) write(CONSENT, String(isGiven));
}

/** Do Not Track and Global Privacy Control outrank consent given on a page. */
function isPrivate(): boolean | undefined {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return doNotTrack === '1' || globalPrivacyControl;
}
