import type { Channel } from '@leadtrail/contract/channels';
import { memoize } from '../../lib/memoize.ts';

/** Channel grouping. docs/SITES.md has this table for people who tag links. */

export const DIRECT_SOURCE = '(direct)';
export const NONE = '(none)';

/** What is known of the visit, source and medium in lower case. */
export type Tagged = { source: string; medium: string; campaign: string };

const PAID = /^(?:cp[acmpv]|ppc|retargeting|remarketing|paid.*)$/;
const DISPLAY = /^(?:display|banner|cpm|interstitial|programmatic|paid[-_ ]?display)$/;
const EMAIL = /^e[-_ ]?mail|^mail(?:ing)?$|newsletter/;
const SOCIAL = /(?:^|[-_ ])social(?:$|[-_ ])|^paidsocial$|^sm$/;

/** The first match wins. */
const RULES: readonly (readonly [
  Channel,
  (visit: Tagged, kind: SourceKind, isPortal: boolean) => boolean,
])[] = [
  ['Portal', (_, __, isPortal) => isPortal],
  ['Paid social', ({ medium }, kind) => PAID.test(medium) && (kind === 'social' || SOCIAL.test(medium))],
  ['Display', ({ medium }) => DISPLAY.test(medium)],
  ['Paid search', ({ medium }) => PAID.test(medium)],
  ['E-mail', ({ source, medium }, kind) => EMAIL.test(medium) || EMAIL.test(source) || kind === 'email'],
  ['Social', ({ medium }, kind) => SOCIAL.test(medium) || (kind === 'social' && medium !== 'referral')],
  ['Organic search', ({ medium }, kind) => medium === 'organic' || (kind === 'search' && medium === NONE)],
  [
    'Direct',
    ({ source, medium, campaign }) => source === DIRECT_SOURCE && medium === NONE && campaign === NONE,
  ],
  ['Referral', () => true],
];

export function channelOf(visit: Tagged, portalDomains: readonly string[]): Channel {
  const isPortal = portalDomains.some((domain) => isFrom(visit.source, domain));
  const kind = sourceKind(visit.source);
  return RULES.find(([, holds]) => holds(visit, kind, isPortal))?.[0] ?? 'Referral';
}

/** A domain, one below it, or its name: `immo.example`, `m.immo.example`, `immo`. */
function isFrom(source: string, domain: string): boolean {
  return source === domain || source.endsWith(`.${domain}`) || source === domain.split('.')[0];
}

/** The medium of an untagged visit, by its referrer. */
export function referredMedium(domain: string): 'organic' | 'social' | 'referral' {
  const kind = sourceKind(domain);
  if (kind === 'search') return 'organic';
  return kind === 'social' ? 'social' : 'referral';
}

type SourceKind = 'search' | 'social' | 'email' | null;

/** Under any top-level domain, and as people write them in `utm_source`. */
const SEARCH_NAMES =
  `google googleads google_ads google-ads adwords bing bingads microsoft msn yahoo duckduckgo ecosia
  baidu yandex qwant startpage naver daum seznam ask aol kagi mojeek metager swisscows sogou brave`.split(
    /\s+/,
  );
const SOCIAL_NAMES =
  `facebook fb meta instagram ig threads linkedin twitter tiktok youtube yt pinterest reddit xing
  snapchat whatsapp telegram vk vkontakte quora tumblr weibo wechat mastodon bluesky bsky nextdoor discord`.split(
    /\s+/,
  );
const DOMAINS: ReadonlyMap<string, SourceKind> = new Map([
  ...['so.com', 'com.google.android.googlequicksearchbox', 'search.brave.com'].map(of('search')),
  ...['t.co', 'x', 'x.com', 'lnkd.in', 'fb.me', 'youtu.be', 'pin.it', 'wa.me', 't.me', 'redd.it'].map(
    of('social'),
  ),
  ...['com.facebook.katana', 'com.instagram.android', 'com.linkedin.android', 'com.twitter.android'].map(
    of('social'),
  ),
  ...['mail.google.com', 'com.google.android.gm', 'outlook.live.com', 'outlook.office.com'].map(of('email')),
  ...['outlook.office365.com', 'mail.yahoo.com', 'mail.aol.com', 'mail.proton.me', 'mail.yandex.ru'].map(
    of('email'),
  ),
]);
const NAMES: ReadonlyMap<string, SourceKind> = new Map([
  ...SEARCH_NAMES.map(of('search')),
  ...SOCIAL_NAMES.map(of('social')),
]);
/** Of addresses like `de.search.yahoo.com` and `l.facebook.com`; two letters are a country or language. */
const SUBDOMAIN = /^(?:..?|search|mobile|web|out|away|old|touch|images|business)\./;

function of<K extends NonNullable<SourceKind>>(kind: K): (name: string) => [string, SourceKind] {
  return (name) => [name, kind];
}

const sourceKind = memoize(1024, (source): SourceKind => {
  let name = source;
  for (;;) {
    const known = DOMAINS.get(name) ?? NAMES.get(name.split('.')[0] ?? '');
    if (known !== undefined) return known;
    const rest = name.replace(SUBDOMAIN, '');
    if (rest === name || !rest.includes('.')) return null;
    name = rest;
  }
});
