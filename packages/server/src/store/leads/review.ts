import type { LeadStatus } from '@leadtrail/contract/lead-status';
import type { Db } from '../dialect.ts';
import { write } from '../operation.ts';
import { noteChange } from './lead-index.ts';
import { type LeadReference, resolveLead } from './reference.ts';
import { noteUpdate } from './updates.ts';

/** What the people in front of the dashboard do to a lead. */

type StageMove = LeadReference & { status: LeadStatus; by: 'admin' | 'marketing'; now: number };

/** False: there is no such lead. */
export const setLeadStatus = write(
  { changes: ['leads'] },
  async (db, { id, status, by, now }: StageMove): Promise<boolean> => {
    const leadId = await resolveLead(db, id);
    const [lead] =
      leadId === null
        ? []
        : await db.dialect.selectHeld<{ status: string }>('select status from leads where lead_id = ?', [
            leadId,
          ]);
    if (leadId === null || lead === undefined) return false;
    if (lead.status === status) return true;
    await db.query.updateTable('leads').set({ status }).where('lead_id', '=', leadId).execute();
    await noteStageMove(db, { leadId, from: lead.status, to: status, by, now });
    await noteUpdate(db, leadId, now);
    return true;
  },
);

export async function noteStageMove(
  { query }: Db,
  move: { leadId: number; from: string; to: string; by: StageMove['by'] | 'merge'; now: number },
): Promise<void> {
  await query
    .insertInto('lead_stage_moves')
    .values({
      lead_id: move.leadId,
      at: move.now,
      from_status: move.from,
      to_status: move.to,
      moved_by: move.by,
    })
    .execute();
}

/**
 * Marks a lead as seen by someone who was shown so many follow-ups of it. False: there are more by now, or it
 * is no more.
 */
export const markLeadSeen = write(
  { changes: ['leads'] },
  async (
    db,
    { leadId, followUps, now }: { leadId: number; followUps: number; now: number },
  ): Promise<boolean> => {
    const lead = await db.query
      .updateTable('leads')
      .set(({ fn, val }) => ({
        seen_at: fn.coalesce('seen_at', val(now)),
        last_viewed_at: now,
        needs_review: 0,
      }))
      .where('lead_id', '=', leadId)
      .where('follow_ups_count', '=', followUps)
      .returning('lead_id')
      .executeTakeFirst();
    if (lead === undefined) return false;
    await noteChange(db, leadId);
    return true;
  },
);
