import type { SavedView } from '@leadtrail/contract/saved-views';
import { VIEW_NAME_CHARS_MAX } from '@leadtrail/contract/view-pages';
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';

type Props = {
  title: string;
  /** The view to rename. */
  named?: SavedView | undefined;
  /** Their names are taken. */
  others: readonly SavedView[];
  onClose: () => void;
  onName: (name: string) => Promise<unknown>;
};

export function ViewNameDialog({ isOpen, ...props }: Props & { isOpen: boolean }) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={props.onClose}
      title={props.title}
      description="Everyone with a key can see it, with its sites, period and filters."
    >
      <NameForm {...props} />
    </Dialog>
  );
}

/** A component of its own, so that its state is reset whenever the dialog opens. */
function NameForm({ named, others, onClose, onName }: Props) {
  const [name, setName] = useState(named?.name ?? '');
  const [isBusy, setBusy] = useState(false);
  const chars = name.trim().length;
  const isTooLong = chars > VIEW_NAME_CHARS_MAX;
  const isTaken = others.some((each) => folded(each.name) === folded(name));
  const canSave = chars > 0 && !isTooLong && !isTaken;

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!canSave || isBusy) return;
    setBusy(true);
    try {
      await onName(name.trim());
      onClose();
    } catch {
      // Reported already; the dialog stays open for another try.
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      <Field
        label="Name"
        hint={`At most ${VIEW_NAME_CHARS_MAX} characters.`}
        // An error instead of `maxLength`, which would cut off a pasted name.
        error={
          isTooLong
            ? `At most ${VIEW_NAME_CHARS_MAX} characters; this has ${chars}.`
            : isTaken
              ? 'Another view has this name.'
              : undefined
        }
      >
        {(tied) => (
          <TextInput
            {...tied}
            value={name}
            onChange={(event) => setName(event.target.value)}
            required
            autoFocus
          />
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={isBusy} disabled={!canSave}>
          Save
        </Button>
      </div>
    </form>
  );
}

function folded(name: string): string {
  return name.trim().toLowerCase();
}
