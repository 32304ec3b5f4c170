import { counted } from '../../../format.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Time } from '../../../ui/time.tsx';
import { useLastGiven } from '../../../ui/use-last-given.ts';
import type { ClassPreview } from './retention-preview.tsx';

export type Removal = { classes: readonly ClassPreview[]; next_run_at: string };

const NOUNS: Readonly<Record<ClassPreview['class'], readonly [one: string, many: string]>> = {
  sessions: ['visit', 'visits'],
  leads: ['lead', 'leads'],
  set_aside_leads: ['rejected or testing lead', 'rejected and testing leads'],
  flow_send_bodies: ['content of a delivery', 'contents of deliveries'],
  unmatched_events: ['CRM event without a lead', 'CRM events without a lead'],
  archives: ['archive of visits', 'archives of visits'],
  replays: ['part of a recording', 'parts of recordings'],
};

/** Before settings are saved by which the next run removes something for good. */
export function RemovalQuestion({
  removal,
  onClose,
  onConfirm,
}: {
  /** Undefined: closed. */
  removal: Removal | undefined;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const shown = useLastGiven(removal);
  if (shown === null) return null;
  const parts = shown.classes.map(({ class: name, rows }) => counted(rows, ...NOUNS[name]));
  const all = shown.classes.reduce((sum, { rows }) => sum + rows, 0);
  return (
    <ConfirmDialog
      isOpen={removal !== undefined}
      onClose={onClose}
      onConfirm={onConfirm}
      title={`Remove ${parts.length === 1 ? parts[0] : counted(all, 'record')} tonight?`}
      action="Save and remove"
    >
      {parts.length > 1 && (
        <ul className="list-disc pl-5">
          {parts.map((part) => (
            <li key={part}>{part}</li>
          ))}
        </ul>
      )}
      <p>
        By these settings the next run, on <Time value={shown.next_run_at} />, removes what is older. This
        cannot be undone.
      </p>
    </ConfirmDialog>
  );
}
