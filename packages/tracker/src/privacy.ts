import { tag } from './script-tag.ts';
import { CONSENT, read, write } from './storage.ts';

const GIVEN = 'true';

/** Whether anything may be stored in the browser. */
export function mayKeep(): boolean {
  const consent = read(CONSENT);
  return !isPrivate() && (consent ? consent === GIVEN : tag?.dataset.consent !== 'required');
}

export function keepConsent(isGiven: boolean): void {
  if (!isPrivate()) write(CONSENT, String(isGiven));
}

/** Do Not Track and Global Privacy Control outrank consent given on a page. */
function isPrivate(): boolean | undefined {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return doNotTrack === '1' || globalPrivacyControl;
}
