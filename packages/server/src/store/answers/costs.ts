import { sql } from 'kysely';
import { costRow } from '../../domain/questions/copied-rows.ts';
import type { CopiedRow } from '../../domain/questions/copied-tables.ts';
import { DAY_MS, dayStart } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { inspection } from '../operation.ts';
import { readAttributionSetup } from './submissions.ts';

/** All costs in the shape of the columnar copy; they are few enough to be read at once. */
export const copiedCosts = inspection(async (db: Db): Promise<CopiedRow<'costs'>[]> => {
  const { portalDomains } = await readAttributionSetup(db);
  const costs = await db.query
    .selectFrom('costs')
    .select(['day', 'site_key', 'source', 'medium', 'campaign'])
    // SQLite refuses to read integers above 2^53, which earlier versions stored.
    .select(sql<number>`cast(amount_micros as double precision)`.as('amount_micros'))
    .execute();
  return costs.map((cost) => costRow({ ...cost, day: dayStart(cost.day) / DAY_MS }, portalDomains));
});
