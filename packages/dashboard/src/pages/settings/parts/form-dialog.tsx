import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import type { Draft } from './use-draft.ts';

/** A form in a dialog; closing it with unsaved changes takes a confirmation. */
export function FormDialog<D extends object>({
  isOpen,
  onClose,
  title,
  description,
  draft,
  action,
  children,
}: {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  draft: Draft<D>;
  action: string;
  children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (draft.failures > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [draft.failures]);

  function close() {
    setAsking(false);
    draft.discard();
    onClose();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!draft.isSaving) draft.save();
  }

  return (
    <>
      <Dialog
        isOpen={isOpen}
        onClose={() => (draft.isChanged ? setAsking(true) : close())}
        title={title}
        description={description}
      >
        <form ref={form} onSubmit={submit} noValidate className="grid gap-4">
          {children}
          <div className="flex justify-end gap-2 pt-1">
            <Button onClick={close}>Cancel</Button>
            <Button look="primary" type="submit" isBusy={draft.isSaving}>
              {action}
            </Button>
          </div>
        </form>
      </Dialog>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={close}
        title="Close without saving?"
        action="Discard changes"
      >
        <p>What you typed has not been saved.</p>
      </ConfirmDialog>
    </>
  );
}
