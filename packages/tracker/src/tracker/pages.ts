import { isAlive, listen } from './lifetime.ts';

/** The page, whatever part of it is shown. */
export function pageAddress(): string {
  return document.URL.split('#')[0] as string;
}

/** Pages that change their address without being loaded. */
export function watchPages(moved: () => void): void {
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name];
    history[name] = (...state) => {
      original.apply(history, state);
      try {
        if (isAlive) moved();
      } catch {}
    };
  }
  listen('popstate', moved);
}
