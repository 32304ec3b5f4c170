import { timeOf } from '../../format.ts';
import type { CrmActivity, LeadDetail, LeadSend, LeadSession, LeadSubmission, StageMove } from './data.ts';
import type { TimelineKind } from './search.ts';

/** Merges everything that happened to a lead into one timeline. */

export type Entry = { id: string; at: number } & (
  | { kind: 'session'; session: LeadSession }
  | { kind: 'submission'; submission: LeadSubmission }
  | { kind: 'send'; send: LeadSend }
  | { kind: 'crm'; activity: CrmActivity }
  | { kind: 'stage'; move: StageMove }
);
export type Day = { key: string; at: number; entries: Entry[] };

/** The order within the same second. */
const RANKS: Readonly<Record<TimelineKind, number>> = {
  session: 0,
  submission: 1,
  send: 2,
  crm: 3,
  stage: 4,
};

export function entriesOf(detail: LeadDetail): Entry[] {
  const { sessions, submissions, flow_sends, crm_activity, history } = detail;
  const at = (time: string) => timeOf(time).getTime();
  const entries: Entry[] = [
    ...sessions.map((session) => ({
      kind: 'session' as const,
      id: `session-${session.session_id}`,
      at: session.started_at,
      session,
    })),
    ...submissions.map((submission) => ({
      kind: 'submission' as const,
      id: `submission-${submission.submission_id}`,
      at: at(submission.submitted_at),
      submission,
    })),
    ...flow_sends.map((send) => ({
      kind: 'send' as const,
      id: `send-${send.flow_send_public_id}`,
      at: at(send.created_at),
      send,
    })),
    ...crm_activity.map((activity) => ({
      kind: 'crm' as const,
      id: `crm-${activity.id}`,
      at: at(activity.received_at),
      activity,
    })),
    ...history.map((move, index) => ({
      kind: 'stage' as const,
      // Counted from the oldest, so that a new move does not rename the others.
      id: `stage-${history.length - index}`,
      at: at(move.at),
      move,
    })),
  ];
  return entries.sort((a, b) => seconds(b) - seconds(a) || RANKS[b.kind] - RANKS[a.kind] || b.at - a.at);
}

/** Most times have a resolution of one second. */
function seconds({ at }: Entry): number {
  return Math.floor(at / 1000);
}

/** Groups entries by day in the viewer's time zone. */
export function daysOf(entries: readonly Entry[]): Day[] {
  const days = new Map<string, Day>();
  for (const entry of entries) {
    const key = new Date(entry.at).toDateString();
    const day = days.get(key) ?? { key, at: entry.at, entries: [] };
    day.entries.push(entry);
    days.set(key, day);
  }
  return [...days.values()];
}

const LOCALE = navigator.languages as string[];
const thisYear = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', day: 'numeric', month: 'long' });
const anyYear = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full' });
const timeOfDay = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' });

export function formatDayName(at: number, now = Date.now()): string {
  const day = new Date(at);
  const today = new Date(now);
  if (day.toDateString() === today.toDateString()) return 'Today';
  today.setDate(today.getDate() - 1);
  if (day.toDateString() === today.toDateString()) return 'Yesterday';
  return (day.getFullYear() === new Date(now).getFullYear() ? thisYear : anyYear).format(day);
}

export const formatTimeOfDay = (at: number): string => timeOfDay.format(at);
