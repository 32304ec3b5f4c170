import type { SUBMISSION_SORTS } from '@leadtrail/contract/leads';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { DAY_MS, dateTime, utcDay } from '../domain/utc-time.ts';
import type { Db } from './dialect.ts';
import { isIpBlocked } from './leads/list.ts';
import type { Page } from './paging.ts';
import { inSnapshot } from './snapshot.ts';

/** The history of submissions. */

const SHOWN = [
  'submission_id',
  'lead_id',
  'submitted_at',
  'contact_name',
  'contact_email',
  'contact_phone',
  'project_name',
  'is_primary_lead',
] as const;

export async function recentSubmissions({ query }: Db, { limit }: { limit: number }) {
  const rows = await query
    .selectFrom('submissions')
    .select(SHOWN)
    .orderBy('submitted_at', 'desc')
    .orderBy('submission_id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(onWire);
}

export type SubmissionsAsked = Page & {
  /** From the first of these milliseconds up to, but not including, the last. */
  from: number;
  until: number;
  /** Empty: all. */
  q: string;
  sort: (typeof SUBMISSION_SORTS)[number];
  order: 'asc' | 'desc';
};

const SEARCHED = [
  'contact_email',
  'contact_phone',
  'project_name',
  'source',
  'referer',
  'payload_json',
] as const;

/** In one snapshot, so that the total is that of the list which is shown. */
export function submissions(db: Db, asked: SubmissionsAsked) {
  return inSnapshot(db, async (snapshot) => ({
    submissions: await readShown(snapshot, await findPage(snapshot, asked)),
    total: asked.q === '' ? await countInPeriod(snapshot, asked) : await countFound(snapshot, asked),
  }));
}

/** First only the numbers: what is sorted and left out again need not be read. */
async function findPage(db: Db, asked: SubmissionsAsked): Promise<number[]> {
  const page = await db.query
    .selectFrom('submissions')
    .select('submission_id')
    .where('submitted_at', '>=', asked.from)
    .where('submitted_at', '<', asked.until)
    .$if(asked.q !== '', (select) => select.where(containsText(db, asked.q)))
    .orderBy(asked.sort, asked.order)
    .$if(asked.sort !== 'submitted_at', (select) => select.orderBy('submitted_at', asked.order))
    .orderBy('submission_id', asked.order)
    .limit(asked.limit)
    .offset(asked.offset)
    .execute();
  return page.map(({ submission_id }) => submission_id);
}

/** In the order of their numbers as given. */
async function readShown({ query, dialect }: Db, numbers: readonly number[]) {
  if (numbers.length === 0) return [];
  const rows = await query
    .selectFrom('submissions')
    .select([...SHOWN, 'source', 'referer', 'cta_name', 'contact_ip'])
    .select(isIpBlocked('contact_ip'))
    .where('submission_id', 'in', dialect.anyOf(numbers))
    .execute();
  const byNumber = new Map(rows.map((row) => [row.submission_id, row]));
  return numbers.flatMap((number) => {
    const row = byNumber.get(number);
    return row === undefined ? [] : [onWire(row)];
  });
}

function onWire<R extends { submitted_at: number; is_primary_lead: number }>(row: R) {
  return { ...row, submitted_at: dateTime(row.submitted_at), is_follow_up: row.is_primary_lead === 0 };
}

/** In the payload a text stands as JSON writes it, with some of its characters escaped. */
function containsText({ dialect }: Db, q: string): RawBuilder<SqlBool> {
  const inJson = JSON.stringify(q).slice(1, -1);
  const found = SEARCHED.map((column) => dialect.contains(column, q));
  if (inJson !== q) found.push(dialect.contains('payload_json', inJson));
  return sql`(${sql.join(found, sql` or `)})`;
}

async function countFound(db: Db, { from, until, q }: SubmissionsAsked): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from submissions
    where submitted_at >= ${from} and submitted_at < ${until} and ${containsText(db, q)}
  `.execute(db.query);
  return rows[0]?.total ?? 0;
}

/** Whole days are counted already; only what is cut off at either end has to be. */
async function countInPeriod({ query }: Db, { from, until }: SubmissionsAsked): Promise<number> {
  const firstWhole = Math.ceil(from / DAY_MS) * DAY_MS;
  const endWhole = Math.floor(until / DAY_MS) * DAY_MS;
  const { rows } = await sql<{ total: number }>`
    select ${
      firstWhole >= endWhole
        ? sql`(select count(*) from submissions where submitted_at >= ${from} and submitted_at < ${until})`
        : sql`
          (select coalesce(sum(submissions), 0) from submission_totals
            where day >= ${utcDay(firstWhole)} and day < ${utcDay(endWhole)})
          + (select count(*) from submissions where submitted_at >= ${from} and submitted_at < ${firstWhole})
          + (select count(*) from submissions where submitted_at >= ${endWhole} and submitted_at < ${until})`
    } as total
  `.execute(query);
  return rows[0]?.total ?? 0;
}
