import type { SendResult } from '@leadtrail/contract/deliveries';
import { sql } from 'kysely';
import { DELAY_MS_MAX, isDelivered, nextAttemptAt } from '../../domain/delivery/retry-delay.ts';
import { CLOCKS_APART_MS_MAX } from '../clocks.ts';
import type { Db } from '../dialect.ts';
import { noteChangesOfLists } from '../leads/lead-index.ts';
import { isFree } from '../leases.ts';
import { background, primaryRead } from '../operation.ts';
import type { FlowSendAttemptRow, FlowSendRow } from '../schema.ts';

/** The delivery of leads to the automation platform: claiming attempts, and recording their results. */

/** A lease on the next attempt, identified by the time when it expires. */
export type SendClaim = { id: string; claimedUntil: number };
export type ClaimedSend = SendClaim & { body: string };

/** A literal, not a parameter: otherwise the planner may not use the partial index of pending sends. */
const PENDING = sql.lit('pending' as const);

/**
 * Leases sends that are due, longest waiting first. When a lease expires, another process may claim the send:
 * that is how the sends of a crashed process are resumed.
 */
export const claimSends = background(
  { changes: [] },
  async (
    { query, dialect },
    { now, leaseMs, max }: { now: number; leaseMs: number; max: number },
  ): Promise<ClaimedSend[]> => {
    return query
      .with(
        (due) => due('due').materialized(),
        (select) =>
          freeSends(select, now)
            .where('next_attempt_at', '<=', now)
            .limit(max)
            .modifyEnd(dialect.forUpdateSkipLocked),
      )
      .with(
        (parked) => parked('parked').materialized(),
        (select) =>
          freeSends(select, now)
            .where('next_attempt_at', '>', parkedAfter(now))
            .limit(max)
            .modifyEnd(dialect.forUpdateSkipLocked),
      )
      .updateTable('flow_sends')
      .set({ claimed_until: now + leaseMs })
      .where('flow_send_public_id', 'in', (select) =>
        select
          .selectFrom('due')
          .select('flow_send_public_id')
          .unionAll(select.selectFrom('parked').select('flow_send_public_id'))
          .limit(max),
      )
      .returning(['flow_send_public_id as id', 'claimed_until as claimedUntil', 'body'])
      .execute();
  },
);

/** The longest waiting first. */
function freeSends(query: Pick<Db['query'], 'selectFrom'>, now: number) {
  return query
    .selectFrom('flow_sends')
    .select('flow_send_public_id')
    .where('status', '=', PENDING)
    .where(isFree(now))
    .orderBy('next_attempt_at')
    .orderBy('flow_send_public_id');
}

/** Beyond the longest retry delay plus clock skew: set by a clock that was ahead, so the send is due. */
function parkedAfter(now: number): number {
  return now + DELAY_MS_MAX + CLOCKS_APART_MS_MAX;
}

/** When the next send can be claimed, leased ones aside; null: there is none. */
export const nextSendDueAt = primaryRead(
  async ({ query }, { now }: { now: number }): Promise<number | null> => {
    const free = freeSends(query, now).select('next_attempt_at').limit(1);
    const parked = await free.where('next_attempt_at', '>', parkedAfter(now)).executeTakeFirst();
    if (parked !== undefined) return now;
    const first = await free.executeTakeFirst();
    return first?.next_attempt_at ?? null;
  },
);

/** Ends the leases of sends that were not attempted. */
export const releaseSends = background(
  { changes: [] },
  async ({ query, dialect }, { claims }: { claims: readonly SendClaim[] }): Promise<void> => {
    const held = claims.map(({ id, claimedUntil }) => [id, claimedUntil] as const);
    await query
      .updateTable('flow_sends')
      .set({ claimed_until: 0 })
      .where(
        ({ refTuple }) =>
          sql`${refTuple('flow_send_public_id', 'claimed_until')} in ${dialect.pairs(held, 'bigint')}`,
      )
      .execute();
  },
);

export type SendAttempt = SendClaim & {
  startedAt: number;
  endedAt: number;
  statusCode: number | null;
  result: SendResult;
  error: string | null;
  retryAfter: string | undefined;
  durationMs: number;
  answer: string;
  /** From 0 to 1: the jitter of the retry delay. */
  random: number;
};

/** Records attempts and updates their sends. Returns the sends that will not be retried. */
export const recordAttempts = background(
  { changes: ['sends'] },
  async (db, { attempts }: { attempts: readonly SendAttempt[] }): Promise<SendClaim['id'][]> => {
    const { query, dialect } = db;
    const sends = await query
      .selectFrom('flow_sends')
      .select(['lead_id', 'event', ...PROGRESS])
      .where('flow_send_public_id', 'in', dialect.anyOf(attempts.map(({ id }) => id)))
      .orderBy('flow_send_public_id')
      .modifyEnd(dialect.forUpdate)
      .execute();
    const byId = new Map(sends.map(({ lead_id: _, event: __, ...send }) => [send.flow_send_public_id, send]));
    const rows: FlowSendAttemptRow[] = [];
    for (const attempt of attempts) {
      const before = byId.get(attempt.id);
      // Its lead has been erased.
      if (before === undefined) continue;
      const after = progressAfter(attempt, before);
      byId.set(attempt.id, after);
      rows.push(attemptRow(attempt, after));
    }
    const progress = [...byId.values()];
    await dialect.updateRows('flow_sends', 'flow_send_public_id', progress);
    await dialect.insertRows('flow_send_attempts', rows, 'do nothing');
    const settled = sends.filter(
      (send) => send.event === 'lead' && byId.get(send.flow_send_public_id)?.status !== send.status,
    );
    await noteChangesOfLists(
      db,
      settled.map(({ lead_id }) => lead_id),
    );
    return progress.filter((send) => send.status === 'failed').map((send) => send.flow_send_public_id);
  },
);

const PROGRESS = [
  'flow_send_public_id',
  'status',
  'attempts',
  'round_attempts',
  'next_attempt_at',
  'claimed_until',
  'last_status_code',
  'last_result',
  'last_error',
  'delivered_at',
] as const;
type Progress = Pick<FlowSendRow, (typeof PROGRESS)[number]>;

/**
 * A result that arrives after the lease has expired changes nothing but the count of attempts, with one
 * exception: a successful delivery need not be repeated.
 */
function progressAfter(attempt: SendAttempt, send: Progress): Progress {
  const delivered = isDelivered(attempt.statusCode);
  const counted = { ...send, attempts: send.attempts + 1 };
  const decides = send.claimed_until === attempt.claimedUntil || (delivered && send.status === 'pending');
  if (!decides) return counted;

  const roundAttempts = send.round_attempts + 1;
  const next = delivered
    ? null
    : nextAttemptAt({ ...attempt, attempts: roundAttempts }, attempt.endedAt, () => attempt.random);
  return {
    ...counted,
    status: delivered ? 'delivered' : next === null ? 'failed' : 'pending',
    round_attempts: roundAttempts,
    next_attempt_at: next,
    claimed_until: 0,
    last_status_code: attempt.statusCode,
    last_result: attempt.result,
    last_error: attempt.error,
    delivered_at: delivered ? attempt.endedAt : null,
  };
}

function attemptRow(attempt: SendAttempt, after: Progress): FlowSendAttemptRow {
  return {
    flow_send_public_id: attempt.id,
    attempt: after.attempts,
    at: attempt.startedAt,
    status_code: attempt.statusCode,
    result: attempt.result,
    error: attempt.error,
    duration_ms: attempt.durationMs,
    answer: attempt.answer,
  };
}
