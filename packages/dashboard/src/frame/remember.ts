import { isShared } from '../api/shared-link.ts';
import { readFrameSearch } from './frame.ts';

/** The frame of the last visit, kept in this browser; without filters, which belong to one question. */

const NAME = 'leadtrail_dashboard_frame';
const REMEMBERED = ['when', 'compare', 'sites'] as const;

export function rememberFrame(search: object): void {
  // A shared link must not change the frame of a viewer who signs in on this browser.
  if (isShared) return;
  const { filters: _, ...kept } = readFrameSearch(search as Record<string, unknown>);
  try {
    if (Object.keys(kept).length === 0) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, JSON.stringify(kept));
  } catch {
    // Where storage is blocked, the frame lives in the address alone.
  }
}

/** Puts the remembered frame into the address, unless it has one: a link that was passed on shows what its sender saw. */
export function restoreFrame(): void {
  const address = new URL(location.href);
  if (REMEMBERED.some((key) => address.searchParams.has(key))) return;
  const kept = rememberedFrame();
  for (const key of REMEMBERED) if (kept[key] !== undefined) address.searchParams.set(key, kept[key]);
  history.replaceState(history.state, '', address);
}

function rememberedFrame() {
  try {
    return readFrameSearch(Object(JSON.parse(localStorage.getItem(NAME) ?? '{}')));
  } catch {
    return {};
  }
}

/** Set when there is at most one site: no room is reserved for the site select while the sites load. */
const FEW_SITES = 'leadtrail_dashboard_few_sites';

export function rememberFewSites(isFew: boolean): void {
  if (isShared) return;
  try {
    if (isFew) localStorage.setItem(FEW_SITES, 'yes');
    else localStorage.removeItem(FEW_SITES);
  } catch {
    // Without storage the frame bar may shift once.
  }
}

export function hadFewSites(): boolean {
  try {
    return localStorage.getItem(FEW_SITES) !== null;
  } catch {
    return false;
  }
}
