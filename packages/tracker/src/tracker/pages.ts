import { isAlive } from './lifetime.ts';

/** Without the fragment. */
export function pageAddress(): string {
  return document.URL.split('#')[0] as string;
}

/** Navigations of single-page apps. */
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
}
