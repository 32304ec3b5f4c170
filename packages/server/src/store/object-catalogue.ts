import { type Insertable, sql } from 'kysely';
import type { Db } from './dialect.ts';
import { notedAmong } from './object-copies.ts';
import { background, primaryRead } from './operation.ts';
import type { ObjectRow } from './schema.ts';
import { count, newTotals, writeTotals } from './tracking/totals.ts';

/** The catalogue of the object store, and the totals made of it. */

/** Adds objects and counts the new ones: an object may have been adopted before it was recorded. */
export async function addObjects(db: Db, objects: readonly Insertable<ObjectRow>[]): Promise<void> {
  if (objects.length === 0) return;
  const added = await db.query
    .insertInto('objects')
    .values(objects)
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning(COUNTED)
    .execute();
  await countObjects(db, added, 1);
}

type CountedObject = Pick<ObjectRow, (typeof COUNTED)[number]>;
export const COUNTED = ['kind', 'sessions', 'bytes'] as const;

/** Adds objects to the totals (1), or subtracts them (-1). */
export async function countObjects(db: Db, objects: readonly CountedObject[], sign: 1 | -1): Promise<void> {
  const totals = newTotals();
  count(totals, 'objects', sign * objects.length);
  for (const { kind, sessions, bytes } of objects) {
    if (kind === 'replay') count(totals, 'replay_bytes', sign * bytes);
    else count(totals, 'archived_sessions', sign * sessions);
  }
  await writeTotals(db, totals);
}

/** Adds objects that were found in the object store but not in the catalogue, except copies and strays. */
export const adoptObjects = background(
  { changes: ['objects'] },
  async (db, { objects }: { objects: readonly Insertable<ObjectRow>[] }): Promise<void> => {
    const noted = await notedAmong(
      db,
      objects.map(({ key }) => key),
    );
    await addObjects(
      db,
      objects.filter(({ key }) => !noted.has(key)),
    );
  },
);

/** A part of the catalogue, in the order in which an object store lists its keys. */
export type CatalogueRange = {
  kind: ObjectRow['kind'];
  after: string;
  /** Null: to the end. */
  upTo: string | null;
  max: number;
};

export const cataloguedKeys = primaryRead(
  async ({ query, dialect }, { kind, after, upTo, max }: CatalogueRange): Promise<string[]> => {
    const key = dialect.byBytes('key');
    const found = await query
      .selectFrom('objects')
      .select('key')
      .where('kind', '=', kind)
      .where(sql<boolean>`${key} > ${after}`)
      .$if(upTo !== null, (select) => select.where(sql<boolean>`${key} <= ${upTo}`))
      .orderBy(key)
      .limit(max)
      .execute();
    return found.map((row) => row.key);
  },
);
