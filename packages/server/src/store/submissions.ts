import type { SUBMISSION_SORTS, SubmissionItem } from '@leadtrail/contract/submissions';
import { type ExpressionBuilder, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { storedCustomFields } from '../domain/leads/custom-fields.ts';
import { isTestLead } from '../domain/leads/form-fields.ts';
import {
  isFound,
  keptSearchText,
  readSubmissionSearch,
  SEARCHED_FIELDS,
  submissionSearchText,
} from '../domain/leads/submission-search.ts';
import { DAY_MS, dateTime, isoTime, utcDay } from '../lib/utc-time.ts';
import type { Db } from './dialect.ts';
import { withIpBlocked } from './ip-lists.ts';
import { background, read } from './operation.ts';
import { countOf, type Page } from './paging.ts';
import type { Schema } from './schema.ts';
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

export const recentSubmissions = read(
  { shows: ['leads'] },
  async ({ query }, { limit }: { limit: number }) => {
    const rows = await query
      .selectFrom('submissions')
      .select([...SHOWN, 'is_bot_lead'])
      .select(leadName)
      .orderBy('submitted_at', 'desc')
      .orderBy('submission_id', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => {
      const shown = onWire(row);
      const isTest = isTestLead({ name: shown.contact_name, email: shown.contact_email });
      return { ...shown, test_lead: isTest ? ('yes' as const) : ('no' as const) };
    });
  },
);

export type SubmissionsAsked = Page & {
  /** From the first of these milliseconds up to, but not including, the last. */
  from: number;
  until: number;
  siteKeys?: readonly string[] | undefined;
  /** Empty: all. */
  q: string;
  sort: (typeof SUBMISSION_SORTS)[number];
  order: 'asc' | 'desc';
};

/** In one snapshot, so that the total matches the list. */
export const submissions = read({ shows: ['leads', 'ip-lists'] }, (db, asked: SubmissionsAsked) => {
  return inSnapshot(db, async (snapshot) => {
    const { numbers, total } = await (asked.q === '' ? listPage : searchPage)(snapshot, asked);
    return { submissions: await readShown(snapshot, numbers), total };
  });
});

/** The given submissions that still exist, in that order. */
export const submissionsById = read(
  { shows: ['leads', 'ip-lists'] },
  (db, { submissionIds }: { submissionIds: readonly number[] }): Promise<SubmissionItem[]> =>
    inSnapshot(db, (snapshot) => readShown(snapshot, submissionIds)),
);

type FoundPage = { numbers: number[]; total: number };

async function listPage(db: Db, asked: SubmissionsAsked): Promise<FoundPage> {
  const page = await inPeriod(db, asked).select('submission_id').$call(pageOf(db, asked)).execute();
  // Totals by day are not split by site.
  const total = await (asked.siteKeys === undefined
    ? countInPeriod(db, asked)
    : countOf(inPeriod(db, asked)));
  return { numbers: page.map(({ submission_id }) => submission_id), total };
}

/** One scan gives page and total; only past the last page there is no row that could carry the total. */
async function searchPage(db: Db, asked: SubmissionsAsked): Promise<FoundPage> {
  const found = inPeriod(db, asked).where(await containsText(db, asked));
  const page = await found
    .select(['submission_id', sql<number>`count(*) over ()`.as('total')])
    .$call(pageOf(db, asked))
    .execute();
  const total = page[0]?.total ?? (asked.offset === 0 ? 0 : await countOf(found));
  return { numbers: page.map(({ submission_id }) => submission_id), total };
}

function inPeriod({ query, dialect }: Db, { from, until, siteKeys }: SubmissionsAsked) {
  const all = query
    .selectFrom('submissions')
    .where('submitted_at', '>=', from)
    .where('submitted_at', '<', until);
  return siteKeys === undefined ? all : all.where('site_key', 'in', dialect.anyOf(siteKeys));
}

/** The order ignores case, too, as far as both databases can. */
function pageOf({ dialect }: Db, { sort, order, limit, offset }: SubmissionsAsked) {
  return <O>(select: SelectQueryBuilder<Schema, 'submissions', O>) =>
    select
      .$if(sort !== 'submitted_at', (list) => list.orderBy(dialect.folded(sort), order))
      .orderBy('submitted_at', order)
      .orderBy('submission_id', order)
      .limit(limit)
      .offset(offset);
}

/** In the order given. */
async function readShown(db: Db, numbers: readonly number[]) {
  if (numbers.length === 0) return [];
  const rows = await db.query
    .selectFrom('submissions')
    .select([...SHOWN, 'source', 'referer', 'cta_name', 'contact_ip', 'payload_json'])
    .select(leadName)
    .where('submission_id', 'in', db.dialect.anyOf(numbers))
    .execute();
  const byNumber = new Map((await withIpBlocked(db, rows)).map((row) => [row.submission_id, row]));
  return numbers.flatMap((number) => {
    const row = byNumber.get(number);
    if (row === undefined) return [];
    const { payload_json, ...shown } = row;
    const submitted_at_iso = isoTime(row.submitted_at);
    return [{ ...onWire(shown), submitted_at_iso, fields: storedCustomFields(payload_json) }];
  });
}

/** A follow-up without a name has that of its lead. */
function leadName(e: ExpressionBuilder<Schema, 'submissions'>) {
  return e
    .selectFrom('leads')
    .select('leads.contact_name')
    .whereRef('leads.lead_id', '=', 'submissions.lead_id')
    .as('lead_name');
}

type Read = { submitted_at: number; is_primary_lead: number; contact_name: string; lead_name: string | null };

function onWire<R extends Read>({ lead_name, ...row }: R) {
  return {
    ...row,
    contact_name: row.contact_name || (lead_name ?? ''),
    submitted_at: dateTime(row.submitted_at),
    is_follow_up: row.is_primary_lead === 0,
  };
}

/** By the search texts, and where one is still to be made, by the submission itself. */
async function containsText(db: Db, asked: SubmissionsAsked): Promise<RawBuilder<SqlBool>> {
  const search = readSubmissionSearch(asked.q);
  const unindexed: number[] = [];
  for await (const submission of submissionsWithoutText(db, asked)) {
    if (isFound(submissionSearchText(submission), search)) unindexed.push(submission.submission_id);
  }
  const { dialect } = db;
  return sql`(${dialect.includes(searchText(db), search)} or submission_id in ${dialect.anyOf(unindexed)})`;
}

/** See `keptSearchText`. */
function searchText({ dialect }: Db): RawBuilder<string> {
  const inLowerCase = SEARCHED_FIELDS.map((field) => sql`lower(${dialect.byBytes(field)})`);
  return sql`case search_text when '' then ${sql.join(inLowerCase, sql` || ${sql.lit('\n')} || `)} else search_text end`;
}

/** A payload may be large, and after an update there may be many. */
const SUBMISSIONS_READ_AT_ONCE = 100;

async function* submissionsWithoutText(db: Db, asked: SubmissionsAsked) {
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const some = await inPeriod(db, asked)
      .select(['submission_id', ...SEARCHED_FIELDS])
      .where('search_text', 'is', null)
      .where('submission_id', '<', before)
      .orderBy('submission_id', 'desc')
      .limit(SUBMISSIONS_READ_AT_ONCE)
      .execute();
    yield* some;
    if (some.length < SUBMISSIONS_READ_AT_ONCE) return;
    before = some.at(-1)?.submission_id ?? 0;
  }
}

