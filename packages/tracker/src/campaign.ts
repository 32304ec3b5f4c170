import { mayKeep } from './privacy.ts';
import { CAMPAIGN, readObject, TOUCHES, writeObject } from './storage.ts';
import { VISIT_IDLE_MS } from './visit-idle.ts';

export const CAMPAIGN_PARAMS =
  'gclid utm_source utm_medium utm_campaign utm_term utm_content fbclid msclkid'.split(' ');
/** 90 days; an older first touch is forgotten. */
const FIRST_TOUCH_MS_MAX = 90 * 86_400_000;

export type Campaign = Record<string, string>;

let isNoted: boolean | undefined;

/** The campaign parameters of this address, else those of the page on which the visit began. */
export function campaign(): Campaign {
  // Most addresses have no query, and parsing is slow.
  const params = document.URL.includes('?') ? [...new URLSearchParams(location.search)] : [];
  const named = params.filter(([name, value]) => value && CAMPAIGN_PARAMS.includes(name));
  const at = Date.now();
  const kept = readObject(CAMPAIGN);
  const isSameVisit = at - (kept.at as number) < VISIT_IDLE_MS;
  const campaign: Campaign = named[0] || !isSameVisit ? Object.fromEntries(named) : Object(kept.params);
  if (mayKeep()) {
    // Writes nothing for visitors without a campaign, which are most of them.
    if (named[0] || kept.at) writeObject(CAMPAIGN, { at, params: campaign });
    noteTouch(at, named);
  }
  return campaign;
}

/**
 * Once per page: keeps the first and the latest touch that was not
 * direct, because the person may return directly.
 */
function noteTouch(at: number, named: string[][]): void {
  const { origin, pathname, host } = location;
  const { referrer } = document;
  if (isNoted || !(named[0] || (referrer && referrer.split('/')[2] !== host))) return;
  isNoted = true;
  const touch = [at, `${origin}${pathname}?${new URLSearchParams(named as never)}`, referrer];
  const first = (readObject(TOUCHES) as unknown as (typeof touch)[])[0];
  writeObject(TOUCHES, [at - (first?.[0] as number) < FIRST_TOUCH_MS_MAX ? first : touch, touch]);
}
