/** The key that the viewer has signed in with: for this tab, or remembered on request. */

const NAME = 'leadtrail_dashboard_key';
const listeners = new Set<() => void>();

let key: string | null = stored(sessionStorage) ?? stored(localStorage);

export function currentKey(): string | null {
  return key;
}

export function keepKey(given: string, { isRemembered }: { isRemembered: boolean }): void {
  key = given;
  attempt(() => (isRemembered ? localStorage : sessionStorage).setItem(NAME, given));
  tell();
}

export function forgetKey(): void {
  key = null;
  for (const storage of [sessionStorage, localStorage]) attempt(() => storage.removeItem(NAME));
  tell();
}

export function onKeyChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}

function stored(storage: Storage): string | null {
  let found: string | null = null;
  attempt(() => {
    found = storage.getItem(NAME);
  });
  return found;
}

/** Storage may be closed to the page; then the key lives as long as the page does. */
function attempt(run: () => void): void {
  try {
    run();
  } catch {}
}
