import type { LeadItem } from '@leadtrail/contract/leads';
import { Ban, Reply } from 'lucide-react';
import { formatNumber } from '../../format.ts';
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

/** What sets a lead apart: that somebody wrote again, or came from a blocked address. */
export function LeadMarks({ lead }: { lead: LeadItem }) {
  const { follow_ups_count, is_ip_blocked } = lead;
  return (
    <>
      {follow_ups_count > 0 && (
        <Badge tone="info">
          <Reply aria-hidden="true" />
          {formatNumber(follow_ups_count)} {follow_ups_count === 1 ? 'follow-up' : 'follow-ups'}
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

/** The dot of what nobody has looked at yet. */
export function ReviewDot() {
  return (
    <span className="inline-flex shrink-0 items-center" title="To review">
      <span aria-hidden="true" className="size-2 rounded-full bg-accent" />
      <span className="sr-only">To review</span>
    </span>
  );
}
