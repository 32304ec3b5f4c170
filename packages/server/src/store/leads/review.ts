import type { LeadStatus } from '@leadtrail/contract/lead-status';
import { write } from '../operation.ts';
import { byReference, type LeadReference } from './detail.ts';
import { noteChange } from './lead-index.ts';

/** What the people in front of the dashboard do to a lead. */

/** False: there is no such lead. */
export const setLeadStatus = write(
  { changes: ['leads'] },
  async (db, { id, status }: LeadReference & { status: LeadStatus }): Promise<boolean> => {
    const lead = await db.query
      .updateTable('leads')
      .set({ status })
      .where(byReference(id))
      .returning('lead_id')
      .executeTakeFirst();
    if (lead === undefined) return false;
    await noteChange(db, lead.lead_id);
    return true;
  },
);

/**
 * Marks a lead as seen by someone who was shown so many submissions of it. False: there are more by now, or it
 * is no more.
 */
export const markLeadSeen = write(
  { changes: ['leads'] },
  async (
    db,
    { leadId, submissions, now }: { leadId: number; submissions: number; now: number },
  ): Promise<boolean> => {
    const lead = await db.query
      .updateTable('leads')
      .set(({ fn, val }) => ({
        seen_at: fn.coalesce('seen_at', val(now)),
        last_viewed_at: now,
        needs_review: 0,
      }))
      .where('lead_id', '=', leadId)
      .where('form_submit_count', '=', submissions)
      .returning('lead_id')
      .executeTakeFirst();
    if (lead === undefined) return false;
    await noteChange(db, leadId);
    return true;
  },
);
