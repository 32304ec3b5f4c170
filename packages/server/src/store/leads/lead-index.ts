import type { Selectable } from 'kysely';
import { NOTHING } from '../../domain/leads/attribution.ts';
import { projectKey } from '../../domain/leads/lead-identity.ts';
import { bucketOf } from '../../domain/leads/lead-listing.ts';
import { noteForAnswers } from '../answers/changes.ts';
import type { Db } from '../dialect.ts';
import { background } from '../operation.ts';
import type { LeadIndexRow } from '../schema.ts';
import { deliveryStatesOf } from './delivery-states.ts';
import { touchesOfLeads } from './touches.ts';

/** The index behind lists and searches of leads. It is brought up to date in the background, many leads at a time. */

/**
 * Call with every change of a lead, in the same transaction. An existing note is updated just to lock it:
 * otherwise it could be removed after an index update that did not see this change yet.
 */
export async function noteChange(db: Db, leadId: number): Promise<void> {
  await Promise.all([noteForAnswers(db, 'leads', [leadId]), noteChangesOfLists(db, [leadId])]);
}

/** The same for changes that do not affect the columnar copies. */
export async function noteChangesOfLists({ dialect }: Db, leadIds: readonly number[]): Promise<void> {
  const inOrder = [...new Set(leadIds)].sort((one, other) => one - other);
  await dialect.insertRows(
    'lead_changes',
    inOrder.map((lead_id) => ({ lead_id })),
    '(lead_id) do update set lead_id = excluded.lead_id',
  );
}

/** Indexes leads that have changed; returns how many. */
export const indexLeads = background(
  // Lists are the same before and after it.
  { changes: [] },
  async (db, { max }: { max: number }): Promise<number> => {
    // One transaction at a time may change the totals.
    await db.dialect.lock('lead-index');
    const leadIds = await takeChanges(db, max);
    if (leadIds.length === 0) return 0;
    const leads = await readLeads(db, leadIds);
    const before = await takeOut(db, leadIds);
    const entries = await numbered(db, await entriesOf(db, leads), before);
    await db.dialect.insertRows('lead_index', entries, 'do nothing');
    await countEntries(db, entries, 1);
    await renewTexts(db, entries, before);
    return leadIds.length;
  },
);

/** Removes deleted leads from the index. */
export async function forget(db: Db, leadIds: readonly number[]): Promise<void> {
  await renewTexts(db, [], await takeOut(db, leadIds));
}

async function takeOut(db: Db, leadIds: readonly number[]): Promise<TakenOut[]> {
  const gone = await db.query
    .deleteFrom('lead_index')
    .where('lead_id', 'in', db.dialect.anyOf(leadIds))
    .returning(['lead_id', 'bucket', 'updated_at', 'changed_no', 'search_text'])
    .execute();
  await countEntries(db, gone, -1);
  return gone;
}

type Text = { lead_id: number; search_text: string };
type TakenOut = Text & { updated_at: number; changed_no: number };

/** Most changes leave the search text as it was, and indexing it is the most expensive part. */
async function renewTexts({ dialect }: Db, now: readonly Text[], before: readonly Text[]): Promise<void> {
  const kept = new Map(before.map(({ lead_id, search_text }) => [lead_id, search_text]));
  const renewed = now.filter(({ lead_id, search_text }) => {
    const isSame = kept.get(lead_id) === search_text;
    if (isSame) kept.delete(lead_id);
    return !isSame;
  });
  await dialect.forgetTexts([...kept.keys()]);
  await dialect.indexTexts(
    renewed.map(({ lead_id, search_text }) => ({ leadId: lead_id, text: search_text })),
  );
}
type Entry = Omit<Selectable<LeadIndexRow>, 'changed_no'>;

/**
 * Entries that are new, or were updated since they were indexed, get the next change numbers. The lock on the
 * index serialises this, so numbers become visible in order and a cursor misses none.
 */
