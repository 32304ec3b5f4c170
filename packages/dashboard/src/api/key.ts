import { sharedToken } from './shared-link.ts';

/**
 * The API key of the signed-in viewer, in session storage or, on request, in local storage; or the token of a shared link,
 * which lives in the address alone and leaves a stored key untouched.
 */

const NAME = 'leadtrail_dashboard_key';
const PLACES = [() => sessionStorage, () => localStorage] as const;
const listeners = new Set<() => void>();

let isRefused = false;
let key: string | null =
  sharedToken === null ? (PLACES.map(stored).find((found) => found !== null) ?? null) : sharedToken || null;

export function currentKey(): string | null {
  return key;
}

/** The service answered 401 to the last key. */
export function isKeyRefused(): boolean {
  return isRefused;
}

export function keepKey(given: string, { isRemembered }: { isRemembered: boolean }): void {
  const [tab, device] = PLACES;
  attempt(() => (isRemembered ? device : tab)().setItem(NAME, given));
  isRefused = false;
  change(given);
}

export function refuseKey(): void {
  isRefused = true;
  forgetKey();
}

/** Removes only this tab's key: another tab may have stored a newer one. */
export function forgetKey(): void {
  for (const place of PLACES) if (stored(place) === key) attempt(() => place().removeItem(NAME));
  change(null);
}

export function onKeyChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Signing out with a remembered key signs out every tab.
addEventListener('storage', ({ key: name, oldValue, newValue }) => {
  if (name === NAME && newValue === null && oldValue === key) change(null);
});

function change(to: string | null): void {
  key = to;
  for (const listener of listeners) listener();
}

function stored(place: () => Storage): string | null {
  return attempt(() => place().getItem(NAME)) ?? null;
}

/** Even reading `localStorage` throws where storage is blocked; the key then lives as long as the page. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
