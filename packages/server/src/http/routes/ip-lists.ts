import { AppError } from '../../lib/errors.ts';
import { canonicalIp } from '../../lib/ip-address.ts';
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

function addressOf(text: string, what: 'body' | 'path'): string {
  const ip = canonicalIp(text);
  if (ip === null) throw invalidField(what, 'ip', 'must be an IP address');
  return ip;
}
