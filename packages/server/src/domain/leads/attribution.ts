import {
  CAMPAIGN_PARAMS,
  type CampaignParams,
  campaignParams,
  isTagged,
} from '../tracking/campaign-params.ts';
import { DIRECT_SOURCE, NONE } from '../tracking/channels.ts';
import { pageKey } from '../tracking/page-address.ts';
import { visitOrigin } from '../tracking/visit-origin.ts';
import type { CustomFields } from './custom-fields.ts';
import { isDirect, type OriginVisit } from './touches.ts';

/** What a lead is credited to: the campaign its form names, else its last touch that was not direct. */
export type Attribution = {
  params: Required<CampaignParams>;
  medium: string;
  /** '' where nothing is known. */
  channel: string;
};

/** `form` is the campaign that the form names. */
export function attributionOf(
  form: CampaignParams,
  touches: readonly OriginVisit[],
  portalDomains: readonly string[],
): Attribution {
  if (isTagged(form)) {
    const { medium, channel } = visitOrigin(form, '', portalDomains);
    return { params: { ...NO_PARAMS, ...form }, medium: named(medium), channel };
  }
  // Only the first touch can be direct.
  const last = touches.at(-1);
  if (last === undefined || isDirect(last)) {
    return { ...NOTHING, channel: last?.channel ?? '' };
  }
  const { gclid = '', fbclid = '', msclkid = '' } = campaignParams(last.entry_page);
  const params = {
    utm_source: named(last.source),
    utm_medium: named(last.medium),
    utm_campaign: named(last.campaign),
    utm_term: named(last.term),
    utm_content: named(last.content),
    gclid,
    fbclid,
    msclkid,
  };
  return { params, medium: params.utm_medium, channel: last.channel };
}

const NO_PARAMS = Object.fromEntries(CAMPAIGN_PARAMS.map((param) => [param, ''])) as Required<CampaignParams>;

export const NOTHING: Attribution = { params: NO_PARAMS, medium: '', channel: '' };

/** Without the unknown ones. */
export function givenParams(params: Required<CampaignParams>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).filter(([, text]) => text !== ''));
}

/** Consumers of leads expect an empty text, not `(none)` or `(direct)`. */
function named(text: string | undefined): string {
  return text === undefined || text === NONE || text === DIRECT_SOURCE ? '' : text;
}

/** The origin part of what the automation platform gets. */
export type ForwardedOrigin = {
  utm_source: string;
  utm_medium: string;
  utm_campaign: string;
  utm_term: string;
  utm_content: string;
  gclid: string;
  fbclid: string;
  msclkid: string;
  channel: string;
  landing_page: string;
  first_source: string;
  first_medium: string;
  first_campaign: string;
  first_landing_page: string;
  cta_name: string;
  site_key: string;
  form_id: string;
  page_url: string;
  fields: CustomFields;
};

/** The parts of it that have columns of their own in an export of leads. */
export const ORIGIN_COLUMNS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'gclid',
  'fbclid',
  'msclkid',
  'landing_page',
  'first_source',
  'first_medium',
  'first_campaign',
  'first_landing_page',
  'cta_name',
] as const satisfies (keyof ForwardedOrigin)[];
export type OriginColumns = Pick<ForwardedOrigin, (typeof ORIGIN_COLUMNS)[number]>;

export function originColumns(
  attribution: Attribution,
  touches: readonly OriginVisit[],
  ctaName: string,
): OriginColumns {
  const form = { ctaName, siteKey: '', formId: '', page: '', fields: {} };
  const origin = forwardedOrigin(attribution, touches, form);
  return Object.fromEntries(ORIGIN_COLUMNS.map((name) => [name, origin[name]])) as OriginColumns;
}

export function forwardedOrigin(
  { params, channel }: Attribution,
  touches: readonly OriginVisit[],
  form: { ctaName: string; siteKey: string; formId: string; page: string; fields: CustomFields },
): ForwardedOrigin {
  const [first] = touches;
  return {
    utm_source: params.utm_source,
    utm_medium: params.utm_medium,
    utm_campaign: params.utm_campaign,
    utm_term: params.utm_term,
    utm_content: params.utm_content,
    gclid: params.gclid,
    fbclid: params.fbclid,
    msclkid: params.msclkid,
    channel,
    landing_page: pageKey(touches.at(-1)?.entry_page ?? ''),
    first_source: named(first?.source),
    first_medium: named(first?.medium),
    first_campaign: named(first?.campaign),
    first_landing_page: pageKey(first?.entry_page ?? ''),
    cta_name: form.ctaName,
    site_key: form.siteKey,
    form_id: form.formId,
    page_url: form.page,
    fields: form.fields,
  };
}
