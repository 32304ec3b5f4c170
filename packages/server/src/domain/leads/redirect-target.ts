import { hostUrl, webUrl } from '../../lib/web-address.ts';

/** Proxies bound the length of headers. */
const BASE_CHARS_MAX = 2048;
const CONTROL_CHARACTER = /\p{Cc}/u;
/** Browsers take `//host` and `/\host` for another host: an open redirect. */
const PATH_ONLY = /^\/(?![/\\])/;
/** `lp/one`: its first part is not a host name. */
const PATH_WITHOUT_SLASH = /^(?!localhost\/)[^/\\.:@?#]+\//i;
/** Combining marks belong to the letter before them. */
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/** The thank-you page, or null if neither DOMAIN nor Referer says where it is. Internal teams have their own. */
export function redirectTarget(
  form: { domain: string; team: string; source: string },
  referer: string | undefined,
  internalTeams: readonly string[],
): string | null {
  const origin = webUrl(referer ?? '')?.origin ?? null;
  const base = baseFromDomain(form.domain.trim(), origin) ?? origin;
  if (base === null) return null;
  const slug = internalTeamSlug(form.team, internalTeams);
  const page = slug === '' ? 'thank-you.html' : `thank-you-${slug}`;
  return new URL(`${base}/${page}`).href;
}

function baseFromDomain(domain: string, refererOrigin: string | null): string | null {
  if (CONTROL_CHARACTER.test(domain)) return null;
  const path = PATH_WITHOUT_SLASH.test(domain) ? `/${domain}` : domain;
  const url = PATH_ONLY.test(path) ? pathOn(refererOrigin, path) : (webUrl(path) ?? hostUrl(path));
  if (url === null) return null;
  const base = url.origin + withoutTrailingSlashes(url.pathname);
  // Checked after percent-encoding, which makes it longer.
  return base.length <= BASE_CHARS_MAX ? base : null;
}

/** Concatenated rather than resolved, so that the path cannot name another host. */
function pathOn(origin: string | null, path: string): URL | null {
  return origin === null ? null : URL.parse(origin + path);
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

function internalTeamSlug(team: string, internalTeams: readonly string[]): string {
  const name = folded(team);
  if (!internalTeams.some((internal) => folded(internal) === name)) return '';
  return (name.match(WORD) ?? []).join('-');
}

function folded(team: string): string {
  return team.trim().toLowerCase();
}
