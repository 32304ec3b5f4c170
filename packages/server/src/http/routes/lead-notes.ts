import { NOTES_MAX } from '@leadtrail/contract/limits';
import { unknownLead } from '../../flows/view-lead.ts';
import { AppError } from '../../lib/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { deletionOf } from '../managed-record.ts';

export function leadNoteRoutes({
  store,
  now,
  newId,
}: {
  store: Store;
  now: () => number;
  newId: () => string;
}): Pick<Handlers, 'writeNote' | 'deleteNote'> {
  return {
    async writeNote({ params, body, role }) {
      const note = await store.writeNote({
        id: params.id,
        noteId: newId(),
        text: body.text,
        by: role ?? 'admin',
        now: now(),
      });
      if (note === 'unknown') throw unknownLead();
      if (note === 'full') {
        throw new AppError('conflict', `A lead has ${NOTES_MAX} notes at most. Delete one first.`);
      }
      return note;
    },
    async deleteNote({ params }) {
      return deletionOf(await store.deleteNote({ id: params.id, noteId: params.note_id }), {
        name: 'note',
        uniqueField: 'id',
      });
    },
  };
}
