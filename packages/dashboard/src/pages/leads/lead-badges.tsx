import type { LeadItem } from '@leadtrail/contract/lead-records';
import { Ban, Reply } from 'lucide-react';
import { counted } from '../../format.ts';
import { BotAndTest } from '../../shared/bot-and-test.tsx';
import { Badge } from '../../ui/badge.tsx';
import { riskOf } from '../../ui/risk.ts';

export function RiskBadge({ score, hasLabel = false }: { score: number; hasLabel?: boolean }) {
  return (
    <Badge tone={riskOf(score).tone} title={`Risk ${score} of 100`}>
      {hasLabel && 'Risk '}
      <span className="tabular-nums">{score}</span>
    </Badge>
  );
}

export function LeadMarks({ lead }: { lead: LeadItem }) {
  const { follow_ups_count, is_ip_blocked } = lead;
  return (
    <>
      <BotAndTest of={lead} />
      {follow_ups_count > 0 && (
        <Badge tone="info">
          <Reply aria-hidden="true" />
          {counted(follow_ups_count, 'follow-up')}
        </Badge>
      )}
      {is_ip_blocked === 1 && (
        <Badge tone="negative">
          <Ban aria-hidden="true" />
          IP blocked
        </Badge>
      )}
    </>
  );
}

/** Marks leads that need review. */
export function ReviewDot() {
  return (
    <span className="inline-flex shrink-0 items-center" title="To review">
      <span aria-hidden="true" className="size-2 rounded-full bg-accent" />
      <span className="sr-only">To review</span>
    </span>
  );
}
