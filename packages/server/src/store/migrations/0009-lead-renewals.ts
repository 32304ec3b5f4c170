import { type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/**
 * Leads that are found by a text from before accents and the digits of phone numbers were taken into account. To make
 * a million of them anew would hold up the start for minutes, so they are only listed here.
 */
export async function leadRenewals(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  await db.schema
    .createTable('lead_renewals')
    .addColumn('lead_id', dialect === 'sqlite' ? 'integer' : 'bigint', (c) => c.primaryKey().notNull())
    .execute();
  await sql`insert into lead_renewals (lead_id) select lead_id from leads`.execute(db);
}
