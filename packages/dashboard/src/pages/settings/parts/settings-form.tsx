import { useBlocker } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import type { Draft } from './use-draft.ts';

/** The settings of a section, saved together; leaving with unsaved changes takes a confirmation. */
export function SettingsForm<D extends object>({
  draft,
  label,
  children,
}: {
  draft: Draft<D>;
  /** For screen readers. */
  label: string;
  children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (draft.failures > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [draft.failures]);

  function save(event: FormEvent) {
    event.preventDefault();
    if (draft.isChanged && !draft.isSaving) draft.save();
  }

  return (
    <form ref={form} onSubmit={save} noValidate aria-label={label} className="grid gap-4 sm:gap-5">
      {children}
      <div
        className={classes(
          '-mx-4 flex items-center justify-end gap-2 border-t px-4 py-3 sm:mx-0 sm:px-0',
          draft.isChanged
            ? 'sticky bottom-0 z-10 border-line bg-canvas/90 backdrop-blur'
            : 'border-transparent',
        )}
      >
        <p role="status" className="mr-auto text-[0.8125rem] text-ink-soft">
          {draft.isChanged ? 'Unsaved changes' : ''}
        </p>
        {draft.isChanged && (
          <Button look="ghost" onClick={draft.discard} disabled={draft.isSaving}>
            Discard
          </Button>
        )}
        <Button look="primary" type="submit" disabled={!draft.isChanged} isBusy={draft.isSaving}>
          Save
        </Button>
      </div>
      <LeaveGuard isChanged={draft.isChanged} />
    </form>
  );
}

function LeaveGuard({ isChanged }: { isChanged: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    disabled: !isChanged,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={status === 'blocked'}
      onClose={() => reset?.()}
      onConfirm={() => proceed?.()}
      title="Leave without saving?"
      action="Discard changes"
    >
      <p>Your changes have not been saved.</p>
    </ConfirmDialog>
  );
}
