import { Eye, MousePointerClick, Play } from 'lucide-react';
import { useState } from 'react';
import { counted, countryName, formatDuration, formatTimeOfDay } from '../../format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { WebLink } from '../../ui/web-link.tsx';
import { isActive, type LeadSession } from './data.ts';
import { EntryFrame } from './entry.tsx';

export function SessionEntry({
  session,
  onWatch,
}: {
  session: LeadSession;
  /** Undefined without a recording. */
  onWatch: (() => void) | undefined;
}) {
  const { country } = session;
  return (
    <EntryFrame
      icon={<Eye aria-hidden="true" />}
      tone="neutral"
      title="Visit"
      at={session.started_at}
      badges={isActive(session) && <Badge tone="accent">Active now</Badge>}
      actions={
        onWatch !== undefined && (
          <Button size="small" icon={<Play aria-hidden="true" />} onClick={onWatch}>
            Watch recording
          </Button>
        )
      }
    >
      <PageViews session={session} />
      <Events session={session} />
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[0.8125rem] text-ink-soft tabular-nums">
        <li>{formatDuration(session.duration)}</li>
        <li>{counted(session.event_count, 'event')}</li>
        <li>Engagement {session.engagement_score}</li>
        {country !== '' && country !== 'XX' && <li>{countryName(country)}</li>}
      </ul>
    </EntryFrame>
  );
}

const SHOWN_AT_FIRST = 5;

function PageViews({ session }: { session: LeadSession }) {
  const [isWhole, setWhole] = useState(false);
  const views = viewsOf(session);
  const shown = isWhole ? views : views.slice(0, SHOWN_AT_FIRST);
  return (
    <>
      <ol aria-label="Pages" className="grid gap-1">
        {shown.map(({ page, ms }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: Static list; a page may be seen twice.
          <li key={index} className="flex items-baseline justify-between gap-4">
            <WebLink address={page} />
            <span className="shrink-0 text-[0.8125rem] text-ink-faint tabular-nums">
              {ms > 0 && formatDuration(ms)}
            </span>
          </li>
        ))}
      </ol>
      {views.length > shown.length && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="justify-self-start text-[0.8125rem] font-medium text-accent-text hover:underline max-sm:min-h-11"
        >
          Show all {views.length} pages
        </button>
      )}
    </>
  );
}

/** Clicks on calls to action, and the events that the site's own scripts send. */
function Events({ session: { events } }: { session: LeadSession }) {
  if (events.length === 0) return null;
  return (
    <ul aria-label="Events" className="grid gap-1 text-[0.8125rem]">
      {events.map(({ type, at, data }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: Static list; an event may happen twice.
        <li key={index} className="flex items-baseline justify-between gap-4">
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <MousePointerClick aria-hidden="true" className="mr-1.5 inline size-3.5 text-ink-faint" />
            {eventText(type, data)}
          </span>
          <span className="shrink-0 text-ink-faint tabular-nums">{formatTimeOfDay(at)}</span>
        </li>
      ))}
    </ul>
  );
}

const DATA_CHARS_MAX = 200;

/** `Clicked “Brochure”`, or the event's name with its data. */
function eventText(type: string, data: unknown): string {
  const values = typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};
  if (type === 'cta_click' && typeof values.name === 'string') return `Clicked “${values.name}”`;
  const texts = Object.entries(values).map(
    ([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  return texts.length === 0 ? type : `${type} (${texts.join(', ').slice(0, DATA_CHARS_MAX)})`;
}

/** Page views with the time spent on each. */
function viewsOf({
  page_views,
  exit_page,
  started_at,
  duration,
}: LeadSession): { page: string; ms: number }[] {
  const endedAt = started_at + duration;
  const views = page_views.map(({ page, at }, index) => ({
    page,
    ms: (page_views[index + 1]?.at ?? endedAt) - at,
  }));
  const isLast = exit_page === '' || exit_page === page_views.at(-1)?.page;
  return isLast ? views : [...views, { page: exit_page, ms: 0 }];
}
