import { dayOf, timeFormat, timeOf } from '../../format.ts';
import { addDays } from '../../frame/days.ts';
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
      // Numbered from the oldest, so that ids stay stable when a move is added.
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

export function daysOf(entries: readonly Entry[]): Day[] {
  const days = new Map<string, Day>();
  for (const entry of entries) {
    const key = dayOf(entry.at);
    const day = days.get(key) ?? { key, at: entry.at, entries: [] };
    day.entries.push(entry);
    days.set(key, day);
  }
  return [...days.values()];
}

const thisYear = timeFormat({ weekday: 'long', day: 'numeric', month: 'long' });
const anyYear = timeFormat({ dateStyle: 'full' });

export function formatDayName(at: number, now = Date.now()): string {
  const [day, today] = [dayOf(at), dayOf(now)];
  if (day === today) return 'Today';
  if (day === addDays(today, -1)) return 'Yesterday';
  return (day.slice(0, 4) === today.slice(0, 4) ? thisYear : anyYear)(timeOf(at));
}
