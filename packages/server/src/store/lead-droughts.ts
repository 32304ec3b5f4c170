import { latestTime } from './clocks.ts';
import { background, primaryRead } from './operation.ts';
import type { LeadDroughtRow } from './schema.ts';

/** The current lead drought, and how the operator was told. */

type LatestLead = { leadId: number; createdAt: number };

/** By time: a set-aside lead that is accepted later has a higher number than leads that came after it. */
export const latestLead = primaryRead(
  async ({ query }, { now }: { now: number }): Promise<LatestLead | null> => {
    const submissions = query
      .selectFrom('submissions')
      .select(['lead_id as leadId', 'submitted_at as createdAt'])
      .where('submitted_at', '<=', latestTime(now))
      .orderBy('submitted_at', 'desc')
      .orderBy('submission_id', 'desc')
      .limit(1);
    const lead = await submissions.where('is_primary_lead', '=', 1).executeTakeFirst();
    return lead ?? null;
  },
);

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
