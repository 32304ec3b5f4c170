import { hostUrl, webUrl } from '../../lib/web-address.ts';

/** More than any page needs, and little enough for whatever stands between us and a browser. */
const BASE_CHARS_MAX = 2048;
const CONTROL_CHARACTER = /\p{Cc}/u;
/** `//host` and `/\host` look like paths, but a browser would leave the site for them. */
const PATH_ONLY = /^\/(?![/\\])/;
/** Marks belong to the letter before them, in Hindi as in Vietnamese. */
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/**
 * The page a visitor is sent to after the form, or null when nothing says where that would be. Every SOURCE
 * goes to the same page; only an internal TEAM has one of its own.
 */
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
  const url = PATH_ONLY.test(domain) ? pathOn(refererOrigin, domain) : (webUrl(domain) ?? hostUrl(domain));
  if (url === null) return null;
  const base = url.origin + withoutTrailingSlashes(url.pathname);
  // What is not ASCII grows when it is encoded.
  return base.length <= BASE_CHARS_MAX ? base : null;
}

/** Appended as text, so that nothing in the path can name another host. */
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
