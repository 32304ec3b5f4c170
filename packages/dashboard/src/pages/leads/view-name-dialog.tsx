import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { isSameName, type SavedView, useSavedViews, VIEW_NAME_CHARS_MAX } from './views.ts';

type Props = {
  title: string;
  /** The view to rename; undefined for a new one. */
  named?: SavedView | undefined;
  onClose: () => void;
  onName: (name: string) => void;
};

export function ViewNameDialog({ isOpen, ...props }: Props & { isOpen: boolean }) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={props.onClose}
      title={props.title}
      description="Saved in this browser only. To share a view, share its address."
    >
      <NameForm {...props} />
    </Dialog>
  );
}

/** A component of its own, so that its state is reset whenever the dialog opens. */
function NameForm({ named, onClose, onName }: Props) {
  const [name, setName] = useState(named?.name ?? '');
  const isTaken = useSavedViews().some((each) => each.id !== named?.id && isSameName(each.name, name));

  function submit(event: FormEvent) {
    event.preventDefault();
    if (name.trim() === '') return;
    onName(name.trim());
    onClose();
  }

  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field label="Name" hint={isTaken ? 'A view with this name exists and will be replaced.' : undefined}>
        {(tied) => (
          <TextInput
            {...tied}
            value={name}
            onChange={(event) => setName(event.target.value)}
            maxLength={VIEW_NAME_CHARS_MAX}
            required
            autoFocus
          />
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" disabled={name.trim() === ''}>
          {isTaken ? 'Replace' : 'Save'}
        </Button>
      </div>
    </form>
  );
}
