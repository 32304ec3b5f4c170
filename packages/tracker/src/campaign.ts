import { mayKeep } from './privacy.ts';
import { CAMPAIGN, readObject, writeObject } from './storage.ts';

export const CAMPAIGN_PARAMS =
  'gclid utm_source utm_medium utm_campaign utm_term utm_content fbclid msclkid'.split(' ');
/** A visit ends after this long without activity. */
export const VISIT_IDLE_MS = 30 * 60_000;

export type Campaign = Record<string, string>;

/** The campaign parameters of this address, else those of the page on which the visit began. */
export function campaign(): Campaign {
  // Most addresses have no query, and parsing is slow.
  const params = document.URL.includes('?') ? [...new URLSearchParams(location.search)] : [];
  const named = params.filter(([name, value]) => value && CAMPAIGN_PARAMS.includes(name));
  const at = Date.now();
  const kept = readObject(CAMPAIGN);
  const isSameVisit = at - (kept.at as number) < VISIT_IDLE_MS;
  const campaign: Campaign = named[0] || !isSameVisit ? Object.fromEntries(named) : Object(kept.params);
  // Most visitors have no campaign, so nothing is written.
  if ((named[0] || kept.at) && mayKeep()) writeObject(CAMPAIGN, { at, params: campaign });
  return campaign;
}
