import { setTimeout as sleep } from 'node:timers/promises';
import { type RetentionLimits, retentionLimits } from '../domain/setup/retention.ts';
import { DAY_MS } from '../lib/utc-time.ts';
import type { Walked } from '../store/retention/walk.ts';
import type { JobParts } from './job.ts';
import { retainObjects } from './retain-objects.ts';

/** How long recordings of erased sessions are refused: no visit lasts longer. */
const ERASED_SESSIONS_KEPT_MS = 7 * DAY_MS;
/** Small, so that a lead can be stored in between without delay. */
const ROWS_PER_STEP = 500;
/** A lead has many rows. */
const LEADS_PER_STEP = 100;

/** Deletes rows and objects past their retention, and reconciles orphaned objects. */
export async function applyRetention(parts: JobParts, now: number): Promise<void> {
  const limits = retentionLimits(await parts.settings.latest(), now);
  const removed = await forgetRows(parts, limits);
  for (const [rows, count] of Object.entries(removed)) {
    if (count > 0) parts.log.info('old rows deleted', { rows, count });
  }
  await parts.store.forgetErasedSessionIds({ before: now - ERASED_SESSIONS_KEPT_MS });
  await retainObjects(parts, limits, now);
}

/** Leads come before sessions: a visitor is kept for as long as a lead is known by it. */
async function forgetRows(parts: JobParts, limits: RetentionLimits): Promise<Record<string, number>> {
  const { store } = parts;
  const { leads, leadStages: stages, sessions, setAside, settledSetAside, flowSendBodies } = limits;
  // Leases are by the real clock, not the slewed one.
  const realNow = parts.now();
  const atOnce = { max: ROWS_PER_STEP };
  const isForEver = (before: number) => before < 0;
  const walk = (step: (after: number) => Promise<Walked>, before: number) =>
    isForEver(before) ? 0 : walkAlong(parts, step);
  const oldLeads = { before: leads, stages, now: realNow, max: LEADS_PER_STEP };
  const oldSessions = { before: sessions, ...atOnce };
  const oldBodies = { before: flowSendBodies, now: realNow, ...atOnce };
  return {
    leads: await walk((after) => store.forgetOldLeads({ ...oldLeads, after }), leads),
    sessions: await walk((after) => store.forgetOldSessions({ ...oldSessions, after }), sessions),
    fingerprints: await walk((after) => store.forgetOldFingerprints({ ...oldSessions, after }), sessions),
    failed_records: isForEver(sessions) ? 0 : await store.forgetOldFailedRecords({ before: sessions }),
    set_aside_leads: await inSteps(parts, () =>
      store.forgetSetAside({ before: setAside, settledBefore: settledSetAside, ...atOnce }),
    ),
    flow_send_bodies: isForEver(flowSendBodies)
      ? 0
      : await inSteps(parts, () => store.forgetSendBodies(oldBodies)),
  };
}

async function walkAlong(parts: JobParts, step: (after: number) => Promise<Walked>): Promise<number> {
  let total = 0;
  let next: number | null = 0;
  while (next !== null && !parts.signal.aborted) {
    const after: number = next;
    const walked = await givingWay(parts, () => step(after));
    total += walked.removed;
    next = walked.next;
  }
  return total;
}

async function inSteps(parts: JobParts, step: () => Promise<number>): Promise<number> {
  let total = 0;
  let removed: number;
  do {
    removed = await givingWay(parts, step);
    total += removed;
  } while (removed === ROWS_PER_STEP && !parts.signal.aborted);
  return total;
}

/** Leaves half of the writer's time to others: retention is not urgent. */
async function givingWay<T>({ signal }: JobParts, step: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await step();
  await sleep(performance.now() - startedAt, undefined, { signal }).catch(() => undefined);
  return result;
}
