import { tag } from './script-tag.ts';
import { CONSENT, read, write } from './storage.ts';

const GIVEN = 'true';

/** Says whether the visitor lets anything be kept in the browser. */
export function mayKeep(): boolean {
  const consent = read(CONSENT);
  return !isPrivate() && (consent ? consent === GIVEN : tag?.dataset.consent !== 'required');
}

export function keepConsent(isGiven: boolean): void {
  if (!isPrivate()) write(CONSENT, String(isGiven));
}

/** What the visitor told the browser outranks what was clicked on a page. */
function isPrivate(): boolean | undefined {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return doNotTrack === '1' || globalPrivacyControl;
}
