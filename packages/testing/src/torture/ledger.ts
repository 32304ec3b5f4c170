import { type LeadLedger, type LeadSums, newLeadLedger } from './lead-ledger.ts';

/** What was sent to the service and what it acknowledged, kept outside of it. */
export type Ledger = {
  readonly leads: LeadLedger;
  readonly starts: readonly SentStart[];
  /** How often each status was answered to tracking. */
  readonly answers: ReadonlyMap<number, number>;
  /** Called before a request is sent: from then on it may have been stored. */
  sendStart(visit: Visit): SentStart;
  acknowledgeStart(start: SentStart, sessionId: string): void;
  sendEvents(start: SentStart, eventIds: readonly string[]): SentBatch;
  acknowledgeEvents(start: SentStart, batch: SentBatch): void;
  countAnswer(status: number): void;
  /** One of the sessions acknowledged most recently. */
  recentSession(index: number): AcknowledgedStart | undefined;
  sums(): LedgerSums;
};

export type Visit = { visitor_id: string; fingerprint_id: string; country: string; ip: string };

export type SentStart = Visit & {
  /** No other start has this page, so a stored session can be traced back to the request that made it. */
  page: string;
  sessionId: string | undefined;
  batches: SentBatch[];
  eventIds: Set<string>;
  acknowledgedEventIds: Set<string>;
  end: 'not sent' | 'sent' | 'acknowledged';
};
export type AcknowledgedStart = SentStart & { sessionId: string };

/** Events sent in one request: all of them are stored or none. */
export type SentBatch = { eventIds: ReadonlySet<string>; acknowledged: boolean };

/** The least that must be there, and the most that can be. An event that was sent twice counts once. */
export type LedgerSums = {
  sessions: { acknowledged: number; sent: number };
  events: { acknowledged: number; sent: number };
} & LeadSums;

/** New events go to sessions that are not older than this many sessions. */
const RECENT_SESSIONS = 200;

export function newLedger(): Ledger {
  const starts: SentStart[] = [];
  const acknowledged: AcknowledgedStart[] = [];
  const answers = new Map<number, number>();
  const events = { acknowledged: 0, sent: 0 };
  const leads = newLeadLedger();

  return {
    leads,
    starts,
    answers,
    sendStart(visit) {
      const start: SentStart = {
        ...visit,
        page: `https://shop.example/page-${starts.length % 40}?start=${starts.length}`,
        sessionId: undefined,
        batches: [],
        eventIds: new Set(),
        acknowledgedEventIds: new Set(),
        end: 'not sent',
      };
      starts.push(start);
      return start;
    },
    acknowledgeStart(start, sessionId) {
      acknowledged.push(Object.assign(start, { sessionId }));
    },
    sendEvents(start, eventIds) {
      const batch = { eventIds: new Set(eventIds), acknowledged: false };
      start.batches.push(batch);
      events.sent -= start.eventIds.size;
      for (const id of eventIds) start.eventIds.add(id);
      events.sent += start.eventIds.size;
      return batch;
    },
    acknowledgeEvents(start, batch) {
      batch.acknowledged = true;
      events.acknowledged -= start.acknowledgedEventIds.size;
      for (const id of batch.eventIds) start.acknowledgedEventIds.add(id);
      events.acknowledged += start.acknowledgedEventIds.size;
    },
    countAnswer(status) {
      answers.set(status, (answers.get(status) ?? 0) + 1);
    },
    recentSession(index) {
      const recent = Math.min(acknowledged.length, RECENT_SESSIONS);
      return recent === 0 ? undefined : acknowledged[acknowledged.length - 1 - (index % recent)];
    },
    sums: () => ({
      sessions: { acknowledged: acknowledged.length, sent: starts.length },
      events: { ...events },
      ...leads.sums(),
    }),
  };
}
