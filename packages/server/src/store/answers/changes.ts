import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { DAY_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { background, inspection, primaryRead } from '../operation.ts';
import type { AnswerChangeRow } from '../schema.ts';

/**
 * What has changed for the columnar copies, noted in the same transaction. A copy reads what is new and then the rows
 * themselves, so that it does not matter how often a change is taken in.
 */

type Kind = AnswerChangeRow['kind'];

export async function noteForAnswers(
  { dialect }: Db,
  kind: Kind,
  ids: readonly (string | number)[],
): Promise<void> {
  if (ids.length > 0) await dialect.noteChanged(kind, ids);
}

export type Change = Selectable<AnswerChangeRow>;

/** How far a copy has come: the last change it knows, and the first transaction that may still bring others. */
export type Bookmark = { last: Change; since: number };

export type NewChanges = {
  changes: Change[];
  /** From here on transactions may still be open. */
  horizon: number;
};

/** Undefined: the bookmark's own change is gone, so that others may be too, or it is that of another store. */
export const answerChangesSince = inspection(
  async (
    { query, dialect }: Db,
    { bookmark, after, max }: { bookmark: Bookmark; after: number; max: number },
  ): Promise<NewChanges | undefined> => {
    const { last, since } = bookmark;
    const known = await query
      .selectFrom('answer_changes')
      .selectAll()
      .where('change_no', '=', last.change_no)
      .executeTakeFirst();
    if (known === undefined || !isSame(known, last)) return undefined;
    const rows = await dialect.run<Change & { horizon: number }>(SELECT_NEW[dialect.kind], [
      last.change_no,
      ...(dialect.kind === 'postgres' ? [since] : []),
      after,
      max,
    ]);
    return {
      changes: rows.map(({ horizon: _horizon, ...change }) => change),
      horizon: rows[0]?.horizon ?? since,
    };
  },
);

/** The horizon belongs to the snapshot in which the changes are read. */
const SELECT_NEW = {
  sqlite: `select *, 0 as horizon from answer_changes where change_no > ? and change_no > ?
    order by change_no limit ?`,
  postgres: `select *, pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon from answer_changes
    where (change_no > ? or transaction_no >= ?) and change_no > ? order by change_no limit ?`,
};

function isSame(a: Change, b: Change): boolean {
  return a.transaction_no === b.transaction_no && a.at === b.at && a.kind === b.kind && a.ids === b.ids;
}

/** Where a copy begins that is made now. */
export const startOfAnswers = inspection(async ({ query, dialect }: Db): Promise<Bookmark | undefined> => {
  // First: what commits between the two is read again.
  const [{ horizon } = { horizon: 0 }] = await dialect.run<{ horizon: number }>(HORIZON[dialect.kind], []);
  const last = await query
    .selectFrom('answer_changes')
    .selectAll()
    .orderBy('change_no', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last && { last, since: horizon };
});

const HORIZON = {
  sqlite: 'select 0 as horizon',
  postgres: 'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon',
};

/** So that a copy always has a change to begin with. */
export const bookmarkAnswers = background({ changes: [] }, async (db: Db): Promise<void> => {
  const found = await db.query.selectFrom('answer_changes').select('change_no').limit(1).executeTakeFirst();
  if (found === undefined) await noteForAnswers(db, 'start', [randomUUID()]);
});

const KEPT_MS = DAY_MS;
const KEPT_ROWS_MAX = 100_000;
/** Until each process has been through a night since. */
const ERASURES_KEPT_MS = 2 * DAY_MS;

/** A copy that is further behind than this makes itself anew. The last change stays. */
export const trimAnswerChanges = background(
  { changes: [] },
  async ({ query }: Db, { now }: { now: number }): Promise<number> => {
    const last = await query
      .selectFrom('answer_changes')
      .select(({ fn }) => fn.max('change_no').as('no'))
      .executeTakeFirst();
    const lastNo = last?.no ?? 0;
    const { numDeletedRows } = await query
      .deleteFrom('answer_changes')
      .where('change_no', '<', lastNo)
      .where((e) => e.or([e('at', '<', now - KEPT_MS), e('change_no', '<=', lastNo - KEPT_ROWS_MAX)]))
      .where((e) => e.or([e('kind', '<>', 'erased'), e('at', '<', now - ERASURES_KEPT_MS)]))
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  },
);

/** Whether a person was erased lately, who may still be in a copy that nobody has asked since. */
export const wasErasedLately = primaryRead(async ({ query }: Db): Promise<boolean> => {
  const found = await query
    .selectFrom('answer_changes')
    .select('change_no')
    .where('kind', '=', 'erased')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
});
