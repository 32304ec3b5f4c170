import type { LeadNote } from '@leadtrail/contract/lead-records';
import { NOTE_CHARS_MAX } from '@leadtrail/contract/limits';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useEffect, useRef } from 'react';
import { call } from '../../api/client.ts';
import { currentKey, isKeyRefused } from '../../api/key.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useIsAdmin } from '../../api/role.ts';
import { isNoteWanted } from '../../shared/lead-queue.ts';
import { giveBackToDraft, keepNoteDraft, noteDraft, useNoteDraft } from '../../shared/note-drafts.ts';
import { personName } from '../../shared/person-name.ts';
import { useKeys } from '../../shared/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { Time } from '../../ui/time.tsx';
import { toastProblem, toastWithUndo } from '../../ui/toast.tsx';
import type { Lead, LeadDetail } from './data.ts';

/** The team's own remarks on a lead. */
export function NotesCard({ detail: { lead, notes } }: { detail: LeadDetail }) {
  const isAdmin = useIsAdmin();
  if (!isAdmin && notes.length === 0) return null;
  return (
    <Card title="Notes">
      <div className="grid gap-4">
        {isAdmin && <NoteForm key={lead.lead_id} lead={lead} />}
        {notes.length > 0 && (
          <ul aria-label="Notes" className="grid gap-3">
            {notes.map((note) => (
              <Note key={note.id} note={note} lead={lead} isAdmin={isAdmin} />
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

function NoteForm({ lead }: { lead: Lead }) {
  const leadId = lead.lead_id;
  const text = useNoteDraft(leadId);
  const field = useRef<HTMLTextAreaElement>(null);
  const writing = useWriting(lead);
  useKeys({
    n: (event) => {
      event.preventDefault();
      field.current?.focus();
    },
  });
  // Opened with `n` on the list.
  useEffect(() => {
    if (isNoteWanted(leadId)) field.current?.focus();
  }, [leadId]);

  function submit(event: FormEvent | KeyboardEvent) {
    event.preventDefault();
    if (text.trim() === '' || writing.isPending) return;
    // Cleared at once: text typed before the response is the next note.
    keepNoteDraft(leadId, '');
    writing.mutate(text, {
      onSuccess() {
        // Keeps the focus if the next note was begun: its letters would trigger page shortcuts.
        if (noteDraft(leadId) === '') field.current?.blur();
      },
    });
  }
  /** Escape leaves the field, so that page shortcuts work again. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
    if (event.key !== 'Escape') return;
    event.preventDefault();
    field.current?.blur();
  }

  return (
    <form onSubmit={submit} className="grid gap-2">
      <Field label="New note" error={writing.error?.message}>
        {(tied) => (
          <TextArea
            {...tied}
            ref={field}
            rows={2}
            className="min-h-16"
            maxLength={NOTE_CHARS_MAX}
            value={text}
            onChange={(event) => keepNoteDraft(leadId, event.target.value)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      {(text.trim() !== '' || writing.isPending) && (
        <Button type="submit" look="primary" className="justify-self-end" isBusy={writing.isPending}>
          Save note
        </Button>
      )}
    </form>
  );
}

function Note({ note, lead, isAdmin }: { note: LeadNote; lead: Lead; isAdmin: boolean }) {
  const client = useQueryClient();
  const writing = useWriting(lead);
  const deleting = useMutation({
    mutationFn: () => call('deleteNote', { params: { id: lead.lead_id, note_id: note.id } }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: queryKeys.anyLead });
      toastWithUndo('Note deleted', () => writing.mutate(note.text));
    },
    onError: (error) => toastProblem('The note was not deleted', error),
  });
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-2 rounded-lg bg-sunken py-2 pr-1 pl-3">
      <div className="grid gap-0.5">
        <p className="whitespace-pre-wrap wrap-anywhere">{note.text}</p>
        <p className="text-xs text-ink-soft">
          <Time value={note.written_at} isAgo /> with the {note.by} key
        </p>
      </div>
      {isAdmin && (
        <Button
          look="ghost"
          size="small"
          aria-label={`Delete note “${note.text.slice(0, 40)}”`}
          icon={<Trash2 aria-hidden="true" />}
          isBusy={deleting.isPending}
          onClick={() => deleting.mutate()}
        />
      )}
    </li>
  );
}

/** Handles the response even if the page was left before. */
function useWriting(lead: Lead) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (text: string) => call('writeNote', { params: { id: lead.lead_id }, body: { text } }),
    onMutate: () => ({ key: currentKey() }),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.anyLead }),
    onError(error, text, started) {
      // Signing out discards drafts; a refused key keeps them, since the same person will sign in again.
      const isSameKey = currentKey() === started?.key;
      if (isSameKey || isKeyRefused()) giveBackToDraft(lead.lead_id, text);
      if (isSameKey) toastProblem(`The note on ${personName(lead)} is still a draft`, error);
    },
  });
}
