import type { Db } from '../dialect.ts';
import { write } from '../operation.ts';
import { type ChangeOutcome, changeLead, type LeadChange } from './change.ts';
import { noteChange } from './lead-index.ts';
import { type LeadReference, resolveLead } from './reference.ts';

/** Changes to leads from the dashboard. */

type LeadUpdate = LeadReference & LeadChange;

export const updateLead = write({ changes: ['leads'] }, (db, update: LeadUpdate) =>
  changeResolved(db, update),
);

/** The same if a move may add a delivery. */
export const updateLeadAndTell = write({ changes: ['leads', 'sends'] }, (db, update: LeadUpdate) =>
  changeResolved(db, update),
);

async function changeResolved(db: Db, { id, ...change }: LeadUpdate): Promise<ChangeOutcome> {
  const leadId = await resolveLead(db, id);
  return leadId === null ? 'unknown' : changeLead(db, leadId, change);
}

/** Marks a lead as seen if it has as many follow-ups as were shown. False: it has more by now, or is gone. */
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
