import type { FlowSend } from '@leadtrail/contract/deliveries';
import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import { isDelivered, nextAttemptAt } from '../domain/retry-delay.ts';
import { dateTime } from '../domain/utc-time.ts';
import type { Db } from './dialect.ts';
import { countOf, type Page } from './paging.ts';
import type { FlowSendAttemptRow, FlowSendRow, Schema } from './schema.ts';

/** Leads on their way to the automation platform. */

/** The right to make the next attempt, until it runs out. The time when it does tells it from any other claim. */
export type SendClaim = { id: string; claimedUntil: number };
export type ClaimedSend = SendClaim & { body: string };

/** As text in the statement: only then is it certain before every run that the index of pending sends will do. */
const PENDING = sql.lit('pending' as const);
const FAILED = sql.lit('failed' as const);

/**
 * Takes sends that are due, the longest waiting first. Nobody else gets them until the claim runs out, which
 * is how those come back whose process has died.
 */
export async function claimSends(
  { query, dialect }: Db,
  { now, leaseMs, max }: { now: number; leaseMs: number; max: number },
): Promise<ClaimedSend[]> {
  return query
    .with(
      (due) => due('due').materialized(),
      (select) =>
        select
          .selectFrom('flow_sends')
          .select('flow_send_public_id')
          .where('status', '=', PENDING)
          .where('next_attempt_at', '<=', now)
          .where('claimed_until', '<=', now)
          .orderBy('next_attempt_at')
          .orderBy('flow_send_public_id')
          .limit(max)
          .modifyEnd(dialect.holdFree),
    )
    .updateTable('flow_sends')
    .set({ claimed_until: now + leaseMs })
    .where('flow_send_public_id', 'in', (select) => select.selectFrom('due').select('flow_send_public_id'))
    .returning(['flow_send_public_id as id', 'claimed_until as claimedUntil', 'body'])
    .execute();
}

/** The time from which there is something to claim, as far as it is not being sent right now; null: nothing. */
export async function nextSendDueAt({ query }: Db, { now }: { now: number }): Promise<number | null> {
  const first = await query
    .selectFrom('flow_sends')
    .select('next_attempt_at')
    .where('status', '=', PENDING)
    .where('claimed_until', '<=', now)
    .orderBy('next_attempt_at')
    .orderBy('flow_send_public_id')
    .limit(1)
    .executeTakeFirst();
  return first?.next_attempt_at ?? null;
}

/** Gives back what was claimed and not sent after all. */
export async function releaseSends(
  { query, dialect }: Db,
  { claims }: { claims: readonly SendClaim[] },
): Promise<void> {
  const held = claims.map(({ id, claimedUntil }) => [id, claimedUntil] as const);
  await query
    .updateTable('flow_sends')
    .set({ claimed_until: 0 })
    .where(
      ({ refTuple }) =>
        sql`${refTuple('flow_send_public_id', 'claimed_until')} in ${dialect.pairs(held, 'bigint')}`,
    )
    .execute();
}

export type SendAttempt = SendClaim & {
  startedAt: number;
  endedAt: number;
  statusCode: number | null;
  error: string | null;
  retryAfter: string | undefined;
  durationMs: number;
  answer: string;
  /** From 0 to 1, for the time of the next one. */
  random: number;
};

/** Records attempts and what follows from them. Tells which sends are not going to be tried again. */
export async function recordAttempts(
  { query, dialect }: Db,
  { attempts }: { attempts: readonly SendAttempt[] },
): Promise<SendClaim['id'][]> {
  const sends = await query
    .selectFrom('flow_sends')
    .select(PROGRESS)
    .where('flow_send_public_id', 'in', dialect.anyOf(attempts.map(({ id }) => id)))
    .orderBy('flow_send_public_id')
    .modifyEnd(dialect.hold)
    .execute();
  const byId = new Map(sends.map((send) => [send.flow_send_public_id, send]));
  const rows: FlowSendAttemptRow[] = [];
  for (const attempt of attempts) {
    const before = byId.get(attempt.id);
    // It belonged to someone who has been erased.
    if (before === undefined) continue;
    const after = progressAfter(attempt, before);
    byId.set(attempt.id, after);
    rows.push(attemptRow(attempt, after));
  }
  const progress = [...byId.values()];
  await dialect.updateRows('flow_sends', 'flow_send_public_id', progress);
  await dialect.insertRows('flow_send_attempts', rows, 'do nothing');
  return progress.filter((send) => send.status === 'failed').map((send) => send.flow_send_public_id);
}

const PROGRESS = [
  'flow_send_public_id',
  'status',
  'attempts',
  'round_attempts',
  'next_attempt_at',
  'claimed_until',
  'last_status_code',
  'last_error',
  'delivered_at',
] as const;
type Progress = Pick<FlowSendRow, (typeof PROGRESS)[number]>;

