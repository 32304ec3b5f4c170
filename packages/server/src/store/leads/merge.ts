import { attributionKeys } from '../../domain/leads/lead-listing.ts';
import { noteForAnswers } from '../answers/changes.ts';
import type { Db } from '../dialect.ts';
import { write } from '../operation.ts';
import { belongingsOf, belongingsOfPeople, moveBelongings } from './belongings.ts';
import { noteStageMove, takeBackMergeMove } from './change.ts';
import { figuresOf, submitCounts, visitorsOf } from './figures.ts';
import { FILLED_COLUMNS } from './follow-up.ts';
import { holdIdentities } from './identities.ts';
import { forget } from './lead-index.ts';
import {
  afterMerge,
  type Layer,
  type Row,
  shows,
  type Undo,
  withCrmId,
  withoutLayer,
} from './merge-layers.ts';
import { type LeadReference, resolveLead, wasMergedAs } from './reference.ts';
import { refill } from './refill.ts';
import { renewSearchTextsOf } from './renew.ts';
import { noteUpdate } from './updates.ts';

/**
 * Merges two leads of one person, and undoes it. The row of a merged lead leaves `leads`, so that it counts
 * nowhere; `lead_merges` keeps it, with all that it takes to undo the merge.
 */

export type MergeOutcome = { leadId: number } | 'unknown' | 'itself' | 'other_project';

/**
 * Everything of the other lead goes to this one. Of their first enquiries the older one shows, and the other one fills
 * what it leaves empty.
 */
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

    const after = afterMerge(survivor, going);
    const undo = await undoOf(db, survivor, going, after);
    await noteFigureChanges(db, [leadId, goingId]);
    await moveBelongings(db, undo, goingId, leadId);
    await setPrimary(db, undo.demoted, 0);
    await removeMerged(db, undo, leadId, now);
    await noteForAnswers(db, 'leads', [goingId]);
    await settle(db, leadId, after, now);
    const { status = survivor.status } = after;
    if (status !== survivor.status) {
      await noteStageMove(db, { leadId, from: survivor.status, to: status, by: 'merge', now });
    }
    return { leadId };
  },
);

export type UnmergeOutcome = { leadId: number } | 'unknown' | 'not_merged';

/**
 * Takes a lead out again with what it brought. What has come since stays with the survivor, unless that
 * becomes a bot's lead again: then it came from the person, and leaves with the person.
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

    const { merged_lead_id: outId } = merge;
    const layers = await mergesInto(db, leadId);
    const undo = layers.find(({ id }) => id === outId)?.undo;
    if (undo === undefined) return 'not_merged';
    const stages = mergedStages(layers);
    const holders = layers.filter(({ undo }) => undo.merges.includes(outId));
    const restored = changesOf(survivor, withoutLayer(survivor, layers, outId));
    await noteFigureChanges(db, [leadId, outId]);
    await db.query.deleteFrom('lead_merges').where('merged_lead_id', '=', outId).execute();
    const demoted = [...new Set(layers.flatMap((layer) => layer.undo.demoted))];
    const kept = layers.filter(({ id }) => id !== outId);
    // Any of the merges that are left may be the next to be undone.
    await keepLayers(
      db,
      kept.map(({ id, undo }) => ({ id, undo: { ...undo, demoted } })),
    );
    await db.query.insertInto('leads').values(undo.lead).execute();
    await moveBelongings(db, undo, leadId, outId);
    const isBotAgain = restored.is_bot_lead === 1;
    if (isBotAgain) await moveBelongings(db, await belongingsOfPeople(db, leadId), leadId, outId);
    for (const id of [leadId, outId]) await ensurePrimary(db, id, demoted);
    const brought = kept.flatMap((layer) => layer.undo.submissions);
    const isEmptied = FILLED_COLUMNS.some((column) => restored[column] === '');
    const refilled = isEmptied ? await refill(db, { ...survivor, ...restored }, brought) : {};
    await settle(db, leadId, { ...restored, ...refilled }, now);
    await settle(db, outId, isBotAgain ? await refill(db, undo.lead, brought) : {}, now);
    const gone = { since: merge.merged_at, to: stages.get(outId), now };
    for (const { id, undo } of holders) {
      await takeBackMergeMove(db, { ...gone, leadId: id, status: undo.lead.status });
    }
    const isStillThere = holders.some(({ id, undo }) => undo.after.status === stages.get(id));
    const to = stages.get(holders[0]?.id ?? outId);
    const { status = survivor.status } = restored;
    if (!isStillThere) await takeBackMergeMove(db, { ...gone, leadId, to, status });
    return { leadId: outId };
  },
);

/**
 * Sets the CRM id of a lead that has been merged, which the survivor shows only if it has none of its own. Null: it is
 * not merged.
 */
export async function setMergedCrmId(
  db: Db,
  { id, crmId }: LeadReference & { crmId: string },
): Promise<{ id: number; publicId: string } | null> {
  const merge = await db.query
    .selectFrom('lead_merges')
    .select(['merged_lead_id', 'into_lead_id'])
    .where(wasMergedAs(id))
    .executeTakeFirst();
  if (merge === undefined) return null;
  // Merging and unmerging lock it, too.
  const survivor = await db.query
    .selectFrom('leads')
    .select(['lead_id', 'lead_public_id', 'crm_lead_id'])
    .where('lead_id', '=', merge.into_lead_id)
    .modifyEnd(db.dialect.forUpdate)
    .executeTakeFirst();
  const layers = await mergesInto(db, merge.into_lead_id);
  const isStillMerged = layers.some((layer) => layer.id === merge.merged_lead_id);
  if (survivor === undefined || !isStillMerged) return setMergedCrmId(db, { id, crmId });
  const crm_lead_id = withCrmId(survivor.crm_lead_id, layers, { id: merge.merged_lead_id, crmId });
  await keepLayers(db, layers);
  await db.query.updateTable('leads').set({ crm_lead_id }).where('lead_id', '=', survivor.lead_id).execute();
  return { id: survivor.lead_id, publicId: survivor.lead_public_id };
}

