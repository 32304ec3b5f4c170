import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, lazy } from 'react';

/** The code of pages and of what they show later, which comes when it is wanted: by then the network may be gone. */

export class CodeMissing extends Error {}

/** What Chromium, Firefox and Safari say when code cannot be loaded. */
const NOT_LOADED = /dynamically imported module|importing a module script failed/i;

/** By their own words the router would reload, which without a network leaves nothing of the dashboard. */
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

/** Whether the service answers, and with the version that runs here. */
export type ServiceState = 'away' | 'same' | 'updated';

export async function askService(): Promise<ServiceState> {
  try {
    const response = await fetch(import.meta.env.BASE_URL, { cache: 'no-store' });
    const page = await response.text();
    // A network that wants to be signed in to answers as well.
    if (!response.ok || !page.includes(`${import.meta.env.BASE_URL}assets/`)) return 'away';
    return page.includes(ownScript()) ? 'same' : 'updated';
  } catch {
    return 'away';
  }
}

/** Its name changes with that of any other file. */
function ownScript(): string {
  return document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? '';
}

const RELOADED_FROM = 'leadtrail_dashboard_reloaded_from';

/** Once from each version: while a new one is being rolled out, either may answer. */
export function reloadOnce(): void {
  try {
    if (sessionStorage.getItem(RELOADED_FROM) === ownScript()) return;
    sessionStorage.setItem(RELOADED_FROM, ownScript());
    location.reload();
  } catch {
    // Without storage the button reloads.
  }
}
