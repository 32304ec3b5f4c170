import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isFree } from '../leases.ts';
import { background } from '../operation.ts';

/** Other texts about people: set-aside leads, and the bodies of sends. */

export type SetAsideLimits = { before: number; settledBefore: number };

/** Deleted and accepted ones are no longer shown, and have a limit of their own. */
export function isOldSetAside({ before, settledBefore }: SetAsideLimits): RawBuilder<SqlBool> {
  return sql`(received_at < ${before} or deleted_at < ${settledBefore} or accepted_at < ${settledBefore})`;
}

export const forgetSetAside = background(
  { changes: ['set-aside'] },
  async ({ query }, { max, ...limits }: SetAsideLimits & { max: number }): Promise<number> => {
    const old = query
      .selectFrom('set_aside_leads')
      .select('id')
      .where(isOldSetAside(limits))
      .orderBy('id')
      .limit(max);
    const { numDeletedRows } = await query
      .deleteFrom('set_aside_leads')
      .where('id', 'in', old)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  },
);

/** Replaces a body that is no longer kept. */
export const FORGOTTEN_BODY = '{}';

/** A pending send still needs its body. */
export function hasOldBody(before: number): RawBuilder<SqlBool> {
  return sql`(created_at < ${before} and status <> 'pending' and body <> ${FORGOTTEN_BODY})`;
}

export const forgetSendBodies = background(
  { changes: ['sends', 'leads'] },
  async (
    { query, dialect },
    { before, now, max }: { before: number; now: number; max: number },
  ): Promise<number> => {
    const old = await query
      .selectFrom('flow_sends')
      .select('flow_send_public_id as id')
      .where(hasOldBody(before))
      .where(isFree(now))
      .orderBy('flow_send_public_id')
      .limit(max)
      .modifyEnd(dialect.forUpdateSkipLocked)
      .execute();
    if (old.length === 0) return 0;
    const ids = dialect.anyOf(old.map(({ id }) => id));
    await query
      .updateTable('flow_sends')
      .set({ body: FORGOTTEN_BODY })
      .where('flow_send_public_id', 'in', ids)
      .execute();
    await query
      .updateTable('flow_send_attempts')
      .set({ answer: '' })
      .where('flow_send_public_id', 'in', ids)
      .execute();
    return old.length;
  },
);
