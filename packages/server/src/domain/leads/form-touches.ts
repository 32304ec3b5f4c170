import { MINUTE_MS } from '../../lib/utc-time.ts';
import { type CampaignParams, campaignParams, isTagged } from '../tracking/campaign-params.ts';
import { boundedAddress } from '../tracking/page-address.ts';
import type { ReadOrigin } from '../tracking/read-origin.ts';
import type { OriginVisit } from './touches.ts';

/** The origin that a form itself reports: the fallback where visits are unknown, e.g. a blocked tracker. */

/** Of its fields, else of the page that it is on. */
export function formCampaign(fields: CampaignParams, page: string): CampaignParams {
  return isTagged(fields) ? fields : campaignParams(page);
}

/** The first and last touch that the browser has kept (`__touches`), then the form's own campaign. */
export function formVisits(
  form: { campaign: CampaignParams; touches: string },
  page: string,
  at: number,
  readOrigin: ReadOrigin,
): OriginVisit[] {
  // The visitor's clock may be ahead.
  const kept = keptTouches(form.touches).map((touch) =>
    visitOf({ ...touch, at: Math.min(touch.at, at) }, readOrigin),
  );
  const params = formCampaign(form.campaign, page);
  if (!isTagged(params)) return kept;
  const own = visitOf({ at, page, referrer: null, params }, readOrigin);
  const last = kept.at(-1);
  return last !== undefined && SAME.every((key) => last[key] === own[key]) ? kept : [...kept, own];
}

/** A form usually repeats the campaign of the last touch that the browser has kept. */
const SAME = ['source', 'medium', 'campaign', 'term', 'content', 'click_id'] as const;

type Arrival = { at: number; page: string; referrer: string | null; params: CampaignParams };

function visitOf({ at, page, referrer, params }: Arrival, readOrigin: ReadOrigin): OriginVisit {
  const { origin } = readOrigin({ page, referrer, params, siteKey: '' });
  return { session_id: '', started_at: at, entry_page: page, ...origin };
}

const KEPT_MAX = 2;
/** Both scripts note the same arrival. */
const SAME_ARRIVAL_MS_MAX = 30 * MINUTE_MS;

/** `[[time, address of the page, referrer], …]`. Untrusted, and maybe from another version of the script. */
function keptTouches(text: string): Arrival[] {
  if (text === '') return [];
  try {
    const kept: unknown = JSON.parse(text);
    const arrivals = Array.isArray(kept) ? kept.slice(0, KEPT_MAX).flatMap(arrivalOf) : [];
    return arrivals.filter((arrival, i) => !isSameArrival(arrival, arrivals[i - 1]));
  } catch {
    return [];
  }
}

/** The first and the last touch may be the same. */
function isSameArrival(one: Arrival, before: Arrival | undefined): boolean {
  if (before === undefined) return false;
  const isSamePlace = one.page === before.page && one.referrer === before.referrer;
  return one.at === before.at || (isSamePlace && one.at - before.at < SAME_ARRIVAL_MS_MAX);
}

function arrivalOf(kept: unknown): Arrival[] {
  const [at, page, referrer] = Array.isArray(kept) ? kept : [];
  if (!Number.isSafeInteger(at) || typeof page !== 'string') return [];
  const address = boundedAddress(page);
  return [
    {
      at,
      page: address,
      referrer: typeof referrer === 'string' ? referrer : null,
      params: campaignParams(address),
    },
  ];
}
