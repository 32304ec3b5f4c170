import type { Expression, SqlBool } from 'kysely';
import { canonicalIp } from '../lib/ip-address.ts';
import type { Db } from './dialect.ts';
import { read, write } from './operation.ts';
import { countOf, type Page } from './paging.ts';
import type { IpRuleRow } from './schema.ts';

/** The addresses that are blocked and those that are whitelisted. */

/**
 * Puts an address on its list, or brings its entry up to date. False: it is on the other list, and stays there.
 * One statement decides, so that of two callers who want the opposite at the same time one is refused.
 */
export const addIpRule = write(
  { changes: ['ip-lists'] },
  async ({ query }, rule: IpRuleRow): Promise<boolean> => {
    const added = await query
      .insertInto('ip_rules')
      .values(rule)
      .onConflict((conflict) =>
        conflict
          .column('ip')
          .doUpdateSet(({ ref }) => ({
            listed_at: ref('excluded.listed_at'),
            reason: ref('excluded.reason'),
            country: ref('excluded.country'),
            referer: ref('excluded.referer'),
            note: ref('excluded.note'),
            usage: ref('excluded.usage'),
          }))
          .whereRef('ip_rules.list', '=', 'excluded.list'),
      )
      .returning('ip')
      .executeTakeFirst();
    return added !== undefined;
  },
);

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
  ): Promise<{ rules: IpRuleRow[]; total: number }> => {
    const shown = db.query
      .selectFrom('ip_rules')
      .where('list', '=', list)
      .where(({ and }) => and(parts.map((part) => ipContains(db, part))));
    const rules = await shown
      .selectAll()
      .orderBy('listed_at', 'desc')
      .orderBy('ip')
      .limit(limit)
      .offset(offset)
      .execute();
    return { rules, total: await countOf(shown) };
  },
);

/** A whole address may be written in another way than it is stored. */
export function ipContains({ dialect }: Db, part: string): Expression<SqlBool> {
  return dialect.contains('ip', canonicalIp(part) ?? part);
}
