import { setTimeout as sleep } from 'node:timers/promises';
import type { Inbox } from '../ports/inbox.ts';
import type { RecentIds } from './recent-ids.ts';

/** Resolves when the visit of somebody who came lately is stored as far as it was accepted, or after a moment. */
export type VisitStored = (visitorId: string) => Promise<void>;

/** A visit is stored within some 50 ms, unless many wait. */
const WAIT_MS_MAX = 300;
const LOOK_MS = 5;

/** What is forwarded with a lead is forwarded once: it is to know the visit that has just begun. */
export function makeVisitStored(parts: { inbox: Inbox; recentVisitors: RecentIds }): VisitStored {
  return async (visitorId) => {
    if (!parts.recentVisitors.has(visitorId)) return;
    const isStored = parts.inbox.mark();
    const deadline = performance.now() + WAIT_MS_MAX;
    while (!isStored() && performance.now() < deadline) await sleep(LOOK_MS);
  };
}
