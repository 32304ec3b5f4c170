import type { LeadSort } from '@leadtrail/contract/leads';
import { type RawBuilder, sql } from 'kysely';
import { BUCKETS, bucketsOf, type LeadFilter } from '../../domain/leads/lead-listing.ts';
import type { Search } from '../../domain/leads/lead-search.ts';
import type { Db } from '../dialect.ts';
import type { Page } from '../paging.ts';
import { asksIndex, type Driver, driverOf, isNarrowed, narrows, narrowsLeads } from './narrow.ts';

/** Finds the leads of a list: in the index, and those that it has not caught up with in `leads`. */

export type Listing = LeadFilter & {
  search: Search;
  sort: LeadSort | 'updated';
  /** Only those with a lower number. */
  before?: number | undefined;
  /** Only those that were changed after the one with this number; with the sort `updated`. */
  after?: number | undefined;
} & Page;

/** From this many matches, walking along the sort order finds a page sooner than sorting the matches. */
const FREQUENT_FROM = 50_000;

export async function findLeads(db: Db, listing: Listing): Promise<{ leadIds: number[]; total: number }> {
  const { after: _after, before: _before, ...all } = listing;
  const driver = await driverFor(db, listing);
  const total = isFound(listing) ? await countFound(db, all, driver) : await countListed(db, all);
  // Two filters may match many leads each, but none together: saves a walk through all of them.
  const leadIds = total === 0 ? [] : await pageOfLeads(db, listing, driver, driver?.entries ?? total);
  return { leadIds, total };
}

/** The same without a total. */
export async function nextLeads(db: Db, listing: Listing): Promise<number[]> {
  const driver = await driverFor(db, listing);
  return pageOfLeads(db, listing, driver, driver?.entries ?? Number.POSITIVE_INFINITY);
}

function pageOfLeads(db: Db, listing: Listing, driver: Driver | undefined, found: number): Promise<number[]> {
  if (listing.sort === 'updated') return pullLeads(db, listing, driver);
  return isFound(listing) && found < FREQUENT_FROM
    ? pageOfFound(db, listing, driver)
    : walkLeads(db, listing);
}

/** Filtered by more than buckets. */
function isFound(listing: Listing): boolean {
  return listing.search.length > 0 || isNarrowed(listing);
}

/** Only without a search, which is more selective than any filter. */
function driverFor(db: Db, listing: Listing): Promise<Driver | undefined> | undefined {
  return listing.search.length > 0 ? undefined : driverOf(db, listing, FREQUENT_FROM);
}

type Order = {
  /** In the index, and in the leads themselves. */
  indexed: string;
  own: string;
  direction: 'asc' | 'desc';
};

const ORDERS: Readonly<Record<LeadSort | 'updated', Order>> = {
  newest: { indexed: 'lead_id', own: 'lead_id', direction: 'desc' },
  oldest: { indexed: 'lead_id', own: 'lead_id', direction: 'asc' },
  last_follow_up: { indexed: 'followed_up_at', own: 'coalesce(last_follow_up_at, 0)', direction: 'desc' },
  score_desc: { indexed: 'engagement_score', own: 'engagement_score', direction: 'desc' },
  score_asc: { indexed: 'engagement_score', own: 'engagement_score', direction: 'asc' },
  risk_desc: { indexed: 'suspicion_score', own: 'suspicion_score', direction: 'desc' },
  risk_asc: { indexed: 'suspicion_score', own: 'suspicion_score', direction: 'asc' },
  name_asc: { indexed: 'name_key', own: 'name_key', direction: 'asc' },
  // Leads without a change number yet are left out.
  updated: { indexed: 'changed_no', own: 'null', direction: 'asc' },
};

function inOrder(sort: Listing['sort']): RawBuilder<unknown> {
  const { direction } = ORDERS[sort];
  return sql.raw(`order by sort_key ${direction}, lead_id ${direction}`);
}

/**
 * Merges the first leads of each bucket with the first of the changed ones: every part is read along an
 * index, and only as far as the page can reach.
 */
