import { bounded } from './page-address.ts';
import { isPrivateParameter, partLookedAt } from './private-parameters.ts';

export const CAMPAIGN_PARAMS = [
  'gclid',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'fbclid',
  'msclkid',
] as const;
export type CampaignParam = (typeof CAMPAIGN_PARAMS)[number];
/** Only those that were given; '': its value was redacted. */
export type CampaignParams = Readonly<Partial<Record<CampaignParam, string>>>;

const VALUE_CHARS_MAX = 512;
const PARAMETER = /[?&](utm_(?:source|medium|campaign|term|content)|gclid|fbclid|msclkid)=([^&#]+)/gi;
const NONE: CampaignParams = {};

/** The campaign parameters of an address; of a repeated one the first. */
export function campaignParams(address: string): CampaignParams {
  if (!address.includes('?')) return NONE;
  const params: Partial<Record<CampaignParam, string>> = {};
  for (const [name, value] of wholeParams(address)) params[name] = bounded(value, VALUE_CHARS_MAX);
  return params;
}

/**
 * The campaign parameters of a visited address, redacted. Values are cut only afterwards, because half an
 * e-mail address would not be recognised. A redacted click id becomes '', as its presence still tells the
 * source.
 */
export function visitedCampaign(address: string, redacted: readonly string[]): CampaignParams {
  if (!address.includes('?')) return NONE;
  const params: Partial<Record<CampaignParam, string>> = {};
  for (const [name, value] of wholeParams(partLookedAt(address))) {
    if (!isPrivateParameter(name, value, redacted)) params[name] = bounded(value, VALUE_CHARS_MAX);
    else if (!name.startsWith('utm_')) params[name] = '';
  }
  return params;
}

function wholeParams(address: string): Map<CampaignParam, string> {
  const params = new Map<CampaignParam, string>();
  const fragment = address.indexOf('#');
  const query = fragment === -1 ? address : address.slice(0, fragment);
  for (const [, given = '', value = ''] of query.matchAll(PARAMETER)) {
    const name = given.toLowerCase() as CampaignParam;
    const text = decoded(value).trim();
    if (text !== '' && !params.has(name)) params.set(name, text);
  }
  return params;
}

export function isTagged(params: CampaignParams): boolean {
  for (const _ in params) return true;
  return false;
}

function decoded(value: string): string {
  const spaced = value.includes('+') ? value.replaceAll('+', ' ') : value;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
