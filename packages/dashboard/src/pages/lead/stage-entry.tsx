import { ArrowRight, Milestone } from 'lucide-react';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { StageMove } from './data.ts';
import { EntryFrame } from './entry.tsx';

const MOVERS: Readonly<Record<StageMove['by'], string>> = {
  admin: 'With the admin key',
  marketing: 'With the marketing key',
  crm: 'By the CRM',
  merge: 'By merging another lead into this one',
};

export function StageEntry({ move, at }: { move: StageMove; at: number }) {
  return (
    <EntryFrame
      icon={<Milestone aria-hidden="true" />}
      tone="neutral"
      title="Stage changed"
      at={at}
      badges={
        <span className="inline-flex items-center gap-1.5">
          <span className="sr-only">from</span> <StatusBadge status={move.from} />
          <ArrowRight aria-hidden="true" className="size-3.5 text-ink-faint" />
          <span className="sr-only">to</span> <StatusBadge status={move.to} />
        </span>
      }
    >
      <p className="text-ink-soft">{MOVERS[move.by]}</p>
    </EntryFrame>
  );
}
