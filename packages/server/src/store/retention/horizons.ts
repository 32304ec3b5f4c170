import type { Db } from '../dialect.ts';
import type { RetentionHorizonRow } from '../schema.ts';

/** Up to when rows have been removed by retention. Totals go on counting them, so only younger ones can be recounted. */

type RowsOf = RetentionHorizonRow['rows_of'];

const FORWARD = `(rows_of) do update set removed_before = excluded.removed_before
  where excluded.removed_before > retention_horizons.removed_before`;

/** Noted before the first row goes; it never moves back. */
export async function noteHorizon({ dialect }: Db, rows_of: RowsOf, removed_before: number): Promise<void> {
  await dialect.insertRows('retention_horizons', [{ rows_of, removed_before }], FORWARD);
}

export async function horizonOf({ query }: Db, rowsOf: RowsOf): Promise<number | null> {
  const horizon = await query
    .selectFrom('retention_horizons')
    .select('removed_before')
    .where('rows_of', '=', rowsOf)
    .executeTakeFirst();
  return horizon?.removed_before ?? null;
}
