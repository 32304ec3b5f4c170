import { type Expression, type SqlBool, sql } from 'kysely';
import { canonicalIp } from '../lib/ip-address.ts';
import { type IpNetwork, networksContaining, overlapOf, parseIpNetwork } from '../lib/ip-network.ts';
import type { Db } from './dialect.ts';
import { read, write } from './operation.ts';
import { countOf, type Page } from './paging.ts';
import type { IpRuleRow } from './schema.ts';

/** The addresses and ranges that are blocked and those that are whitelisted. */

/** With its address or range in canonical form. */
export type IpRule = Omit<IpRuleRow, 'network' | 'bits'>;

/** Locked to add an entry: of two concurrent opposite ones, the second must see the first. */
const IP_LISTS = 'IP lists';

/** Adds or updates the entry of an address or range. False: it overlaps an entry of the other list. */
export const addIpRule = write({ changes: ['ip-lists'] }, async (db, rule: IpRule): Promise<boolean> => {
  await db.dialect.lockEach([IP_LISTS]);
  if (await overlapsOtherList(db, rule)) return false;
  await db.query
    .insertInto('ip_rules')
    .values(rowOf(rule))
    .onConflict((conflict) =>
      conflict.column('ip').doUpdateSet(({ ref }) => ({
        listed_at: ref('excluded.listed_at'),
        reason: ref('excluded.reason'),
        country: ref('excluded.country'),
        referer: ref('excluded.referer'),
        note: ref('excluded.note'),
        usage: ref('excluded.usage'),
      })),
    )
    .execute();
  return true;
});

/** Whether any entry of the other list contains it or lies within it. */
async function overlapsOtherList({ query, dialect }: Db, { ip, list }: IpRule): Promise<boolean> {
  const { containing, from, until } = overlapOf(networkOf(ip));
  const found = await query
    .selectFrom('ip_rules')
    .select('ip')
    .where('list', '!=', list)
    .where(({ or, and, eb }) =>
      or([
        eb('network', 'in', dialect.anyOf(containing)),
        and([eb('network', '>=', from), eb('network', '<=', until)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

function rowOf(rule: IpRule): IpRuleRow {
  const { key, bits } = networkOf(rule.ip);
  return { ...rule, network: key, bits };
}

function networkOf(ip: string): IpNetwork {
  const network = parseIpNetwork(ip);
  if (typeof network === 'string') throw new Error('An entry of an IP list is not an address or range.');
  return network;
}

export const removeIpRule = write(
  { changes: ['ip-lists'] },
  async ({ query }, { ip, list }: Pick<IpRuleRow, 'ip' | 'list'>): Promise<void> => {
    await query.deleteFrom('ip_rules').where('ip', '=', ip).where('list', '=', list).execute();
  },
);

/** A page of a list, latest first. */
export const ipRules = read(
  { shows: ['ip-lists'] },
  async (
    db,
    { list, parts, limit, offset }: Page & { list: IpRuleRow['list']; parts: readonly string[] },
  ): Promise<{ rules: IpRule[]; total: number }> => {
    const shown = db.query
      .selectFrom('ip_rules')
      .where('list', '=', list)
      .where(({ and }) => and(parts.map((part) => isAbout(db, part))));
    const rules = await shown
      .select(['ip', 'list', 'listed_at', 'reason', 'country', 'referer', 'note', 'usage'])
      .orderBy('listed_at', 'desc')
      .orderBy('ip')
      .limit(limit)
      .offset(offset)
      .execute();
    return { rules, total: await countOf(shown) };
  },
);

/** A complete address matches itself and the ranges around it, not the text of unrelated ranges. */
function isAbout(db: Db, part: string): Expression<SqlBool> {
  const ip = canonicalIp(part);
  if (ip === null) return ipContains(db, part);
  const networks = db.dialect.anyOf(networksContaining(ip));
  return sql<SqlBool>`((bits is null and ${ipContains(db, ip)}) or network in ${networks})`;
}

/** A complete address may be spelled differently from the stored one. */
export function ipContains({ dialect }: Db, part: string): Expression<SqlBool> {
  return dialect.contains('ip', canonicalIp(part) ?? part);
}

/** Adds to each row whether its address is on the block list, by itself or in a range. */
export async function withIpBlocked<R extends { contact_ip: string }>(
  db: Db,
  rows: readonly R[],
): Promise<(R & { is_ip_blocked: number })[]> {
  const lengths = await lengthsInUse(db);
  const networks = new Map(
    rows.map(({ contact_ip }) => [contact_ip, networksOf(contact_ip, lengths)] as const),
  );
  const found = await db.query
    .selectFrom('ip_rules')
    .select('network')
    .where('list', '=', 'blocked')
    .where('network', 'in', db.dialect.anyOf([...new Set([...networks.values()].flat())]))
    .execute();
  const blocked = new Set(found.map(({ network }) => network));
  return rows.map((row) => ({
    ...row,
    is_ip_blocked: networks.get(row.contact_ip)?.some((network) => blocked.has(network)) ? 1 : 0,
  }));
}

/** Whatever is not an IP address is on no list. */
function networksOf(ip: string, lengths: ReadonlySet<number>): string[] {
  return canonicalIp(ip) === null ? [] : networksContaining(ip, lengths);
}

/** The distinct prefix lengths by a loose index scan: there are few, so one index lookup for each. */
async function lengthsInUse({ query }: Db): Promise<Set<number>> {
  const { rows } = await sql<{ bits: number }>`
    with recursive lengths (bits) as (
      select (select min(bits) from ip_rules where bits is not null)
      union all
      select (select min(bits) from ip_rules where ip_rules.bits > lengths.bits) from lengths
      where lengths.bits is not null
    )
    select bits from lengths where bits is not null
  `.execute(query);
  return new Set(rows.map(({ bits }) => bits));
}

/** The reason of automatic blocks. */
export const HONEYPOT = 'Honeypot';

/** Blocks the address of a filled honeypot, unless the whitelist has it or a range that contains it. */
export async function blockAddress(
  db: Db,
  rule: Omit<IpRule, 'list' | 'note' | 'usage' | 'reason'>,
): Promise<void> {
  const blocked: IpRule = { ...rule, reason: HONEYPOT, list: 'blocked', note: '', usage: 'internal' };
  await db.dialect.lockEach([IP_LISTS]);
  if (await overlapsOtherList(db, blocked)) return;
  await db.dialect.insertRows('ip_rules', [rowOf(blocked)], 'do nothing');
}
