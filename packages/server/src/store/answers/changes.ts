import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { DAY_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { background, inspection, primaryRead } from '../operation.ts';
import type { AnswerChangeRow } from '../schema.ts';

/**
 * The change log (change data capture) that the columnar copies follow, written in the same transaction as
 * the change. It holds ids only: a copy reads the rows themselves, so applying a change again is idempotent.
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

/**
 * A copy's position in the change log: the last change it has applied, and the oldest transaction that was
 * still open then and may yet commit earlier numbers.
 */
export type Bookmark = { last: Change; since: number };

export type NewChanges = {
  changes: Change[];
  /** The oldest transaction that may still be open (`pg_snapshot_xmin`). */
  horizon: number;
};

/** Undefined: the bookmarked change is gone, and later ones may be, or the bookmark is of another store. */
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

/** Horizon and changes come from one statement, hence from one snapshot. */
const SELECT_NEW = {
  sqlite: `select *, 0 as horizon from answer_changes where change_no > ? and change_no > ?
    order by change_no limit ?`,
  postgres: `select *, pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon from answer_changes
    where (change_no > ? or transaction_no >= ?) and change_no > ? order by change_no limit ?`,
};

function isSame(a: Change, b: Change): boolean {
  return a.transaction_no === b.transaction_no && a.at === b.at && a.kind === b.kind && a.ids === b.ids;
}

/** The bookmark of a copy that is built now. */
export const startOfAnswers = inspection(async ({ query, dialect }: Db): Promise<Bookmark | undefined> => {
  // The horizon first: what commits between the two queries is then read again, not missed.
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

/** Starts an empty log, so that a new copy always has a change to bookmark. */
export const bookmarkAnswers = background({ changes: [] }, async (db: Db): Promise<void> => {
  const found = await db.query.selectFrom('answer_changes').select('change_no').limit(1).executeTakeFirst();
  if (found === undefined) await noteForAnswers(db, 'start', [randomUUID()]);
});

const KEPT_MS = DAY_MS;
const KEPT_ROWS_MAX = 100_000;
/** Long enough for a nightly run of every process. */
const ERASURES_KEPT_MS = 2 * DAY_MS;

/** A copy that is further behind is rebuilt. The last change is never trimmed. */
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

/** Whether a person was erased recently, who may still be in a copy that has not been queried since. */
export const wasErasedLately = primaryRead(async ({ query }: Db): Promise<boolean> => {
  const found = await query
    .selectFrom('answer_changes')
    .select('change_no')
    .where('kind', '=', 'erased')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
});
