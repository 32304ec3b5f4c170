import type { Channel } from '@leadtrail/contract/channels';
import type { CampaignParams } from './campaign-params.ts';
import { channelOf, DIRECT_SOURCE, NONE, referredMedium } from './channels.ts';

/** Where a visit came from: by its campaign parameters, else its click id, else its referrer. */

export const CLICK_IDS = ['gclid', 'msclkid', 'fbclid'] as const;
export type ClickId = (typeof CLICK_IDS)[number];

export type VisitOrigin = {
  source: string;
  medium: string;
  campaign: string;
  term: string;
  content: string;
  click_id: ClickId | '';
  channel: Channel;
};

const BY_CLICK: Readonly<Record<ClickId, { source: string; medium: string }>> = {
  gclid: { source: 'google', medium: 'cpc' },
  msclkid: { source: 'bing', medium: 'cpc' },
  fbclid: { source: 'facebook', medium: 'social' },
};

const DIRECT: VisitOrigin = {
  source: DIRECT_SOURCE,
  medium: NONE,
  campaign: NONE,
  term: NONE,
  content: NONE,
  click_id: '',
  channel: 'Direct',
};

/** `referrer` is a domain without `www.`; '' where there is none or it is the site's own. */
export function visitOrigin(
  params: CampaignParams,
  referrer: string,
  portalDomains: readonly string[],
): VisitOrigin {
  const clickId = CLICK_IDS.find((each) => params[each] !== undefined);
  if (referrer === '' && clickId === undefined && !UTM.some((each) => params[each])) return DIRECT;
  const click = clickId === undefined ? undefined : BY_CLICK[clickId];
  const source = params.utm_source?.toLowerCase() || click?.source || referrer || DIRECT_SOURCE;
  const medium =
    params.utm_medium?.toLowerCase() || click?.medium || (referrer ? referredMedium(referrer) : NONE);
  const campaign = params.utm_campaign || NONE;
  return {
    source,
    medium,
    campaign,
    term: params.utm_term || NONE,
    content: params.utm_content || NONE,
    click_id: clickId ?? '',
    channel: channelOf({ source, medium, campaign }, portalDomains),
  };
}

const UTM = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
