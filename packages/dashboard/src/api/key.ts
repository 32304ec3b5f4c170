/** The key that the viewer has signed in with: for this tab, or remembered on request. */

const NAME = 'leadtrail_dashboard_key';
const PLACES = [() => sessionStorage, () => localStorage] as const;
const listeners = new Set<() => void>();

let isRefused = false;
let key: string | null = PLACES.map(stored).find((found) => found !== null) ?? null;

export function currentKey(): string | null {
  return key;
}

/** The service no longer knows the key that was used until now. */
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

/** Only the own key: another tab may have remembered a newer one. */
export function forgetKey(): void {
  for (const place of PLACES) if (stored(place) === key) attempt(() => place().removeItem(NAME));
  change(null);
}

export function onKeyChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Whoever signs out where the key is remembered has signed out in every tab.
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

/** Storage may be closed to the page, and even to ask for it is an error then; the key lives as long as the page. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
