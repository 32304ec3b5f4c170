import { setTimeout as sleep } from 'node:timers/promises';
import type { Inbox } from '../ports/inbox.ts';
import type { RecentIds } from './recent-ids.ts';

/** Waits until the recent visit of a visitor is stored, for a limited time. */
export type VisitStored = (visitorId: string) => Promise<void>;

const LOOK_MS = 5;

/** A lead is forwarded once, with its visit's data, so a visit that has just started must be stored first. */
export function makeVisitStored(parts: {
  inbox: Inbox;
  recentVisitors: RecentIds;
  visitMsMax: number;
}): VisitStored {
  return async (visitorId) => {
    if (!parts.recentVisitors.has(visitorId)) return;
    const isStored = parts.inbox.mark();
    const deadline = performance.now() + parts.visitMsMax;
    while (!isStored() && performance.now() < deadline) await sleep(LOOK_MS);
  };
}
