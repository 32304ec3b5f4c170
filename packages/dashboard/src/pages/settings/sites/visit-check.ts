import { call } from '../../../api/client.ts';

/** Waits for a visit to a site by polling the page views. */

const TOP_PAGES_MAX = 100;
const POLL_MS = 2000;
export const CHECK_MS_MAX = 60_000;

export type CheckResult =
  | { found: 'visit'; page: string }
  /** A page on no listed domain. */
  | { found: 'unlisted'; page: string }
  /** New visits, but to pages below the top of the report. */
  | { found: 'others' }
  | { found: 'nothing' };

type Domains = { domains: readonly string[] };
type Snapshot = { views: ReadonlyMap<string, number>; sessions: number };

export async function waitForVisit(
  site: Domains,
  allSites: readonly Domains[],
  signal: AbortSignal,
): Promise<CheckResult> {
  const until = Date.now() + CHECK_MS_MAX;
  const before = await takeSnapshot(signal);
  let unlisted: string | undefined;
  let hasOthers = false;
  while (Date.now() < until) {
    await pause(POLL_MS, signal);
    const now = await takeSnapshot(signal);
    const viewed = [...now.views.keys()].filter(
      (page) => (now.views.get(page) ?? 0) > (before.views.get(page) ?? 0),
    );
    const own = viewed.find((page) => isOnDomains(page, site.domains));
    if (own !== undefined) return { found: 'visit', page: own };
    unlisted ??= viewed.find((page) => !allSites.some(({ domains }) => isOnDomains(page, domains)));
    hasOthers ||= now.sessions > before.sessions;
  }
  if (unlisted !== undefined) return { found: 'unlisted', page: unlisted };
  return { found: hasOthers ? 'others' : 'nothing' };
}

async function takeSnapshot(signal: AbortSignal): Promise<Snapshot> {
  const [pages, { total_sessions_today }] = await Promise.all([
    call('topPages', { query: { limit: TOP_PAGES_MAX }, signal }),
    call('realtime', { signal }),
  ]);
  return { views: new Map(pages.map(({ page, views }) => [page, views])), sessions: total_sessions_today };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** The same domain rules as the service's. */
export function isOnDomains(page: string, domains: readonly string[]): boolean {
  if (!URL.canParse(page)) return false;
  const { hostname, port, protocol } = new URL(page);
  const labels = hostname.split('.');
  const names = [
    hostname,
    hostname.replace(/^www\./, ''),
    ...labels.slice(1).map((_, i) => `*.${labels.slice(i + 1).join('.')}`),
  ];
  const withPort = names.map((name) => `${name}:${port || (protocol === 'https:' ? '443' : '80')}`);
  const isLocal = /(^|\.)localhost$|^[\d.]+$|^\[/.test(hostname);
  const rules = new Set(port === '' || isLocal ? [...names, ...withPort] : withPort);
  return domains.some((domain) => rules.has(domain));
}
