import { ArrowRight, Eye, Play } from 'lucide-react';
import { countryName, formatDuration } from '../../format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { WebLink } from '../../ui/web-link.tsx';
import type { LeadSession } from './data.ts';
import { EntryFrame } from './entry.tsx';
import { counted } from './scores-card.tsx';

export function SessionEntry({
  session,
  onWatch,
}: {
  session: LeadSession;
  /** Where there is a recording. */
  onWatch: (() => void) | undefined;
}) {
  const { entry_page, exit_page, country, ended_at } = session;
  const hasMoved = exit_page !== '' && exit_page !== entry_page;
  return (
    <EntryFrame
      icon={<Eye aria-hidden="true" />}
      tone="neutral"
      title="Visit"
      at={session.started_at}
      badges={ended_at === null && <Badge tone="accent">Here now</Badge>}
      actions={
        onWatch !== undefined && (
          <Button size="small" className="max-sm:h-11" icon={<Play aria-hidden="true" />} onClick={onWatch}>
            Watch replay
          </Button>
        )
      }
    >
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <WebLink address={entry_page} />
        {hasMoved && (
          <>
            <ArrowRight aria-hidden="true" className="size-3.5 shrink-0 text-ink-faint" />
            <span className="sr-only">to</span>
            <WebLink address={exit_page} />
          </>
        )}
      </p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[0.8125rem] text-ink-soft tabular-nums">
        <li>{formatDuration(session.duration)}</li>
        <li>{counted(session.event_count, 'event')}</li>
        <li>Engagement {session.engagement_score}</li>
        {country !== '' && <li>{countryName(country)}</li>}
      </ul>
    </EntryFrame>
  );
}