/**
 * Makes the search texts that are missing: of submissions from before there were any, and of those that an
 * erasure has changed. Newest first; returns how many. Skips locked rows.
 */
export const indexSubmissions = background(
  // A search finds the same before and after.
  { changes: [] },
  async ({ query, dialect }, { max }: { max: number }): Promise<number> => {
    const found = await query
      .selectFrom('submissions')
      .select(['submission_id', ...SEARCHED_FIELDS])
      .where('search_text', 'is', null)
      .orderBy('submission_id', 'desc')
      .limit(max)
      .modifyEnd(dialect.forUpdateSkipLocked)
      .execute();
    const texts = found.map((each) => ({
      submission_id: each.submission_id,
      search_text: keptSearchText(each),
    }));
    await dialect.updateRows('submissions', 'submission_id', texts);
    return texts.length;
  },
);

/** Whole days come from the totals; only the partial days at both ends are counted. */
async function countInPeriod({ query }: Db, { from, until }: SubmissionsAsked): Promise<number> {
  const firstWhole = Math.ceil(from / DAY_MS) * DAY_MS;
  const endWhole = Math.floor(until / DAY_MS) * DAY_MS;
  const { rows } = await sql<{ total: number }>`
    select ${
      firstWhole >= endWhole
        ? sql`(select count(*) from submissions where submitted_at >= ${from} and submitted_at < ${until})`
        : sql`
          (select coalesce(sum(submissions), 0) from submission_sums
            where day >= ${utcDay(firstWhole)} and day < ${utcDay(endWhole)})
          + (select count(*) from submissions where submitted_at >= ${from} and submitted_at < ${firstWhole})
          + (select count(*) from submissions where submitted_at >= ${endWhole} and submitted_at < ${until})`
    } as total
  `.execute(query);
  return rows[0]?.total ?? 0;
}
