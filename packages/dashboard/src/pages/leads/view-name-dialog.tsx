import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { isSameName, type SavedView, useSavedViews, VIEW_NAME_CHARS_MAX } from './views.ts';

type Props = {
  title: string;
  /** What has a name already. */
  named?: SavedView | undefined;
  onClose: () => void;
  onName: (name: string) => void;
};

/** Asks how a view is to be called. */
export function ViewNameDialog({ isOpen, ...props }: Props & { isOpen: boolean }) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={props.onClose}
      title={props.title}
      description="Saved in this browser, for you alone. To share a view, share its address."
    >
      <NameForm {...props} />
    </Dialog>
  );
}

/** Apart, so that it begins anew whenever the dialog opens. */
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
      <Field label="Name" hint={isTaken ? 'There is a view of this name. It will be replaced.' : undefined}>
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
