import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type FormEvent, useEffect, useRef } from 'react';
import { call } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { toasts } from '../../../ui/toast.tsx';
import { TextField } from '../parts/text-field.tsx';
import { useDraft } from '../parts/use-draft.ts';
import type { OptionKind } from '../search.ts';
import { changeKnown, type DropdownOption, refreshOptions } from './option-queries.ts';
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
      void refreshOptions(queryClient);
      toasts.add({ title: `${saved.label} was added` });
      draft.discard();
      first.current?.focus();
    },
  });
  const { values, field, failures } = draft;
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
      <TextField label="Value" hint="As sent by forms." ref={first} required {...field('value')} />
      <TextField label="Label" hint="As shown to people. Defaults to the value." {...field('label')} />
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
