import { makeLru } from '../lib/lru.ts';
import { SECOND_MS } from '../lib/utc-time.ts';

type Rule = { list: 'blocked' | 'whitelisted' } | null;

/** A client over its limit keeps sending; do not ask the store each time. */
const KEPT_MS = 5 * SECOND_MS;
const ADDRESSES_KEPT_MAX = 10_000;

/** The upper bound guards against a clock that was set back. */
const isFresh = (leftMs: number) => leftMs > 0 && leftMs <= KEPT_MS;

/**
 * Whether an address is on the whitelist. May be some seconds out of date, if another process has changed it.
 */
export type WhitelistCheck = {
  (ip: string): Promise<boolean>;
  /** Called when this process has changed the whitelist. */
  forget(): void;
};

export function makeWhitelistCheck(
  findRule: (ip: string) => Promise<Rule>,
  now: () => number,
  /** By the list as last read, while the store is away. */
  wasWhitelisted: (ip: string) => boolean,
): WhitelistCheck {
  const nothing = () =>
    makeLru<{ until: number; isWhitelisted: Promise<boolean> }>({ entriesMax: ADDRESSES_KEPT_MAX });
  let kept = nothing();
  const check = (ip: string) => {
    const at = now();
    const known = kept.get(ip);
    if (known !== undefined && isFresh(known.until - at)) return known.isWhitelisted;
    const isWhitelisted = findRule(ip).then(
      (rule) => rule?.list === 'whitelisted',
      () => wasWhitelisted(ip),
    );
    kept.set(ip, { until: at + KEPT_MS, isWhitelisted });
    return isWhitelisted;
  };
  const forget = () => {
    kept = nothing();
  };
  return Object.assign(check, { forget });
}
