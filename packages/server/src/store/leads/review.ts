import type { LeadStatus } from '@leadtrail/contract/lead-status';
import type { Db } from '../dialect.ts';
import { write } from '../operation.ts';
import { noteChange } from './lead-index.ts';
import { type LeadReference, resolveLead } from './reference.ts';
import { noteUpdate } from './updates.ts';

/** What the people in front of the dashboard do to a lead. */

type LeadUpdate = LeadReference & {
  status?: LeadStatus;
  value?: number | null;
  by: 'admin' | 'marketing';
  now: number;
};
const MICROS = 1_000_000;

/** False: there is no such lead. */
export const updateLead = write(
  { changes: ['leads'] },
  async (db, { id, status, value, by, now }: LeadUpdate): Promise<boolean> => {
    const leadId = await resolveLead(db, id);
    const [lead] =
      leadId === null
        ? []
        : await db.dialect.selectHeld<{ status: string }>('select status from leads where lead_id = ?', [
            leadId,
          ]);
    if (leadId === null || lead === undefined) return false;
    const moves = status !== undefined && status !== lead.status;
    if (!moves && value === undefined) return true;
    await db.query
      .updateTable('leads')
      .set({
        ...(moves ? { status } : {}),
        ...(value === undefined ? {} : { value_micros: value === null ? null : Math.round(value * MICROS) }),
      })
      .where('lead_id', '=', leadId)
      .execute();
    if (moves) await noteStageMove(db, { leadId, from: lead.status, to: status, by, now });
    await noteUpdate(db, leadId, now);
    return true;
  },
);

export async function noteStageMove(
  { query }: Db,
  move: { leadId: number; from: string; to: string; by: LeadUpdate['by'] | 'merge'; now: number },
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
