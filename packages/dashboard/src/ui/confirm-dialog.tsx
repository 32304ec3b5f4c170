import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

export function ConfirmDialog({
  isOpen,
  onClose,
  onConfirm,
  title,
  children,
  action,
  look = 'danger',
  isBusy = false,
  isReady = true,
}: {
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: ReactNode;
  /** The consequences, and whether they can be undone. */
  children: ReactNode;
  action: string;
  /** Primary for what can be undone and deletes nothing. */
  look?: 'primary' | 'danger';
  isBusy?: boolean;
  /** False while the consequences are not known. */
  isReady?: boolean;
}) {
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-50 bg-black/40" />
        <AlertDialog.Popup className="fixed top-1/2 left-1/2 z-50 grid max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 grid-cols-[minmax(0,1fr)] gap-4 overflow-y-auto rounded-2xl border border-line bg-raised p-6 shadow-raised outline-none">
          <AlertDialog.Title className="text-base wrap-anywhere">{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="grid gap-2 wrap-anywhere text-ink-soft">
            {children}
          </AlertDialog.Description>
          <div className="flex justify-end gap-2">
            <AlertDialog.Close render={<Button>Cancel</Button>} />
            <Button look={look} isBusy={isBusy} disabled={!isReady} onClick={onConfirm}>
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
