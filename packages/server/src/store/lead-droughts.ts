import { CLOCKS_APART_MS_MAX, latestTime } from './clocks.ts';
import type { Db } from './dialect.ts';
import type { Undo } from './leads/merge-layers.ts';
import { background, primaryRead } from './operation.ts';
import type { LeadDroughtRow } from './schema.ts';

/** The current lead drought, and how the operator was told. */

type LatestLead = { leadId: number; createdAt: number };

/** By time: a set-aside lead that is accepted later has a higher number than leads that came after it. */
export const latestLead = primaryRead(async (db, { now }: { now: number }): Promise<LatestLead | null> => {
  const submissions = db.query
    .selectFrom('submissions')
    .select(['lead_id as leadId', 'submitted_at as createdAt'])
    .where('submitted_at', '<=', latestTime(now))
    .orderBy('submitted_at', 'desc')
    .orderBy('submission_id', 'desc')
    .limit(1);
  const primary = await submissions.where('is_primary_lead', '=', 1).executeTakeFirst();
  const since = primary?.createdAt ?? 0;
  const demoted = await demotedSince(db, since);
  const merged = await submissions
    .where('submission_id', 'in', db.dialect.anyOf(demoted))
    .where('submitted_at', '>', since)
    .executeTakeFirst();
  const lead = merged ?? primary;
  return lead === undefined ? null : { ...lead, leadId: await highestIdOf(db, lead.leadId) };
});

/** First enquiries that merges since a time have made follow-ups: each brought a lead, too. */
async function demotedSince({ query }: Db, since: number): Promise<number[]> {
  const merges = await query
    .selectFrom('lead_merges')
    .select('undo')
    .where('merged_at', '>=', since - CLOCKS_APART_MS_MAX)
    .execute();
  return merges.flatMap(({ undo }) => (JSON.parse(undo) as Undo).demoted);
}

/** Of the leads merged into it: another one would be taken for a lead that came before the known drought. */
async function highestIdOf({ query }: Db, leadId: number): Promise<number> {
  const merged = await query
    .selectFrom('lead_merges')
    .select(({ fn }) => fn.max('merged_lead_id').as('id'))
    .where('into_lead_id', '=', leadId)
    .executeTakeFirst();
  return Math.max(leadId, merged?.id ?? 0);
}

/**
 * The drought after a lead, which begins `since` unless it is known already. If the known one follows a later
 * lead, that lead has been erased: no lead has come since, so it is the same drought.
 */
export const noteDrought = background(
  { changes: [] },
  async (
    { query },
    { lastLeadId, since, now }: { lastLeadId: number; since: number; now: number },
  ): Promise<LeadDroughtRow> => {
    await query.deleteFrom('lead_droughts').where('last_lead_id', '<', lastLeadId).execute();
    // By a clock that was ahead.
    await query
      .deleteFrom('lead_droughts')
      .where('since', '>', latestTime(now))
      .where('told', 'is', null)
      .execute();
    const known = await query.selectFrom('lead_droughts').selectAll().limit(1).executeTakeFirst();
    if (known !== undefined) return known;
    const started = { last_lead_id: lastLeadId, since, told: null };
    await query.insertInto('lead_droughts').values(started).execute();
    return started;
  },
);

export const recordDroughtTold = background(
  { changes: [] },
  async (
    { query },
    { lastLeadId, told }: { lastLeadId: number; told: LeadDroughtRow['told'] },
  ): Promise<void> => {
    await query.updateTable('lead_droughts').set({ told }).where('last_lead_id', '=', lastLeadId).execute();
  },
);
