import type { Selectable } from 'kysely';
import { attributionKeys } from '../../domain/leads/lead-listing.ts';
import { furtherAlong } from '../../domain/leads/stage.ts';
import { noteForAnswers } from '../answers/changes.ts';
import type { Db } from '../dialect.ts';
import { write } from '../operation.ts';
import type { LeadRow } from '../schema.ts';
import { type Belongings, belongingsOf, moveBelongings, whatPeopleBrought } from './belongings.ts';
import { noteStageMove } from './change.ts';
import { holdIdentities } from './identities.ts';
import { forget } from './lead-index.ts';
import { type LeadReference, resolveLead, wasMergedAs } from './reference.ts';
import { renewSearchTextsOf } from './renew.ts';
import { SHOWN_COLUMNS } from './submission.ts';
import { noteUpdate } from './updates.ts';

/**
 * Two leads that turn out to be one person, made one and taken apart again. The row of a merged lead leaves the table
 * of leads, so that it counts nowhere; `lead_merges` keeps it, with all that it takes to undo the merge.
 */

export type MergeOutcome = { leadId: number } | 'unknown' | 'itself' | 'other_project';

type Row = Selectable<LeadRow>;

/** With all that went with it. */
type Undo = Belongings & {
  /** The lead that went, as it was. */
  lead: Row;
  /** Primary submissions that have become follow-ups. */
  demoted: number[];
  /** What the merge has changed of the other lead, before and after. */
  before: Partial<Row>;
  after: Partial<Row>;
};

/** Everything of the other lead goes to this one. Of their first enquiries the older one shows. */
export const mergeLeads = write(
  { changes: ['leads', 'sends'] },
  async (
    db,
    { id, otherId, now }: LeadReference & { otherId: string; now: number },
  ): Promise<MergeOutcome> => {
    const leadId = await resolveLead(db, id);
    const goingId = await resolveLead(db, otherId);
    if (leadId === null || goingId === null) return 'unknown';
    if (leadId === goingId) return 'itself';
    const [survivor, going] = await holdLeads(db, leadId, goingId);
    if (survivor === undefined || going === undefined) return 'unknown';
    if (survivor.project_key !== going.project_key) return 'other_project';

    const status = furtherAlong(survivor.status, going.status);
    const after: Partial<Row> = {
      ...(shows(going, survivor) ? shownOf(going) : {}),
      status,
      crm_lead_id: survivor.crm_lead_id ?? going.crm_lead_id,
      created_at: Math.min(survivor.created_at, going.created_at),
      is_bot_lead: Math.min(survivor.is_bot_lead, going.is_bot_lead),
      needs_review: Math.max(survivor.needs_review, going.needs_review),
    };
    const undo = await whatGoes(db, survivor, going, after);
    await moveBelongings(db, undo, goingId, leadId);
    await setPrimary(db, undo.demoted, 0);
    await removeMerged(db, undo, leadId, now);
    await noteForAnswers(db, 'leads', [goingId]);
    await settle(db, leadId, after, now);
    if (status !== survivor.status) {
      await noteStageMove(db, { leadId, from: survivor.status, to: status, by: 'merge', now });
    }
    return { leadId };
  },
);

export type UnmergeOutcome = { leadId: number } | 'unknown' | 'not_merged';

/**
 * Takes a lead out again with what it brought. What has come since stays where it is, unless it would stay with a bot:
 * then it was the person who goes out that it came from.
 */
export const unmergeLead = write(
  { changes: ['leads', 'sends'] },
  async (
    db,
    { id, otherId, now }: LeadReference & { otherId: string; now: number },
  ): Promise<UnmergeOutcome> => {
    const leadId = await resolveLead(db, id);
    if (leadId === null) return 'unknown';
    const merge = await db.query
      .selectFrom('lead_merges')
      .selectAll()
      .where('into_lead_id', '=', leadId)
      .where(wasMergedAs(otherId))
      .executeTakeFirst();
    if (merge === undefined) return 'not_merged';
    const [survivor] = await holdLeads(db, leadId);
    if (survivor === undefined) return 'unknown';

    const undo: Undo = JSON.parse(merge.undo);
    const { merged_lead_id: outId } = merge;
    const restored = unchangedSince(survivor, undo);
    await db.query.deleteFrom('lead_merges').where('merged_lead_id', '=', outId).execute();
    await db.query.insertInto('leads').values(withKeys(undo.lead)).execute();
    await moveBelongings(db, undo, leadId, outId);
    if (restored.is_bot_lead === 1)
      await moveBelongings(db, await whatPeopleBrought(db, leadId), leadId, outId);
    for (const id of [leadId, outId]) await ensurePrimary(db, id, undo.demoted);
    await settle(db, leadId, restored, now);
    await settle(db, outId, {}, now);
    return { leadId: outId };
  },
);

/** Those that were merged by an earlier version have no keys. */
function withKeys(lead: Row): Row {
  return { ...lead, ...attributionKeys(lead.project_source, JSON.parse(lead.campaign)) };
}

