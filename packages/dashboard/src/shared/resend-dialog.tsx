import type { FlowSend } from '@leadtrail/contract/deliveries';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';

/** Asks before a lead that was delivered is sent under the same delivery ID. */
export function ResendDialog({
  lead,
  ...dialog
}: {
  /** Such as "this lead". */
  lead: string;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
  isBusy?: boolean;
}) {
  return (
    <ConfirmDialog {...dialog} title={`Resend ${lead}?`} action="Resend">
      It has been delivered already. Your automation platform will receive it twice, with the same ID.
    </ConfirmDialog>
  );
}

/** What a button says that makes the next attempt. */
export function attemptLabel({ status }: Pick<FlowSend, 'status'>): string {
  return status === 'pending' ? 'Send now' : 'Resend';
}