async function walkLeads(db: Db, listing: Listing): Promise<number[]> {
  const { sort, limit, offset } = listing;
  const buckets = [...(await bucketTotals(db, listing)).keys()];
  const parts = isUnfiltered(listing)
    ? asksIndex(listing)
      ? [allIndexed(db, listing), changed(db, listing)]
      : [allLeads(db, listing)]
    : [...buckets.map((bucket) => indexedIn(db, listing, bucket)), changed(db, listing)];
  const firstOfEach = parts.map(
    (part) => sql`select * from (${part} ${inOrder(sort)} limit ${offset + limit}) as part`,
  );
  const { rows } = await sql<{ lead_id: number }>`
    select lead_id from (${sql.join(firstOfEach, sql` union all `)}) as listed
    ${inOrder(sort)} limit ${limit} offset ${offset}
  `.execute(db.query);
  return rows.map(({ lead_id }) => lead_id);
}

/** Without a filter and in the order of lead numbers, the primary key of `leads` is all it takes. */
function isUnfiltered(listing: Listing): boolean {
  return bucketsOf(listing).length === BUCKETS && ORDERS[listing.sort].own === 'lead_id';
}

function allLeads(db: Db, listing: Listing): RawBuilder<unknown> {
  return sql`select lead_id, lead_id as sort_key from leads where ${leadMatches(db, listing)}`;
}

function allIndexed(db: Db, listing: Listing): RawBuilder<unknown> {
  return sql`
    select lead_id, lead_id as sort_key from lead_index where ${IS_UP_TO_DATE} and ${matches(db, listing)}`;
}

function indexedIn(db: Db, listing: Listing, bucket: number): RawBuilder<unknown> {
  return sql`
    select lead_id, ${sql.raw(ORDERS[listing.sort].indexed)} as sort_key from lead_index
    where bucket = ${bucket} and ${IS_UP_TO_DATE} and ${matches(db, listing)}`;
}

function changed(db: Db, listing: Listing): RawBuilder<unknown> {
  return sql`
    select lead_id, ${sql.raw(ORDERS[listing.sort].own)} as sort_key from leads
    where lead_id in (select lead_id from lead_changes) and ${passes(listing)} and ${leadMatches(db, listing)}`;
}

const IS_UP_TO_DATE = sql`lead_id not in (select lead_id from lead_changes)`;

/** The conditions on an entry of the index; `leadMatches` puts the same to a lead. */
function matches(db: Db, listing: Listing, driver?: Driver): RawBuilder<unknown> {
  return allOf([...wanted(db, listing), ...narrows(db, listing, driver?.column)]);
}

function leadMatches(db: Db, listing: Listing): RawBuilder<unknown> {
  return allOf([...wanted(db, listing), ...narrowsLeads(db, listing)]);
}

function wanted({ dialect }: Db, { search, before }: Listing): (RawBuilder<unknown> | undefined)[] {
  return [
    before === undefined ? undefined : sql`lead_id < ${before}`,
    search.length === 0 ? undefined : dialect.includes(sql.ref('search_text'), search),
  ];
}

/** The bucket filters, for rows of `leads`. */
function passes({ status, has_follow_ups, seen }: LeadFilter): RawBuilder<unknown> {
  return allOf([
    status === undefined ? undefined : sql`status = ${status}`,
    has_follow_ups === undefined
      ? undefined
      : sql`follow_ups_count ${sql.raw(has_follow_ups ? '> 0' : '= 0')}`,
    seen === undefined ? undefined : sql`needs_review = ${seen ? 0 : 1}`,
  ]);
}

