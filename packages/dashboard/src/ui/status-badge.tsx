import { Badge, type Tone } from './badge.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  new: 'info',
  contacted: 'neutral',
  qualified: 'accent',
  proposal: 'warning',
  won: 'positive',
  lost: 'neutral',
  fake: 'negative',
};

/** The stage of a lead. */
export function StatusBadge({ status }: { status: string }) {
  return <Badge tone={TONES[status] ?? 'neutral'}>{statusName(status)}</Badge>;
}

export function statusName(status: string): string {
  return status.slice(0, 1).toUpperCase() + status.slice(1);
}