/**
 * An answer that comes so late that someone else has taken over changes nothing, with one exception: what was
 * delivered need not be sent again. The attempt was made in any case.
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
    error: attempt.error,
    duration_ms: attempt.durationMs,
    answer: attempt.answer,
  };
}

/**
 * Makes a send due now, with all attempts before it, whatever became of it. Its claim stays, so that an attempt
 * which is being made right now is not joined by another; that attempt is then the first of the new round.
 */
export async function resendFlowSend(
  db: Db,
  { id, now }: { id: string; now: number },
): Promise<FlowSend | null> {
  const send = await db.query
    .updateTable('flow_sends')
    .set({ status: 'pending', round_attempts: 0, next_attempt_at: now, delivered_at: null })
    .where('flow_send_public_id', '=', id)
    .returning(SHOWN)
    .executeTakeFirst();
  if (send === undefined) return null;
  const [shown] = await withAttempts(db, [send]);
  return shown ?? null;
}

export type FlowSendFilter = Page & { status?: FlowSendRow['status'] | undefined };

/** A page of all sends or of those in one state, latest first. */
export async function flowSends(
  db: Db,
  { status, limit, offset }: FlowSendFilter,
): Promise<{ flow_sends: FlowSend[]; total: number }> {
  const sends = await inState(db, status)
    .select(SHOWN)
    // The ids are in the order of time.
    .orderBy('flow_send_public_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { flow_sends: await withAttempts(db, sends), total: await countSends(db, status) };
}

/** Everything that was sent for a lead, latest first. */
export async function sendsOfLead(db: Db, leadId: number): Promise<FlowSend[]> {
  const sends = await db.query
    .selectFrom('flow_sends')
    .select(SHOWN)
    .where('lead_id', '=', leadId)
    .orderBy('flow_send_public_id', 'desc')
    .execute();
  return withAttempts(db, sends);
}

const SHOWN = [
  'flow_send_public_id',
  'lead_id',
  'submission_id',
  'status',
  'attempts',
  'next_attempt_at',
  'last_status_code',
  'last_error',
  'created_at',
  'delivered_at',
  'flow_execution_url',
  'flow_execution_id',
  'flow_execution_status',
  'callback',
] as const;
type ShownSend = Pick<FlowSendRow, (typeof SHOWN)[number]>;

function inState(
  { query }: Db,
  status: FlowSendFilter['status'],
): SelectQueryBuilder<Schema, 'flow_sends', unknown> {
  const all = query.selectFrom('flow_sends');
  if (status === undefined) return all;
  // Nearly all are delivered: a page of them is found by walking along.
  if (status === 'delivered') return all.where('status', '=', status);
  // The others are found by their own index, which no database would choose by itself for a list in this order.
  return all.where('flow_send_public_id', 'in', (select) =>
    select
      .selectFrom('flow_sends as few')
      .select('few.flow_send_public_id')
      .where('few.status', '=', status === 'pending' ? PENDING : FAILED),
  );
}

async function countSends({ query }: Db, status: FlowSendFilter['status']): Promise<number> {
  const all = query.selectFrom('flow_sends');
  if (status === undefined) return countOf(all);
  if (status === 'pending') return countOf(all.where('status', '=', PENDING));
  if (status === 'failed') return countOf(all.where('status', '=', FAILED));
  return countDelivered(query);
}

/** Not by looking at each of them: they are those in neither of the other states, which have small indexes. */
async function countDelivered(query: Db['query']): Promise<number> {
  const counted = query.selectFrom('flow_sends').select(({ fn }) => fn.countAll<number>().as('count'));
  const { total } = await query
    .selectNoFrom((e) => {
      const notPending = e(counted, '-', counted.where('status', '=', PENDING));
      return e(notPending, '-', counted.where('status', '=', FAILED)).as('total');
    })
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow();
  return total;
}

async function withAttempts({ query, dialect }: Db, sends: readonly ShownSend[]): Promise<FlowSend[]> {
  if (sends.length === 0) return [];
  const attempts = await query
    .selectFrom('flow_send_attempts')
    .selectAll()
    .where('flow_send_public_id', 'in', dialect.anyOf(sends.map((send) => send.flow_send_public_id)))
    .orderBy('flow_send_public_id')
    .orderBy('attempt')
    .execute();
  const bySend = Map.groupBy(attempts, (attempt) => attempt.flow_send_public_id);
  return sends.map((send) => onWire(send, bySend.get(send.flow_send_public_id) ?? []));
}

function onWire(
  { submission_id, callback, ...send }: ShownSend,
  attempts: readonly Selectable<FlowSendAttemptRow>[],
): FlowSend {
  return {
    ...send,
    lead_submission_id: submission_id,
    next_attempt_at: send.next_attempt_at === null ? null : dateTime(send.next_attempt_at),
    created_at: dateTime(send.created_at),
    delivered_at: send.delivered_at === null ? null : dateTime(send.delivered_at),
    callback: callback === null ? null : JSON.parse(callback),
    attempt_log: attempts.map(({ flow_send_public_id: _, ...attempt }) => ({
      ...attempt,
      at: dateTime(attempt.at),
    })),
  };
}
