import { memoize } from '../../lib/memoize.ts';
import { HOST_CHARS_MAX, hostUrl, isIpHost, webUrl, withoutTrailingDot } from '../../lib/web-address.ts';

/**
 * Which pages may send forms for a site. A rule is `example.com`, which means its `www.` too, or `*.example.com`,
 * which means everything below but not itself, both on any port; `localhost:3000` allows that port only.
 */

const SCHEME = /^https?:\/\//i;
const ANY_BELOW = '*.';
const WWW = 'www.';
const SEVERAL_COLONS = /^[^[:]*:[^:]*:/;

/** The normal form of a rule; null: not a rule. A pasted URL is fine. */
export function parseDomainRule(text: string): string | null {
  const typed = text.trim();
  return typed.startsWith(ANY_BELOW) ? wildcardRule(typed.slice(ANY_BELOW.length)) : hostRule(typed);
}

function wildcardRule(parent: string): string | null {
  const host = readHost(parent);
  return host === null || isIpHost(host.name) ? null : ANY_BELOW + host.name + host.port;
}

function hostRule(typed: string): string | null {
  const host = readHost(withBrackets(typed.replace(SCHEME, '')));
  return host === null ? null : withoutWww(host.name) + host.port;
}

/** IPv6 addresses are mostly typed without the brackets that URLs need. */
function withBrackets(address: string): string {
  return SEVERAL_COLONS.test(address) && isIpHost(address) ? `[${address}]` : address;
}

function readHost(address: string): { name: string; port: string } | null {
  const url = hostUrl(address);
  if (url === null) return null;
  // URL drops the default port of its scheme, so a typed 443 or 80 shows with the other scheme.
  const port = url.port || URL.parse(`http://${address}`)?.port;
  if (port === '0') return null;
  return { name: withoutTrailingDot(url.hostname), port: port ? `:${port}` : '' };
}

/** `www.com` is a domain of its own, and so is `www.www.example.com`: a name loses one `www.`, or it is kept whole. */
function withoutWww(name: string): string {
  return hasWww(name) && !hasWww(name.slice(WWW.length)) ? name.slice(WWW.length) : name;
}

function hasWww(name: string): boolean {
  return name.startsWith(WWW) && name.includes('.', WWW.length);
}

/** `page` is an Origin or a URL. */
export function isAllowedOrigin(page: string, rules: readonly string[]): boolean {
  const matching = rulesMatching(page);
  return rules.some((rule) => matching.has(rule));
}

export type SiteDomains = { readonly site_key: string; readonly domains: readonly string[] };

/** The first site that a page may be on. */
export function siteOfPage(page: string, sites: readonly SiteDomains[]): SiteDomains | undefined {
  return sites.find(({ domains }) => isAllowedOrigin(page, domains));
}

/** All rules that would allow a page, so that rules are compared as whole strings. A site has few origins. */
const rulesMatching = memoize(256, (page): ReadonlySet<string> => {
  const url = webUrl(page);
  const name = withoutTrailingDot(url?.hostname ?? '');
  if (url === null || name.length > HOST_CHARS_MAX) return new Set();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const hosts = [name, withoutWww(name), ...parentsOf(name).map((parent) => ANY_BELOW + parent)];
  return new Set([...hosts, ...hosts.map((host) => `${host}:${port}`)]);
});

function parentsOf(name: string): string[] {
  if (isIpHost(name)) return [];
  const labels = name.split('.');
  return labels.slice(1).map((_, i) => labels.slice(i + 1).join('.'));
}

/** The page a request comes from, or null if neither header is a web address. */
export function callerPage(headers: {
  origin?: string | undefined;
  referer?: string | undefined;
}): string | null {
  return [headers.origin, headers.referer].find(isPage) ?? null;
}

function isPage(page: string | undefined): page is string {
  return page !== undefined && rulesMatching(page).size > 0;
}
