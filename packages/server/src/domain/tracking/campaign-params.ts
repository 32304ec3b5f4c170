import { bounded } from './page-address.ts';
import { isPrivateParameter } from './private-parameters.ts';

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
/** Only those that were given; '' is one whose value is not kept. */
export type CampaignParams = Readonly<Partial<Record<CampaignParam, string>>>;

const VALUE_CHARS_MAX = 512;
const PARAMETER = /[?&](utm_(?:source|medium|campaign|term|content)|gclid|fbclid|msclkid)=([^&#]+)/gi;
const NONE: CampaignParams = {};

/** The campaign parameters of an address; of a repeated one the first. */
export function campaignParams(address: string): CampaignParams {
  if (!address.includes('?')) return NONE;
  const params: Partial<Record<CampaignParam, string>> = {};
  const fragment = address.indexOf('#');
  const query = fragment === -1 ? address : address.slice(0, fragment);
  for (const [, name = '', value = ''] of query.matchAll(PARAMETER)) {
    const text = bounded(decoded(value).trim(), VALUE_CHARS_MAX);
    if (text !== '') params[name.toLowerCase() as CampaignParam] ??= text;
  }
  return params;
}

/** Without e-mail addresses and the like. That there was a click id says where a visit came from, whatever its value. */
export function withoutPrivateParams(params: CampaignParams, redacted: readonly string[]): CampaignParams {
  const entries = Object.entries(params) as [CampaignParam, string][];
  if (entries.every(([name, value]) => !isPrivateParameter(name, value, redacted))) return params;
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      if (!isPrivateParameter(name, value, redacted)) return [[name, value]];
      return name.startsWith('utm_') ? [] : [[name, '']];
    }),
  );
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
