import { AppError } from '../../lib/errors.ts';
import { type NotANetwork, parseIpNetwork } from '../../lib/ip-network.ts';
import { dateTime } from '../../lib/utc-time.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { invalidField } from '../invalid-field.ts';
import { kept } from '../kept.ts';
import { searchText } from '../search-text.ts';

type IpListName = 'blockedIps' | 'blockIp' | 'unblockIp' | 'whitelistedIps' | 'whitelistIp' | 'unwhitelistIp';

const IS_WHITELISTED = 'IP cannot be both whitelisted and blocked. Remove it from the whitelist first.';
const IS_BLOCKED = 'IP cannot be both whitelisted and blocked. Unblock it first.';

export function ipListRoutes({
  store,
  now,
}: {
  store: Store;
  now: () => number;
}): Pick<Handlers, IpListName> {
  return {
    blockedIps: kept({ from: ['ipRules'] }, async ({ query }) => {
      const { rules, total } = await store.ipRules({ ...pageOf(query), list: 'blocked' });
      const blocked_ips = rules.map(({ ip, listed_at, reason, country, referer }) => ({
        ip,
        blocked_at: dateTime(listed_at),
        reason,
        country,
        referer,
      }));
      return { blocked_ips, total };
    }),
    blockIp: async ({ body: { ip, reason, country, referer } }) => {
      const added = await store.addIpRule({
        ip: addressOf(ip, 'body'),
        list: 'blocked',
        listed_at: now(),
        reason,
        country,
        referer,
        note: '',
        usage: 'internal',
      });
      if (!added) throw new AppError('invalid', IS_WHITELISTED);
      return { blocked: true };
    },
    unblockIp: async ({ params }) => {
      await store.removeIpRule({ ip: addressOf(params.ip, 'path'), list: 'blocked' });
      return { unblocked: true };
    },

    whitelistedIps: kept({ from: ['ipRules'] }, async ({ query }) => {
      const { rules, total } = await store.ipRules({ ...pageOf(query), list: 'whitelisted' });
      const whitelisted_ips = rules.map(({ ip, listed_at, note, usage }) => ({
        ip,
        whitelisted_at: dateTime(listed_at),
        note,
        usage,
      }));
      return { whitelisted_ips, total };
    }),
    whitelistIp: async ({ body: { ip, note, usage } }) => {
      const added = await store.addIpRule({
        ip: addressOf(ip, 'body'),
        list: 'whitelisted',
        listed_at: now(),
        reason: '',
        country: '',
        referer: '',
        note,
        usage,
      });
      if (!added) throw new AppError('invalid', IS_BLOCKED);
      return { whitelisted: true };
    },
    unwhitelistIp: async ({ params }) => {
      await store.removeIpRule({ ip: addressOf(params.ip, 'path'), list: 'whitelisted' });
      return { removed: true };
    },
  };
}

type ListQuery = { ip?: string | undefined; q?: string | undefined; limit: number; offset: number };

function pageOf({ ip, q, limit, offset }: ListQuery) {
  return { parts: [ip, q].map(searchText).filter((part) => part !== ''), limit, offset };
}

const REASONS: Readonly<Record<NotANetwork, string>> = {
  unreadable: 'must be an IP address or a CIDR range such as 203.0.113.0/24',
  host_bits: 'must be the first address of its range, as in 203.0.113.0/24',
  too_large: 'must be a range of /8 or smaller, for IPv6 of /16 or smaller',
};

function addressOf(text: string, what: 'body' | 'path'): string {
  const network = parseIpNetwork(text);
  if (typeof network === 'string') throw invalidField(what, 'ip', REASONS[network]);
  return network.text;
}