/** Locks leads and their identities, so that nothing is added until the transaction ends. */
async function holdLeads(db: Db, ...leadIds: number[]): Promise<(Row | undefined)[]> {
  await holdIdentities(db, leadIds);
  const rows = await db.query
    .selectFrom('leads')
    .selectAll()
    .where('lead_id', 'in', db.dialect.anyOf(leadIds))
    // One lock order, so that merges cannot deadlock.
    .orderBy('lead_id')
    .modifyEnd(db.dialect.forUpdate)
    .execute();
  return leadIds.map((leadId) => rows.find((row) => row.lead_id === leadId));
}

/** Oldest first. */
async function mergesInto({ query }: Db, leadId: number): Promise<Layer[]> {
  const merges = await query
    .selectFrom('lead_merges')
    .select(['merged_lead_id', 'undo'])
    .where('into_lead_id', '=', leadId)
    .orderBy('merged_at')
    .execute();
  const layers = merges.map(({ merged_lead_id, undo }): Layer => {
    const parsed: Undo = JSON.parse(undo);
    return { id: merged_lead_id, undo: { ...parsed, lead: withKeys(parsed.lead) } };
  });
  return layers.toSorted((one, other) => (one.undo.order ?? 0) - (other.undo.order ?? 0));
}

/** The stage of the survivor after each merge. */
function mergedStages(layers: readonly Layer[]): Map<number, string | undefined> {
  return new Map(layers.map(({ id, undo }) => [id, undo.after.status]));
}

/** Leads merged by an earlier version have no keys. */
function withKeys(lead: Row): Row {
  return { ...lead, ...attributionKeys(lead.project_source, JSON.parse(lead.campaign)) };
}

async function keepLayers({ query }: Db, layers: readonly Layer[]): Promise<void> {
  for (const { id, undo } of layers) {
    await query
      .updateTable('lead_merges')
      .set({ undo: JSON.stringify(undo), merged_crm_id: undo.lead.crm_lead_id })
      .where('merged_lead_id', '=', id)
      .execute();
  }
}

function changesOf(before: Row, after: Row): Partial<Row> {
  return Object.fromEntries(
    Object.entries(after).filter(([column, value]) => before[column as keyof Row] !== value),
  );
}

async function undoOf(db: Db, survivor: Row, going: Row, after: Partial<Row>): Promise<Undo> {
  const layers = await mergesInto(db, survivor.lead_id);
  const demoted = await db.query
    .selectFrom('submissions')
    .select('submission_id as id')
    .where('lead_id', '=', (shows(going, survivor) ? survivor : going).lead_id)
    .where('is_primary_lead', '=', 1)
    .execute();
  return {
    lead: { ...going, search_text: '' },
    ...(await belongingsOf(db, going.lead_id)),
    demoted: demoted.map(({ id }) => id),
    before: Object.fromEntries(Object.keys(after).map((column) => [column, survivor[column as keyof Row]])),
    after,
    order: 1 + (layers.at(-1)?.undo.order ?? 0),
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
 * If a lead has lost its primary submission, promotes the first that a merge had demoted, people before bots.
 */
async function ensurePrimary(db: Db, leadId: number, demoted: readonly number[]): Promise<void> {
  const submissions = await db.query
    .selectFrom('submissions')
    .select(['submission_id', 'is_primary_lead'])
    .where('lead_id', '=', leadId)
    .orderBy('is_bot_lead')
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

/** Recomputes what follows from the submissions that a lead has now. */
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
  await refreshFigures(db, leadId, Number(submitted.count));
  await renewSearchTextsOf(db, [leadId]);
  await noteUpdate(db, leadId, now);
}

/**
 * Sessions stored concurrently are not seen yet, and the person's other leads need new figures, too. In one order, like
 * captures do: otherwise the two could deadlock.
 */
async function noteFigureChanges({ query, dialect }: Db, leadIds: readonly number[]): Promise<void> {
  await query
    .selectFrom('lead_figure_changes')
    .select('lead_id')
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .orderBy('lead_id')
    .modifyEnd(dialect.forUpdate)
    .execute();
  const rows = leadIds.toSorted((a, b) => a - b).map((lead_id) => ({ lead_id }));
  await dialect.insertRows('lead_figure_changes', rows, 'do nothing');
}

/** Immediately, because the next list must show them. */
async function refreshFigures(db: Db, leadId: number, submissions: number): Promise<void> {
  const visitors = await visitorsOf(db, [leadId]);
  const counts = await submitCounts(db, [leadId]);
  await db.query
    .updateTable('leads')
    .set(({ eb }) => ({
      ...figuresOf(visitors),
      form_submit_count: eb('forgotten_submissions', '+', counts.get(leadId) ?? submissions),
    }))
    .where('lead_id', '=', leadId)
    .execute();
}
