import { memoize } from '../../lib/memoize.ts';

export const VPN_SUSPECTED_FROM = 50;

export type VpnEvidence = {
  /** The address belongs to a hosting, cloud or VPN network. */
  hosting: boolean;
  country: string | null;
  /** The browser's own timezone, an IANA name. */
  timezone: string | undefined;
  /** Distinct networks the fingerprint was seen on within 24 hours, this one included. */
  networksLastDay: number;
  /** `navigator.platform`, or the platform of the user-agent client hints. */
  platform: string | undefined;
  userAgent: string | undefined;
};

const HOSTING_POINTS = 50;
const TIMEZONE_POINTS = 30;
const NETWORKS_POINTS = 20;
const PLATFORM_POINTS = 10;
const NETWORKS_SUSPECTED_FROM = 3;
const SCORE_MAX = 100;

/** How likely the visitor uses a VPN or proxy, from 0 to 100. */
export function vpnScore(evidence: VpnEvidence): number {
  let score = 0;
  if (evidence.hosting) score += HOSTING_POINTS;
  if (timezoneContradicts(evidence.timezone, evidence.country)) score += TIMEZONE_POINTS;
  if (evidence.networksLastDay >= NETWORKS_SUSPECTED_FROM) score += NETWORKS_POINTS;
  if (platformContradicts(evidence.platform, evidence.userAgent)) score += PLATFORM_POINTS;
  return Math.min(score, SCORE_MAX);
}

const COUNTRY_CODE = /^[A-Z]{2}$/;
const TIMEZONE_CHARS_MAX = 64;
/** There are about 250 countries and 600 zone names; browsers could send anything. */
const COUNTRIES_CACHED_MAX = 300;
const TIMEZONES_CACHED_MAX = 1000;

function timezoneContradicts(timezone: string | undefined, country: string | null): boolean {
  if (timezone === undefined || country === null) return false;
  const zone = canonicalZone(timezone);
  if (zone === null) return false;
  const zones = zonesOf(country);
  return zones.size > 0 && !zones.has(zone);
}

const zonesOf = memoize(COUNTRIES_CACHED_MAX, (country): ReadonlySet<string> => {
  if (!COUNTRY_CODE.test(country)) return new Set();
  const zones = new Intl.Locale(`und-${country}`).getTimeZones() ?? [];
  return new Set(zones.map(canonicalZone).filter((zone) => zone !== null));
});

/** One name for all aliases of a zone (Asia/Kolkata and Asia/Calcutta); null: not a zone. */
function canonicalZone(timezone: string): string | null {
  return timezone.length > TIMEZONE_CHARS_MAX ? null : readZone(timezone);
}

const readZone = memoize(TIMEZONES_CACHED_MAX, (timezone): string | null => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
});

type System = 'windows' | 'mac' | 'ios' | 'android' | 'chromeos' | 'linux';

/** First match wins: mobile user agents name the desktop system they resemble as well. */
const SYSTEM_IN_USER_AGENT: readonly (readonly [RegExp, System])[] = [
  [/windows/i, 'windows'],
  [/iphone|ipad|ipod/i, 'ios'],
  [/android/i, 'android'],
  [/macintosh|mac os x/i, 'mac'],
  [/\bcros\b/i, 'chromeos'],
  [/linux|x11/i, 'linux'],
];

/**
 * Systems that a platform may truthfully appear as. Phones and tablets that ask for the desktop site claim
 * to be a Mac or Linux, and Android and Chrome OS report Linux as their platform.
 */
const SYSTEMS_OF_PLATFORM: readonly (readonly [RegExp, readonly System[]])[] = [
  [/^win/i, ['windows']],
  [/^mac/i, ['mac', 'ios']],
  [/^(iphone|ipad|ipod|ios)/i, ['ios', 'mac']],
  [/^android/i, ['android', 'linux']],
  [/^(chrome ?os|chromium os|cros)/i, ['chromeos', 'linux']],
  [/^linux/i, ['linux', 'android', 'chromeos']],
];

function platformContradicts(platform: string | undefined, userAgent: string | undefined): boolean {
  if (platform === undefined || userAgent === undefined) return false;
  const system = SYSTEM_IN_USER_AGENT.find(([pattern]) => pattern.test(userAgent))?.[1];
  const possible = SYSTEMS_OF_PLATFORM.find(([pattern]) => pattern.test(platform))?.[1];
  return system !== undefined && possible !== undefined && !possible.includes(system);
}
