import type { LeadItem } from '@leadtrail/contract/lead-records';
import { classes } from './classes.ts';

const LEVELS: readonly string[] = ['Cold', 'Cool', 'Warm', 'Hot', 'Very Hot'];
const HEIGHTS = ['h-1', 'h-1.5', 'h-2', 'h-2.5', 'h-3'] as const;

/** How interested somebody is, as a meter: the colours are left to the stages. */
export function EngagementBadge({
  lead,
}: {
  lead: Pick<LeadItem, 'engagement_label' | 'engagement_score' | 'session_id'>;
}) {
  const { engagement_label: label, engagement_score: score } = lead;
  // Who was never seen on a site is not cold.
  if (lead.session_id === '' && score === 0) {
    return <span className="text-xs whitespace-nowrap text-ink-faint">No visit known</span>;
  }
  const level = LEVELS.indexOf(label);
  return (
    <span
      title={`Engagement ${score} of 100`}
      className="inline-flex items-center gap-1.5 text-xs font-medium whitespace-nowrap"
    >
      <span aria-hidden="true" className="flex h-3 items-end gap-0.5">
        {HEIGHTS.map((height, step) => (
          <span
            key={height}
            className={classes('w-1 rounded-xs', height, step <= level ? 'bg-accent' : 'bg-line-strong')}
          />
        ))}
      </span>
      {label} <span className="font-normal text-ink-faint tabular-nums">{score}</span>
    </span>
  );
}
