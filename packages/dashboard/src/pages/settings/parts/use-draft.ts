import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../../../api/client.ts';
import { toastProblem } from '../../../ui/toast.tsx';

/** Unsaved edits on top of the saved values. */
export type Draft<D extends object> = {
  values: D;
  set: <K extends keyof D>(name: K, value: D[K]) => void;
  isChanged: boolean;
  /** The service's validation error, until the value is edited. */
  errorOf: (name: keyof D & string) => string | undefined;
  /** The props of a field of the form. */
  field: <K extends keyof D & string>(name: K) => DraftField<D[K]>;
  save: () => void;
  discard: () => void;
  isSaving: boolean;
  /** Counts failed saves; a form focuses the first invalid field when it changes. */
  failures: number;
  /** Counts saves and discards; used as a key to reset fields. */
  round: number;
};

type DraftField<V> = { value: V; error: string | undefined; onChange: (value: V) => void };

type Sent<D> = { values: D; changed: Partial<D> };

export function useDraft<D extends object, A>({
  saved,
  send,
  onSaved,
  conflictField,
}: {
  saved: D;
  send: (sent: Sent<D>) => Promise<A>;
  onSaved: (answer: A, sent: Sent<D>) => void;
  /** The field that a 409 is about. */
  conflictField?: keyof D & string;
}): Draft<D> {
  const [edits, setEdits] = useState<Partial<D>>({});
  const [failures, setFailures] = useState(0);
  const [round, setRound] = useState(0);
  const values = { ...saved, ...edits };
  const changed = changesOf(edits, saved);
  const saving = useMutation({
    mutationFn: send,
    onSuccess(answer, sent) {
      // Keeps edits made while saving.
      setEdits((now) => changesOf(now, sent.values));
      setRound((count) => count + 1);
      onSaved(answer, sent);
    },
    onError(error, sent) {
      setFailures((count) => count + 1);
      const isAtAField = Object.keys(sent.values).some((name) => messageFor(error, name, conflictField));
      if (!isAtAField) toastProblem('Your changes were not saved', error);
    },
  });

  const set: Draft<D>['set'] = (name, value) => setEdits((now) => ({ ...now, [name]: value }));
  function errorOf(name: keyof D & string): string | undefined {
    const refused = saving.error === null ? undefined : saving.variables;
    if (refused === undefined || !isSame(refused.values[name], values[name])) return undefined;
    return messageFor(saving.error, name, conflictField);
  }

  return {
    values,
    set,
    isChanged: Object.keys(changed).length > 0,
    errorOf,
    field: (name) => ({ value: values[name], error: errorOf(name), onChange: (value) => set(name, value) }),
    save: () => saving.mutate({ values, changed }),
    discard() {
      setEdits({});
      setRound((count) => count + 1);
      saving.reset();
    },
    isSaving: saving.isPending,
    failures,
    round,
  };
}

function changesOf<D extends object>(edits: Partial<D>, saved: D): Partial<D> {
  const entries = Object.entries(edits).filter(([name, value]) => !isSame(value, saved[name as keyof D]));
  return Object.fromEntries(entries) as Partial<D>;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function messageFor(error: unknown, name: string, conflictField: string | undefined): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  if (error.status === 409 && name === conflictField) return inWords(error.message);
  const detail = error.details.find(({ path }) => path === name || path.startsWith(`${name}.`));
  return detail && asSentence(inWords(detail.message));
}

/** Replaces API names in messages of the service: `form_id` becomes “form ID”. */
function inWords(message: string): string {
  return message.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) =>
    name.replace(/_id$/, ' ID').replaceAll('_', ' '),
  );
}

function asSentence(message: string): string {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`;
}
