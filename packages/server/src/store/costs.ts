import { sql } from 'kysely';
import type { Cost } from '../domain/costs/read-costs.ts';
import { caseFolded } from '../lib/case-folded.ts';
import { noteForAnswers } from './answers/changes.ts';
import { primaryRead, write } from './operation.ts';

/** What campaigns cost by day. */

export type CostImport = {
  importId: string;
  format: string;
  fileName: string;
  costs: readonly Cost[];
  now: number;
};

/**
 * Upsert: the latest import wins for each day and campaign. The id of an import is a hash of its content, so
 * importing the same file twice changes no figures; it is then listed as imported last.
 */
export const importCosts = write({ changes: [] }, async (db, given: CostImport): Promise<void> => {
  const { importId: import_id, format, fileName: file_name, now: imported_at } = given;
  await db.dialect.lock('costs');
  await db.dialect.insertRows(
    'cost_imports',
    [{ import_id, imported_at, format, file_name }],
    `(import_id) do update set imported_at = excluded.imported_at, format = excluded.format,
      file_name = excluded.file_name`,
  );
  await db.dialect.insertRows(
    'costs',
    given.costs.map((cost) => ({ ...cost, campaign_key: caseFolded(cost.campaign), import_id })),
    `(day, site_key, source, medium, campaign_key) do update set campaign = excluded.campaign,
      amount_micros = excluded.amount_micros, clicks = excluded.clicks, impressions = excluded.impressions,
      import_id = excluded.import_id`,
  );
  await noteForAnswers(db, 'costs', [import_id]);
});

export type ListedImport = {
  import_id: string;
  imported_at: number;
  format: string;
  file_name: string;
  rows: number;
  first_day: string | null;
  last_day: string | null;
  amount_micros: number;
};

export const costImports = primaryRead(
  async ({ query }, { limit, offset }: { limit: number; offset: number }) => {
    const { rows } = await sql<ListedImport>`
      select i.import_id, i.imported_at, i.format, i.file_name, count(c.day) as rows, min(c.day) as first_day,
        max(c.day) as last_day,
        coalesce(sum(cast(c.amount_micros as double precision)), 0) as amount_micros
      from cost_imports i left join costs c on c.import_id = i.import_id
      group by i.import_id, i.imported_at, i.format, i.file_name
      order by i.imported_at desc, i.import_id limit ${limit} offset ${offset}
    `.execute(query);
    const counted = await query
      .selectFrom('cost_imports')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return { rows, total: Number(counted.total) };
  },
);

/** False: there is no such import. */
export const deleteCosts = write(
  { changes: [] },
  async (db, { importId }: { importId: string }): Promise<boolean> => {
    await db.dialect.lock('costs');
    await db.query.deleteFrom('costs').where('import_id', '=', importId).execute();
    const { numDeletedRows } = await db.query
      .deleteFrom('cost_imports')
      .where('import_id', '=', importId)
      .executeTakeFirstOrThrow();
    if (numDeletedRows > 0n) await noteForAnswers(db, 'costs', [importId]);
    return numDeletedRows > 0n;
  },
);
