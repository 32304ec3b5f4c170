import type { LeadItem } from '@leadtrail/contract/lead-records';
import type { CSSProperties } from 'react';

const LEVELS: readonly string[] = ['Cold', 'Cool', 'Warm', 'Hot', 'Very Hot'];

/** Engagement as a meter, because colours are reserved for the stages. */
export function EngagementBadge({
  lead,
}: {
  lead: Pick<LeadItem, 'engagement_label' | 'engagement_score' | 'session_id'>;
}) {
  const { engagement_label: label, engagement_score: score } = lead;
  // A person without a known visit is not cold.
  if (lead.session_id === '' && score === 0) {
    return <span className="text-xs whitespace-nowrap text-ink-faint">No visit known</span>;
  }
  const bars = LEVELS.indexOf(label) + 1;
  return (
    <span
      title={`Engagement ${score} of 100`}
      className="inline-flex items-center gap-1.5 text-xs font-medium whitespace-nowrap"
    >
      <span
        aria-hidden="true"
        style={{ '--bars': bars } as CSSProperties}
        className="engagement-meter h-3 w-7 shrink-0"
      />
      {label} <span className="font-normal text-ink-faint tabular-nums">{score}</span>
    </span>
  );
}
