import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../../../api/client.ts';
import { toastProblem } from '../../../ui/toast.tsx';
import type { Draft } from '../parts/use-draft.ts';
import type { Removal } from './removal-question.tsx';
import { type ClassPreview, type Preview, previewOptions } from './retention-preview.tsx';

type Typed = Record<string, string>;

const SETTINGS: Readonly<Record<ClassPreview['class'], readonly string[]>> = {
  sessions: ['session_retention_days'],
  leads: ['lead_retention_days', 'lead_retention_stages'],
  set_aside_leads: ['set_aside_retention_days'],
  flow_send_bodies: ['flow_send_body_retention_days'],
  unmatched_events: ['unmatched_event_retention_days'],
  archives: ['archive_retention_days'],
  replays: ['replay_retention_days'],
};

/** Asks before saving a draft whose changes remove something at the next run. */
export function useRemovalGuard<D extends object>(draft: Draft<D>, typed: Typed, saved: object) {
  const queries = useQueryClient();
  const [removal, ask] = useState<Removal>();
  const looking: UseMutationResult<Preview, Error, Typed> = useMutation({
    mutationFn: (looked: Typed) => queries.fetchQuery({ ...previewOptions(looked), staleTime: 0 }),
    onSuccess({ classes, next_run_at }, looked): void {
      // Edited since the preview was requested, which then is not of what would be saved.
      const isEdited = JSON.stringify(looked) !== JSON.stringify(typed);
      const removed = classes.filter(({ class: name, rows }) => rows > 0 && isChanged(name, typed, saved));
      if (isEdited) looking.mutate(typed);
      else if (removed.length === 0) draft.save();
      else ask({ classes: removed, next_run_at });
    },
    onError(error) {
      // Invalid: saving shows the service's message at the field.
      if (error instanceof ApiProblem && error.status === 400) draft.save();
      else toastProblem('Your changes were not saved', error);
    },
  });
  return {
    draft: {
      ...draft,
      save: () => looking.mutate(typed),
      isSaving: draft.isSaving || looking.isPending,
    },
    question: {
      removal,
      onClose: () => ask(undefined),
      onConfirm() {
        ask(undefined);
        draft.save();
      },
    },
  };
}

/** Unchanged settings remove records every night and were confirmed before. */
function isChanged(name: ClassPreview['class'], typed: Typed, saved: object): boolean {
  const before = saved as Record<string, unknown>;
  return SETTINGS[name].some((setting) => typed[setting] !== String(before[setting]));
}
