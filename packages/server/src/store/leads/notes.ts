import type { LeadNote } from '@leadtrail/contract/lead-records';
import { NOTES_MAX } from '@leadtrail/contract/limits';
import { dateTime } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { write } from '../operation.ts';
import { countOf } from '../paging.ts';
import type { LeadNoteRow } from '../schema.ts';
import { type LeadReference, resolveLead } from './reference.ts';

/**
 * Notes on leads. A note keeps the number of the lead it was written on, and a lead also shows the notes of
 * leads merged into it: so merging and unmerging move no notes.
 */

type NewNote = LeadReference & {
  noteId: string;
  text: string;
  by: LeadNoteRow['written_by'];
  now: number;
};

export const writeNote = write(
  { changes: ['leads'] },
  async (db, { id, noteId, text, by, now }: NewNote): Promise<LeadNote | 'unknown' | 'full'> => {
    const leadId = await resolveLead(db, id);
    // Locked, so that a concurrent erasure cannot miss the note.
    const [lead] = leadId === null ? [] : await db.dialect.selectForUpdate(SELECT_LEAD, [leadId]);
    if (leadId === null || lead === undefined) return 'unknown';
    const notes = await countOf(db.query.selectFrom('lead_notes').where('lead_id', '=', leadId));
    if (notes >= NOTES_MAX) return 'full';
    const note = { note_id: noteId, lead_id: leadId, text, written_at: now, written_by: by };
    await db.query.insertInto('lead_notes').values(note).execute();
    return onWire(note);
  },
);

const SELECT_LEAD = 'select lead_id from leads where lead_id = ?';

export const deleteNote = write(
  { changes: ['leads'] },
  async (db, { id, noteId }: LeadReference & { noteId: string }): Promise<boolean> => {
    const leadId = await resolveLead(db, id);
    if (leadId === null) return false;
    const { numDeletedRows } = await db.query
      .deleteFrom('lead_notes')
      .where('note_id', '=', noteId)
      .where(({ eb, or, selectFrom }) =>
        or([
          eb('lead_id', '=', leadId),
          eb(
            'lead_id',
            'in',
            selectFrom('lead_merges').select('merged_lead_id').where('into_lead_id', '=', leadId),
          ),
        ]),
      )
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  },
);

/** Latest first. */
export async function notesOf({ query, dialect }: Db, leadIds: readonly number[]): Promise<LeadNote[]> {
  const notes = await query
    .selectFrom('lead_notes')
    .selectAll()
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .orderBy('written_at', 'desc')
    .orderBy('note_id', 'desc')
    .execute();
  return notes.map(onWire);
}

function onWire({ note_id, text, written_at, written_by }: LeadNoteRow): LeadNote {
  return { id: note_id, text, written_at: dateTime(written_at), by: written_by };
}
