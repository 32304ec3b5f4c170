import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, lazy } from 'react';

/** Lazily loaded code of pages and dialogs. By the time it is needed, the network may be down. */

export class CodeMissing extends Error {}

/** What Chromium, Firefox and Safari say when code cannot be loaded. */
const NOT_LOADED = /dynamically imported module|importing a module script failed/i;

/** The router reloads the page on the browsers' own messages, which without a network leaves an empty tab. */
async function codeOf<M>(load: () => Promise<M>): Promise<M> {
  try {
    return await load();
  } catch (error) {
    throw NOT_LOADED.test(String(error)) ? new CodeMissing(String(error)) : error;
  }
}

export function lazyPage<M extends object, N extends keyof M>(load: () => Promise<M>, name: N) {
  return lazyRouteComponent(() => codeOf(load), name as N & string);
}

export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>) {
  return lazy(async () => ({ default: await codeOf(load) }));
}

/** Whether the service can be reached, and whether it still serves the version that runs here. */
export type ServiceState = 'away' | 'same' | 'updated';

export async function askService(): Promise<ServiceState> {
  try {
    const response = await fetch(import.meta.env.BASE_URL, { cache: 'no-store' });
    const page = await response.text();
    // A captive portal answers as well.
    if (!response.ok || !page.includes(`${import.meta.env.BASE_URL}assets/`)) return 'away';
    return page.includes(ownScript()) ? 'same' : 'updated';
  } catch {
    return 'away';
  }
}

/** Its hashed name changes whenever any file of the build does. */
function ownScript(): string {
  return document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? '';
}

const RELOADED_FROM = 'leadtrail_dashboard_reloaded_from';

/** Once per version: during a rollout both versions answer, which would reload the page again and again. */
export function reloadOnce(): void {
  try {
    if (sessionStorage.getItem(RELOADED_FROM) === ownScript()) return;
    sessionStorage.setItem(RELOADED_FROM, ownScript());
    location.reload();
  } catch {
    // Without storage the button reloads.
  }
}
