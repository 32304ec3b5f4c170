import { setTimeout as sleep } from 'node:timers/promises';
import type { Inbox } from '../ports/inbox.ts';
import type { Loop } from './background-loop.ts';

const POLL_MS = 5;

/** Waits until a loop has emptied an inbox, or has stopped. */
export async function untilEmpty(
  inbox: Inbox,
  loop: Loop,
  deadline = Number.POSITIVE_INFINITY,
): Promise<void> {
  while (inbox.backlog().records > 0 && !loop.isStopping() && performance.now() < deadline) {
    await sleep(POLL_MS);
  }
}
