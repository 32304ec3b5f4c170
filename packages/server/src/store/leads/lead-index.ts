import type { Selectable } from 'kysely';
import { bucketOf } from '../../domain/leads/lead-listing.ts';
import { NOTE_FOR_ANSWERS } from '../answers/changes.ts';
import type { Db } from '../dialect.ts';
import { background } from '../operation.ts';
import type { LeadIndexRow } from '../schema.ts';

/** The index behind lists and searches of leads. It is brought up to date in the background, many leads at a time. */

/**
 * Every change of a lead is noted here, in the same transaction. An existing entry is updated just to lock it:
 * otherwise it could be removed after an index update that did not see this change yet.
 */
export async function noteChange({ dialect }: Db, leadId: number): Promise<void> {
  const forAnswers = [Date.now(), 'leads', `[${leadId}]`];
  if (dialect.kind === 'postgres') {
    // In one round trip: another one would make a lead a tenth slower.
    await dialect.run(`with noted as (${NOTE_FOR_ANSWERS}) ${NOTE_CHANGE}`, [...forAnswers, leadId]);
    return;
  }
  await dialect.run(NOTE_FOR_ANSWERS, forAnswers);
  await dialect.run(NOTE_CHANGE, [leadId]);
}

const NOTE_CHANGE =
  'insert into lead_changes (lead_id) values (?) on conflict (lead_id) do update set lead_id = excluded.lead_id';

/** Takes in the oldest changes, and says how many they were. */
export const indexLeads = background(
  // Lists are the same before and after it.
  { changes: [] },
  async (db, { max }: { max: number }): Promise<number> => {
    // The totals are changed by one at a time.
    await db.dialect.lock('lead-index');
    const leadIds = await takeChanges(db, max);
    if (leadIds.length === 0) return 0;
    const leads = await readLeads(db, leadIds);
    const before = await forget(db, leadIds);
    const entries = await numbered(db, leads.map(entryOf), before);
    await db.dialect.insertRows('lead_index', entries, 'do nothing');
    await countEntries(db, entries, 1);
    await db.dialect.indexTexts(
      leads.map(({ lead_id, search_text }) => ({ leadId: lead_id, text: search_text })),
    );
    return leadIds.length;
  },
);

/** Takes leads out of the index, those that are to be put in again as well as those that are no more. */
export async function forget(db: Db, leadIds: readonly number[]): Promise<Numbered[]> {
  const gone = await db.query
    .deleteFrom('lead_index')
    .where('lead_id', 'in', db.dialect.anyOf(leadIds))
    .returning(['lead_id', 'bucket', 'updated_at', 'changed_no'])
    .execute();
  await countEntries(db, gone, -1);
  await db.dialect.forgetTexts(gone.map(({ lead_id }) => lead_id));
  return gone;
}

type Numbered = { lead_id: number; updated_at: number; changed_no: number };
type Entry = Omit<Selectable<LeadIndexRow>, 'changed_no'>;

/**
 * Those that were updated since they were indexed, or are new, get the next numbers. One transaction at a time does so,
 * hence numbers become visible in their order, and whoever reads on from one of them misses none.
 */
async function numbered(
  db: Db,
  entries: readonly Entry[],
  before: readonly Numbered[],
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

/** The last of so many. */
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
    .modifyEnd(dialect.holdFree)
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
  'campaign_key',
] as const;

type IndexedLead = Awaited<ReturnType<typeof readLeads>>[number];

function readLeads({ query, dialect }: Db, leadIds: readonly number[]) {
  return query.selectFrom('leads').select(READ).where('lead_id', 'in', dialect.anyOf(leadIds)).execute();
}

function entryOf(lead: IndexedLead): Entry {
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
    campaign_key: lead.campaign_key,
  };
}

async function countEntries(
  { dialect }: Db,
  entries: readonly { bucket: number }[],
  sign: 1 | -1,
): Promise<void> {
  const counts = Map.groupBy(entries, ({ bucket }) => bucket);
  await dialect.insertRows(
    'lead_index_totals',
    [...counts].map(([bucket, those]) => ({ bucket, leads: sign * those.length })),
    '(bucket) do update set leads = lead_index_totals.leads + excluded.leads',
  );
}
