import { counted } from '../../../format.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Time } from '../../../ui/time.tsx';
import { useLastGiven } from '../../../ui/use-last-given.ts';
import type { ClassPreview } from './retention-preview.tsx';

export type Removal = { classes: readonly ClassPreview[]; next_run_at: string };

const COUNTED: Readonly<Record<ClassPreview['class'], (rows: number) => string>> = {
  sessions: (rows) => counted(rows, 'visit'),
  leads: (rows) => counted(rows, 'lead'),
  set_aside_leads: (rows) => counted(rows, 'rejected or testing lead', 'rejected and testing leads'),
  flow_send_bodies: (rows) => `the contents of ${counted(rows, 'delivery', 'deliveries')}`,
  unmatched_events: (rows) => counted(rows, 'CRM event without a lead', 'CRM events without a lead'),
  archives: (rows) => counted(rows, 'archive of visits', 'archives of visits'),
  replays: (rows) => counted(rows, 'part of a recording', 'parts of recordings'),
};

/** Confirms saving settings that make the next run remove something for good. */
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
  const parts = shown.classes.map(({ class: name, rows }) => COUNTED[name](rows));
  const all = shown.classes.reduce((sum, { rows }) => sum + rows, 0);
  return (
    <ConfirmDialog
      isOpen={removal !== undefined}
      onClose={onClose}
      onConfirm={onConfirm}
      title={`Remove ${parts.length === 1 ? parts[0] : counted(all, 'record')} at the next run?`}
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
        With these settings, the run on <Time value={shown.next_run_at} /> removes {all === 1 ? 'it' : 'them'}{' '}
        for good.
      </p>
      {shown.classes.some(({ class: name }) => name === 'sessions' || name === 'leads') && (
        <p>Overview and Campaigns no longer count removed visits and leads.</p>
      )}
    </ConfirmDialog>
  );
}
