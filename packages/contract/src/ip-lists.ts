import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, DateTime, paging } from './fields.ts';
import { LIST_DEFAULT, LIST_MAX, MANAGEMENT_BYTES_MAX } from './limits.ts';

const NOTE_CHARS_MAX = 1024;
const ADDRESS_CHARS_MAX = 2048;
const IP_CHARS_MAX = 64;

const ADDRESS =
  'an address, or a CIDR range of at most a /8 (IPv6: /16), such as 203.0.113.0/24; must not overlap the other list';
const Ip = z.string().trim().min(1).max(IP_CHARS_MAX);
const text = (charsMax: number) =>
  z
    .string()
    .max(charsMax)
    .nullish()
    .transform((given) => given ?? '');

const listQuery = z.object({
  ip: z
    .string()
    .optional()
    .describe('part of an IP address or range; a whole address also finds the ranges it is in'),
  q: z.string().optional().describe('alias of ip'),
  ...paging({ default: LIST_DEFAULT, max: LIST_MAX }),
});
const ipParams = z.object({ ip: Ip.describe('an address or a CIDR range, URL-encoded') });

const reading = { method: 'GET', group: 'IP lists', auth: 'marketing', cache: 'no-store' } as const;
const adding = {
  method: 'POST',
  group: 'IP lists',
  auth: 'admin',
  cache: 'no-store',
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
} as const;
const removing = { method: 'DELETE', group: 'IP lists', auth: 'admin', cache: 'no-store' } as const;
const readErrors = { 401: ApiError, 500: ApiError, 503: ApiError };
const removeErrors = { 400: ApiError, 401: ApiError, 403: ApiError, 500: ApiError, 503: ApiError };
const addErrors = { ...removeErrors, 413: ApiError };

export const WHITELIST_USAGES = ['test', 'internal'] as const;

export const blockedIps = endpoint({
  ...reading,
  path: '/analytics/blocked-ips',
  summary: 'Blocked IP addresses and ranges, latest first',
  query: listQuery,
  responses: {
    200: z.object({
      blocked_ips: z.array(
        z.object({
          ip: z.string(),
          blocked_at: DateTime,
          reason: z.string(),
          country: z.string(),
          referer: z.string(),
        }),
      ),
      total: Count,
    }),
    ...readErrors,
  },
});

export const blockIp = endpoint({
  ...adding,
  path: '/analytics/blocked-ips',
  summary: 'Block an IP address or a range; repeating it updates the entry',
  body: z.object({
    ip: Ip.describe(ADDRESS),
    reason: text(NOTE_CHARS_MAX),
    country: text(NOTE_CHARS_MAX),
    referer: text(ADDRESS_CHARS_MAX),
  }),
  responses: { 201: z.object({ blocked: z.literal(true) }), ...addErrors },
});

export const unblockIp = endpoint({
  ...removing,
  path: '/analytics/blocked-ips/:ip',
  summary: 'Unblock an IP address or a range',
  params: ipParams,
  responses: { 200: z.object({ unblocked: z.literal(true) }), ...removeErrors },
});

export const whitelistedIps = endpoint({
  ...reading,
  path: '/analytics/whitelisted-ips',
  summary: 'Whitelisted IP addresses and ranges, latest first',
  query: listQuery,
  responses: {
    200: z.object({
      whitelisted_ips: z.array(
        z.object({
          ip: z.string(),
          whitelisted_at: DateTime,
          note: z.string(),
          usage: z.enum(WHITELIST_USAGES),
        }),
      ),
      total: Count,
    }),
    ...readErrors,
  },
});

export const whitelistIp = endpoint({
  ...adding,
  path: '/analytics/whitelisted-ips',
  summary: 'Whitelist an IP address or a range; repeating it updates the entry',
  body: z.object({
    ip: Ip.describe(ADDRESS),
    note: text(NOTE_CHARS_MAX),
    usage: z
      .enum(WHITELIST_USAGES)
      .nullish()
      .transform((usage) => usage ?? 'internal')
      .meta({ default: 'internal' })
      .describe('test: submissions from it become testing leads'),
  }),
  responses: { 201: z.object({ whitelisted: z.literal(true) }), ...addErrors },
});

export const unwhitelistIp = endpoint({
  ...removing,
  path: '/analytics/whitelisted-ips/:ip',
  summary: 'Remove an IP address or a range from the whitelist',
  params: ipParams,
  responses: { 200: z.object({ removed: z.literal(true) }), ...removeErrors },
});