/** Nobody adds to them until the transaction ends. */
async function holdLeads(db: Db, ...leadIds: number[]): Promise<(Row | undefined)[]> {
  await holdIdentities(db, leadIds);
  const rows = await db.query
    .selectFrom('leads')
    .selectAll()
    .where('lead_id', 'in', db.dialect.anyOf(leadIds))
    // In one order, so that two merges never wait for each other.
    .orderBy('lead_id')
    .modifyEnd(db.dialect.hold)
    .execute();
  return leadIds.map((leadId) => rows.find((row) => row.lead_id === leadId));
}

/** A person's enquiry shows before a bot's, and of two alike the earlier. */
function shows(one: Row, other: Row): boolean {
  if (one.is_bot_lead !== other.is_bot_lead) return one.is_bot_lead === 0;
  return (
    one.created_at < other.created_at || (one.created_at === other.created_at && one.lead_id < other.lead_id)
  );
}

const SHOWN = [...SHOWN_COLUMNS, 'shown_submission_id'] as const;

function shownOf(lead: Row): Partial<Row> {
  return Object.fromEntries(SHOWN.map((column) => [column, lead[column]]));
}

/** What the merge had changed and nobody has changed since, as it was before. */
function unchangedSince(survivor: Row, { before, after }: Undo): Partial<Row> {
  const isTakenOver =
    'shown_submission_id' in after && survivor.shown_submission_id !== after.shown_submission_id;
  const isKept = (column: string) =>
    survivor[column as keyof Row] !== after[column as keyof Row] ||
    (isTakenOver && (SHOWN as readonly string[]).includes(column));
  return Object.fromEntries(Object.entries(before).filter(([column]) => !isKept(column)));
}

async function whatGoes(db: Db, survivor: Row, going: Row, after: Partial<Row>): Promise<Undo> {
  const demoted = await db.query
    .selectFrom('submissions')
    .select('submission_id as id')
    .where('lead_id', '=', (shows(going, survivor) ? survivor : going).lead_id)
    .where('is_primary_lead', '=', 1)
    .execute();
  return {
    lead: going,
    ...(await belongingsOf(db, going.lead_id)),
    demoted: demoted.map(({ id }) => id),
    before: Object.fromEntries(Object.keys(after).map((column) => [column, survivor[column as keyof Row]])),
    after,
  };
}

/** A lead has one primary submission; the others are follow-ups. */
async function setPrimary({ query, dialect }: Db, submissionIds: readonly number[], is_primary_lead: 0 | 1) {
  await query
    .updateTable('submissions')
    .set({ is_primary_lead })
    .where('submission_id', 'in', dialect.anyOf(submissionIds))
    .execute();
}

/**
 * What the merge had made a follow-up is primary again where it belongs to a lead that has no other. After further merges
 * it may belong to one that has: then the first that is left is this lead's.
 */
async function ensurePrimary(db: Db, leadId: number, demoted: readonly number[]): Promise<void> {
  const submissions = await db.query
    .selectFrom('submissions')
    .select(['submission_id', 'is_primary_lead'])
    .where('lead_id', '=', leadId)
    .orderBy('submitted_at')
    .orderBy('submission_id')
    .execute();
  if (submissions.some(({ is_primary_lead }) => is_primary_lead === 1)) return;
  const primary =
    submissions.find(({ submission_id }) => demoted.includes(submission_id)) ?? submissions.at(0);
  if (primary !== undefined) await setPrimary(db, [primary.submission_id], 1);
}

async function removeMerged(db: Db, undo: Undo, into_lead_id: number, merged_at: number): Promise<void> {
  const { lead_id, lead_public_id, crm_lead_id } = undo.lead;
  await db.query
    .insertInto('lead_merges')
    .values({
      merged_lead_id: lead_id,
      merged_public_id: lead_public_id,
      merged_crm_id: crm_lead_id,
      into_lead_id,
      merged_at,
      undo: JSON.stringify(undo),
    })
    .execute();
  await db.dialect.lock('lead-index');
  await forget(db, [lead_id]);
  for (const table of ['lead_changes', 'lead_renewals', 'lead_figure_changes', 'leads'] as const) {
    await db.query.deleteFrom(table).where('lead_id', '=', lead_id).execute();
  }
}

/** Brings a lead in line with the submissions that it has now. */
async function settle(db: Db, leadId: number, changed: Partial<Row>, now: number): Promise<void> {
  const submitted = await db.query
    .selectFrom('submissions')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('submitted_at').as('last')])
    .where('lead_id', '=', leadId)
    .executeTakeFirstOrThrow();
  const followUps = Math.max(Number(submitted.count) - 1, 0);
  await db.query
    .updateTable('leads')
    .set({
      ...changed,
      follow_ups_count: followUps,
      last_follow_up_at: followUps === 0 ? null : submitted.last,
    })
    .where('lead_id', '=', leadId)
    .execute();
  await renewSearchTextsOf(db, [leadId]);
  await noteUpdate(db, leadId, now);
  await db.dialect.insertRows('lead_figure_changes', [{ lead_id: leadId }], 'do nothing');
}