function allOf(conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<unknown> {
  const asked = conditions.filter((condition) => condition !== undefined);
  return asked.length === 0 ? sql`true` : sql`${sql.join(asked, sql` and `)}`;
}

/** The non-empty buckets that pass the filter, with their counts. */
async function bucketTotals({ query, dialect }: Db, filter: LeadFilter): Promise<Map<number, number>> {
  const totals = await query
    .selectFrom('lead_index_totals')
    .selectAll()
    .where('bucket', 'in', dialect.anyOf(bucketsOf(filter)))
    .where('leads', '>', 0)
    .execute();
  return new Map(totals.map(({ bucket, leads }) => [bucket, leads]));
}

/** The totals of the index, corrected for the leads that have changed since. */
async function countListed(db: Db, filter: LeadFilter): Promise<number> {
  const indexed = await bucketTotals(db, filter);
  // `cross join` fixes the join order of SQLite: from the few changes to their leads.
  const { rows } = await sql<{ outdated: number; changed: number }>`
    select
      (select count(*) from lead_changes c cross join lead_index i
        where i.lead_id = c.lead_id and i.bucket in ${db.dialect.anyOf(bucketsOf(filter))}) as outdated,
      (select count(*) from lead_changes c cross join leads l
        where l.lead_id = c.lead_id and ${passes(filter)}) as changed
  `.execute(db.query);
  const { outdated = 0, changed = 0 } = rows[0] ?? {};
  return [...indexed.values()].reduce((sum, leads) => sum + leads, changed - outdated);
}

async function countFound(db: Db, listing: Listing, driver: Driver | undefined): Promise<number> {
  if (listing.search.length === 0) return countNarrowed(db, listing, driver);
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (${found(db, listing, driver)}) as found
  `.execute(db.query);
  return rows[0]?.total ?? 0;
}

/** Like `countListed`: corrects for the few changes instead of comparing each entry with them. */
async function countNarrowed(db: Db, listing: Listing, driver: Driver | undefined): Promise<number> {
  const entries = allOf([inBuckets(db, listing), matches(db, listing, forCount(listing, driver))]);
  const { rows } = await sql<{ indexed: number; outdated: number; changed: number }>`
    select
      (select count(*) from lead_index where ${entries}) as indexed,
      (select count(*) from lead_changes c cross join lead_index i
        where i.lead_id = c.lead_id and ${allOf([inBuckets(db, listing), matches(db, listing)])}) as outdated,
      (select count(*) from lead_changes c cross join leads
        where leads.lead_id = c.lead_id and ${passes(listing)} and ${leadMatches(db, listing)}) as changed
  `.execute(db.query);
  const { indexed = 0, outdated = 0, changed = 0 } = rows[0] ?? {};
  return indexed - outdated + changed;
}

/** Very many entries are counted faster along the covering index with all filter columns than one by one. */
function forCount(listing: Listing, driver: Driver | undefined): Driver | undefined {
  const isCovered = driver?.isAlone && bucketsOf(listing).length === BUCKETS;
  return isCovered || (driver?.entries ?? 0) < FREQUENT_FROM ? driver : undefined;
}

async function pageOfFound(db: Db, listing: Listing, driver: Driver | undefined): Promise<number[]> {
  const { rows } = await sql<{ lead_id: number }>`
    select lead_id from (${found(db, listing, driver)}) as found
    ${inOrder(listing.sort)} limit ${listing.limit} offset ${listing.offset}
  `.execute(db.query);
  return rows.map(({ lead_id }) => lead_id);
}

/** All matches: by the trigram index for a search, otherwise by the index of the driver. */
function found(db: Db, listing: Listing, driver: Driver | undefined): RawBuilder<unknown> {
  const { search, ...narrowing } = listing;
  const entries = search.length === 0 ? sql`lead_index` : db.dialect.leadsIncluding(search);
  return sql`
    select lead_id, ${sql.raw(ORDERS[listing.sort].indexed)} as sort_key from ${entries} as included
    where ${inBuckets(db, listing)} and ${IS_UP_TO_DATE} and ${matches(db, { ...narrowing, search: [] }, driver)}
    union all ${changed(db, listing)}`;
}

/** The unary plus keeps SQLite from using the index on the bucket instead of a more selective one. */
function inBuckets({ dialect }: Db, filter: LeadFilter): RawBuilder<unknown> {
  const buckets = bucketsOf(filter);
  return buckets.length === BUCKETS ? sql`true` : sql`+bucket in ${dialect.anyOf(buckets)}`;
}

/**
 * Walks along the change numbers. An outdated entry keeps its place if its lead gets no new number: then the
 * lead itself is checked against the filter. An entry that will get a new number is left out until then, or
 * the client would get the same state of the lead twice.
 */
async function pullLeads(db: Db, listing: Listing, driver: Driver | undefined): Promise<number[]> {
  const { after = 0, limit } = listing;
  const isRare = driver !== undefined && driver.entries < FREQUENT_FROM;
  const isPast = sql`${isRare ? db.dialect.withoutIndex('changed_no') : sql.ref('changed_no')} > ${after}`;
  const entries = allOf([isPast, inBuckets(db, listing), matches(db, listing, isRare ? driver : undefined)]);
  const { rows } = await sql<{ lead_id: number }>`
    select lead_id from lead_index where ${entries} and (${IS_UP_TO_DATE} or exists (
      select 1 from leads l
      where l.lead_id = lead_index.lead_id and l.updated_at = lead_index.updated_at and ${passes(listing)}))
    order by changed_no limit ${limit}
  `.execute(db.query);
  return rows.map(({ lead_id }) => lead_id);
}