async function numbered(
  db: Db,
  entries: readonly Entry[],
  before: readonly TakenOut[],
): Promise<Selectable<LeadIndexRow>[]> {
  const known = new Map(before.map((entry) => [entry.lead_id, entry]));
  const keeps = ({ lead_id, updated_at }: Entry) => known.get(lead_id)?.updated_at === updated_at;
  const updated = entries.filter((entry) => !keeps(entry)).length;
  let next = updated === 0 ? 0 : (await takeNumbers(db, updated)) - updated + 1;
  return entries.map((entry) => ({
    ...entry,
    changed_no: keeps(entry) ? (known.get(entry.lead_id)?.changed_no ?? 0) : next++,
  }));
}

/** Reserves numbers; returns the last of them. */
async function takeNumbers({ dialect }: Db, count: number): Promise<number> {
  const [taken] = await dialect.run<{ last_no: number }>(
    `insert into lead_index_numbers (id, last_no) values (1, ?)
    on conflict (id) do update set last_no = lead_index_numbers.last_no + excluded.last_no returning last_no`,
    [count],
  );
  return taken?.last_no ?? 0;
}

async function takeChanges({ query, dialect }: Db, max: number): Promise<number[]> {
  const changes = await query
    .selectFrom('lead_changes')
    .select('lead_id')
    .orderBy('lead_id')
    .limit(max)
    .modifyEnd(dialect.forUpdateSkipLocked)
    .execute();
  const leadIds = changes.map(({ lead_id }) => lead_id);
  if (leadIds.length === 0) return [];
  await query.deleteFrom('lead_changes').where('lead_id', 'in', dialect.anyOf(leadIds)).execute();
  return leadIds;
}

const READ = [
  'lead_id',
  'status',
  'needs_review',
  'seen_at',
  'follow_ups_count',
  'engagement_score',
  'suspicion_score',
  'name_key',
  'last_follow_up_at',
  'search_text',
  'created_at',
  'updated_at',
  'site_key',
  'project_key',
  'source_key',
  'campaign',
  'referer',
  'is_bot_lead',
] as const;

type IndexedLead = Awaited<ReturnType<typeof readLeads>>[number];

/** In the order of their changes, which is also that of the change numbers. */
function readLeads({ query, dialect }: Db, leadIds: readonly number[]) {
  return query
    .selectFrom('leads')
    .select(READ)
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .orderBy('updated_at')
    .orderBy('lead_id')
    .execute();
}

/** Attribution and delivery state are found out here, off the hot path of storing a lead. */
async function entriesOf(db: Db, leads: readonly IndexedLead[]): Promise<Entry[]> {
  const touched = await touchesOfLeads(db, leads);
  const deliveries = await deliveryStatesOf(db, leads);
  return leads.map((lead) => {
    const { params, channel } = touched.get(lead.lead_id)?.attribution ?? NOTHING;
    return {
      lead_id: lead.lead_id,
      bucket: bucketOf(lead),
      engagement_score: lead.engagement_score,
      suspicion_score: lead.suspicion_score,
      name_key: lead.name_key,
      followed_up_at: lead.last_follow_up_at ?? 0,
      search_text: lead.search_text,
      created_at: lead.created_at,
      updated_at: lead.updated_at,
      site_key: lead.site_key,
      project_key: lead.project_key,
      source_key: lead.source_key,
      campaign_key: projectKey(params.utm_campaign),
      channel_key: projectKey(channel),
      delivery: deliveries.get(lead.lead_id) ?? 'none',
    };
  });
}

async function countEntries(
  { dialect }: Db,
  entries: readonly { bucket: number }[],
  sign: 1 | -1,
): Promise<void> {
  const counts = Map.groupBy(entries, ({ bucket }) => bucket);
  await dialect.insertRows(
    'lead_index_totals',
    [...counts].map(([bucket, inBucket]) => ({ bucket, leads: sign * inBucket.length })),
    '(bucket) do update set leads = lead_index_totals.leads + excluded.leads',
  );
}
