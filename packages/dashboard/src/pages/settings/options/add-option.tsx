import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type FormEvent, useEffect, useRef } from 'react';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, TextInput } from '../../../ui/field.tsx';
import { toasts } from '../../../ui/toast.tsx';
import { useDraft } from '../parts/use-draft.ts';
import type { OptionKind } from '../search.ts';
import { changeKnown, type DropdownOption } from './option-queries.ts';
import { sortOrderAtEnd } from './sort-orders.ts';

export function AddOption({ kind, options }: { kind: OptionKind; options: readonly DropdownOption[] }) {
  const queryClient = useQueryClient();
  const first = useRef<HTMLInputElement>(null);
  const draft = useDraft({
    saved: { value: '', label: '' },
    conflictField: 'value',
    send: ({ values: { value, label } }) =>
      call('createDropdownOption', {
        body: {
          kind,
          value,
          ...(label.trim() === '' ? {} : { label }),
          sort_order: sortOrderAtEnd(options),
        },
      }),
    onSaved(saved) {
      changeKnown(queryClient, kind, (known) => [...known, saved]);
      void queryClient.invalidateQueries({ queryKey: queryKeys.dropdownOptions });
      toasts.add({ title: `${saved.label} was added` });
      draft.discard();
      first.current?.focus();
    },
  });
  const { values, set, errorOf, failures } = draft;
  useEffect(() => {
    if (failures > 0) first.current?.focus();
  }, [failures]);

  function add(event: FormEvent) {
    event.preventDefault();
    if (!draft.isSaving) draft.save();
  }

  return (
    <form
      onSubmit={add}
      noValidate
      aria-label="Add an option"
      className="grid items-start gap-3 px-4 pb-4 sm:grid-cols-[1fr_1fr_auto] sm:px-5"
    >
      <Field label="Value" error={errorOf('value')} hint="As sent by forms.">
        {(tied) => (
          <TextInput
            {...tied}
            ref={first}
            required
            value={values.value}
            onChange={(event) => set('value', event.target.value)}
          />
        )}
      </Field>
      <Field label="Label" error={errorOf('label')} hint="As shown to people. Defaults to the value.">
        {(tied) => (
          <TextInput {...tied} value={values.label} onChange={(event) => set('label', event.target.value)} />
        )}
      </Field>
      <Button
        type="submit"
        icon={<Plus aria-hidden="true" />}
        isBusy={draft.isSaving}
        disabled={values.value.trim() === ''}
        className="sm:mt-[1.6rem]"
      >
        Add
      </Button>
    </form>
  );
}
