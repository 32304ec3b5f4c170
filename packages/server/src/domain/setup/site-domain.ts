import { makeLru } from '../../lib/lru.ts';
import { HOST_CHARS_MAX, hostUrl, isIpHost, webUrl, withoutTrailingDot } from '../../lib/web-address.ts';

/**
 * Which pages may send forms for a site. A rule is `example.com`, which means its `www.` too, `*.example.com`,
 * which means everything below but not itself, or either with a port.
 */

const SCHEME = /^https?:\/\//i;
const ANY_BELOW = '*.';
const WWW = 'www.';
const SEVERAL_COLONS = /^[^[:]*:[^:]*:/;

/** A rule as it is kept and compared, or null when the text is none. An address may be pasted as it is. */
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

/** An IPv6 address is mostly written bare, but stands in brackets wherever a port may follow. */
function withBrackets(address: string): string {
  return SEVERAL_COLONS.test(address) && isIpHost(address) ? `[${address}]` : address;
}

function readHost(address: string): { name: string; port: string } | null {
  const url = hostUrl(address);
  if (url === null) return null;
  // A URL hides the port that its scheme implies, so a port that was typed is hidden from one scheme at most.
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

/** Says whether a page, given as its Origin or address, is on a domain that the rules allow. */
export function isAllowedOrigin(page: string, rules: readonly string[]): boolean {
  const matching = knownRulesMatching(page);
  return rules.some((rule) => matching.has(rule));
}

/** A site has few origins, and each sends many forms. */
const rulesByPage = makeLru<ReadonlySet<string>>({ entriesMax: 256 });

function knownRulesMatching(page: string): ReadonlySet<string> {
  return rulesByPage.getOrInsertComputed(page, () => {
    const url = webUrl(page);
    return url === null ? new Set() : rulesMatching(url);
  });
}

/** All the rules that would let a page in, so that a rule is compared as a whole and never taken apart. */
function rulesMatching(page: URL): Set<string> {
  const name = withoutTrailingDot(page.hostname);
  if (name.length > HOST_CHARS_MAX) return new Set();
  const port = page.port || (page.protocol === 'https:' ? '443' : '80');
  const hosts = [name, withoutWww(name), ...parentsOf(name).map((parent) => ANY_BELOW + parent)];
  const withPort = hosts.map((host) => `${host}:${port}`);
  return new Set(page.port === '' || isLocal(name) ? [...hosts, ...withPort] : withPort);
}

function parentsOf(name: string): string[] {
  if (isIpHost(name)) return [];
  const labels = name.split('.');
  return labels.slice(1).map((_, i) => labels.slice(i + 1).join('.'));
}

/** Where people develop the port changes from day to day, and says nothing about who owns the page. */
function isLocal(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isIpHost(name);
}

/** The page a request comes from, by Origin and else by Referer, or null when neither is a web address. */
export function callerPage(headers: {
  origin?: string | undefined;
  referer?: string | undefined;
}): string | null {
  return [headers.origin, headers.referer].find(isPage) ?? null;
}

function isPage(page: string | undefined): page is string {
  return page !== undefined && knownRulesMatching(page).size > 0;
}
