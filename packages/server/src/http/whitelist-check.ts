import { SECOND_MS } from '../lib/utc-time.ts';

type Rule = { list: 'blocked' | 'whitelisted' } | null;

/** Someone over a limit is asked about again and again; the store should not be. */
const KEPT_MS = 5 * SECOND_MS;
const ADDRESSES_KEPT_MAX = 10_000;

/** Whether an address is on the whitelist, as of a few seconds ago. */
export function makeWhitelistCheck(
  findRule: (ip: string) => Promise<Rule>,
  now: () => number,
): (ip: string) => Promise<boolean> {
  const kept = new Map<string, { until: number; isWhitelisted: Promise<boolean> }>();
  return (ip) => {
    const at = now();
    const known = kept.get(ip);
    if (known !== undefined && at < known.until) return known.isWhitelisted;
    if (kept.size >= ADDRESSES_KEPT_MAX) kept.clear();
    const isWhitelisted = findRule(ip).then(
      (rule) => rule?.list === 'whitelisted',
      // Without the store nobody can be told apart, and a limit is a limit.
      () => false,
    );
    kept.set(ip, { until: at + KEPT_MS, isWhitelisted });
    return isWhitelisted;
  };
}
