import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { toasts } from '../../../ui/toast.tsx';
import { useLastGiven } from '../../../ui/use-last-given.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { TextField } from '../parts/text-field.tsx';
import { useDraft } from '../parts/use-draft.ts';
import { changeKnown, type DropdownOption, refreshOptions } from './option-queries.ts';

export function OptionDialog({
  option: given,
  ordered,
  onMove,
  onClose,
}: {
  /** Null closes the dialog. */
  option: DropdownOption | null;
  /** All options of the kind. */
  ordered: readonly DropdownOption[];
  onMove: (id: number, to: number) => void;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const option = useLastGiven(given);
  const position = ordered.findIndex(({ id }) => id === option?.id) + 1;
  const draft = useDraft({
    saved: { value: option?.value ?? '', label: option?.label ?? '', position: String(position) },
    conflictField: 'value',
    send: ({ values: { value, label } }) =>
      call('updateDropdownOption', { params: { id: option?.id ?? 0 }, body: { value, label } }),
    onSaved(saved, { changed }) {
      changeKnown(queryClient, saved.kind, (known) =>
        known.map((each) => (each.id === saved.id ? saved : each)),
      );
      const to = Number(changed.position || Number.NaN);
      if (Number.isInteger(to)) onMove(saved.id, to - 1);
      else void refreshOptions(queryClient);
      toasts.add({ title: 'Saved' });
      draft.discard();
      onClose();
    },
  });
  const { field } = draft;
  return (
    <FormDialog
      isOpen={given !== null}
      onClose={onClose}
      title={`Edit ${option?.label}`}
      draft={draft}
      action="Save"
    >
      <TextField
        label="Value"
        hint="As sent by forms. Existing leads keep their value."
        autoFocus
        {...field('value')}
      />
      <TextField label="Label" hint="As shown to people." {...field('label')} />
      <TextField
        label="Position"
        hint={`1 is the first, ${ordered.length} the last.`}
        type="number"
        min={1}
        max={ordered.length}
        className="max-w-28 tabular-nums"
        {...field('position')}
      />
    </FormDialog>
  );
}
