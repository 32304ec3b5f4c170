import { engagementScore, visitorScore } from '../../domain/tracking/engagement.ts';
import { pageKey } from '../../domain/tracking/page-address.ts';
import type { EndRecord, EventsRecord, RecordedEvent } from '../../domain/tracking/tracking-record.ts';
import { MINUTE_MS } from '../../lib/utc-time.ts';
import type { SessionRow } from '../schema.ts';
import { pairKey, type TrackingState } from './state.ts';
import { contribute, count, minuteTotal, pageTotal, type Totals } from './totals.ts';

/** Applies the events and the end of a started session to the state and the totals. */

const TOUCH_EVENTS = new Set(['form_start', 'form_submit', 'cta_click']);
/** Which flag of a session each event of a form sets. */
export const FORM_STEPS: Readonly<Record<string, 'form_viewed' | 'form_started' | 'form_submitted'>> = {
  form_view: 'form_viewed',
  form_start: 'form_started',
  form_submit: 'form_submitted',
};
const ENGAGED_MS_PER_EVENT_MAX = 30 * MINUTE_MS;

/** The session must be in the state; see `parkEarly` for one that is not. */
export function applyEvents(state: TrackingState, totals: Totals, record: EventsRecord): void {
  changeSession(state, totals, record.session_id, (session) => {
    for (const event of record.events) {
      const key = pairKey(record.session_id, event.event_id);
      if (state.known.events.has(key)) continue;
      state.known.events.add(key);
      applyEvent(state, totals, session, event);
    }
  });
}

function applyEvent(state: TrackingState, totals: Totals, session: SessionRow, event: RecordedEvent): void {
  const at = Math.max(event.at, session.started_at);
  const { session_id } = session;
  const { event_id, type, data } = event;
  const page = event.page ?? (type === 'page_view' ? session.exit_page : null);
  state.added.events.push({
    session_id,
    event_id,
    type,
    page,
    at,
    data: data === null ? null : JSON.stringify(data),
  });
  count(totals, 'events');
  minuteTotal(totals, at).events += 1;

  session.event_count += 1;
  recordActivity(session, at);
  if (type === 'page_view' && page !== null) viewPage(state, totals, session, page);
  else if (type === 'scroll') session.scroll_depth = Math.max(session.scroll_depth, within(data?.depth, 100));
  else if (type === 'engaged') session.engaged_ms += within(data?.ms, ENGAGED_MS_PER_EVENT_MAX);
  else noteForm(session, type);
}

function noteForm(session: SessionRow, type: string): void {
  if (TOUCH_EVENTS.has(type)) session.touched = 1;
  const step = FORM_STEPS[type];
  if (step !== undefined) session[step] = 1;
}

function viewPage(state: TrackingState, totals: Totals, session: SessionRow, address: string): void {
  const page = pageKey(address);
  session.page_views += 1;
  session.exit_page = address;
  const total = pageTotal(totals, page);
  total.views += 1;

  const key = pairKey(session.session_id, page);
  if (page === pageKey(session.entry_page) || state.known.pages.has(key)) return;
  state.known.pages.add(key);
  state.added.pages.push({ session_id: session.session_id, page });
  total.sessions += 1;
}

/** Ending again, or after the idle sweep has ended it, changes nothing. */
export function applyEnd(state: TrackingState, totals: Totals, record: EndRecord): void {
  changeSession(state, totals, record.session_id, (session) => {
    if (session.ended_at !== null) return;
    recordActivity(session, record.at);
    session.ended_at = session.last_activity_at;
    if (record.exit_page) session.exit_page = record.exit_page;
  });
}

/** A session that was ended stays ended; what arrives late only moves its end. */
function recordActivity(session: SessionRow, at: number): void {
  if (at <= session.last_activity_at) return;
  session.last_activity_at = at;
  if (session.ended_at !== null) session.ended_at = at;
}

/** Carries whatever `change` does to a session over to its visitor and to the totals. */
function changeSession(
  state: TrackingState,
  totals: Totals,
  sessionId: string,
  change: (session: SessionRow) => void,
): void {
  const session = state.sessions.get(sessionId);
  if (session === undefined) throw new Error('A record was applied without its session.');
  const before = { ...session };
  contribute(totals, session, -1);
  change(session);
  session.engagement_score = engagementScore(session);
  contribute(totals, session, 1);

  const visitor = state.visitors.get(session.visitor_id);
  if (visitor === undefined) throw new Error('A session was found without its visitor.');
  visitor.page_views += session.page_views - before.page_views;
  visitor.engaged_ms += session.engaged_ms - before.engaged_ms;
  visitor.duration_ms += session.last_activity_at - before.last_activity_at;
  visitor.scroll_depth = Math.max(visitor.scroll_depth, session.scroll_depth);
  visitor.touched = Math.max(visitor.touched, session.touched);
  visitor.engagement_score = visitorScore(visitor);
}

function within(value: unknown, max: number): number {
  const number = typeof value === 'number' && Number.isFinite(value) ? Math.round(value) : 0;
  return Math.min(Math.max(number, 0), max);
}
