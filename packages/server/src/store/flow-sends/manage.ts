import type { FlowSend } from '@leadtrail/contract/deliveries';
import { type ExpressionBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import { dateTime } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { noteChangesOfLists } from '../leads/lead-index.ts';
import { read, write } from '../operation.ts';
import { countOf, type Page } from '../paging.ts';
import { FORGOTTEN_BODY } from '../retention/texts.ts';
import type { FlowSendAttemptRow, FlowSendRow, Schema } from '../schema.ts';

/** Deliveries to the automation platform, as the dashboard shows them and sends them again. */

/** Literals, not parameters: otherwise the planner may not use the partial index of a state. */
const PENDING = sql.lit('pending' as const);
const FAILED = sql.lit('failed' as const);

/**
 * Makes a send due now with a full round of attempts, whatever its state. Its lease stays, so that an attempt
 * in progress is not doubled; that attempt then counts as the first of the new round.
 */
export const resendFlowSend = write(
  { changes: ['sends'] },
  async (db, { id, now }: { id: string; now: number }): Promise<FlowSend | 'unknown' | 'forgotten'> => {
    const send = await db.query
      .updateTable('flow_sends')
      .set({ status: 'pending', round_attempts: 0, next_attempt_at: now, delivered_at: null })
      .where('flow_send_public_id', '=', id)
      .where('body', '<>', FORGOTTEN_BODY)
      .returning(SHOWN)
      .executeTakeFirst();
    if (send === undefined) return (await isThere(db, id)) ? 'forgotten' : 'unknown';
    await noteChangesOfLists(db, [send.lead_id]);
    const [shown] = await onWire(db, [send]);
    return shown ?? 'unknown';
  },
);

async function isThere({ query }: Db, id: string): Promise<boolean> {
  const found = await query
    .selectFrom('flow_sends')
    .select('flow_send_public_id')
    .where('flow_send_public_id', '=', id)
    .executeTakeFirst();
  return found !== undefined;
}

/** Resends all failed sends, or those of some sites or a period; returns how many. */
export const resendFailed = write(
  { changes: ['sends'] },
  async (db, { now, ...narrowing }: Narrowing & { now: number }): Promise<number> => {
    const sends = await db.query
      .updateTable('flow_sends')
      .set({ status: 'pending', round_attempts: 0, next_attempt_at: now, delivered_at: null })
      .where('status', '=', FAILED)
      .where(isOf(db, narrowing))
      .where('body', '<>', FORGOTTEN_BODY)
      .returning('lead_id')
      .execute();
    await noteChangesOfLists(
      db,
      sends.map(({ lead_id }) => lead_id),
    );
    return sends.length;
  },
);

type Narrowing = {
  siteKeys?: readonly string[] | undefined;
  /** When it was created, in milliseconds; `until` is exclusive. */
  from?: number | undefined;
  until?: number | undefined;
};
export type FlowSendFilter = Page & Narrowing & { status?: FlowSendRow['status'] | undefined };

/** A page of sends, optionally by state, site and period, latest first. */
export const flowSends = read(
  { shows: ['sends'] },
  async (db, filter: FlowSendFilter): Promise<{ flow_sends: FlowSend[]; total: number }> => {
    const { status, siteKeys, from, until } = filter;
    const found = inState(db, status).where(isOf(db, filter));
    const sends = await found
      .select(SHOWN)
      // The ids sort by time.
      .orderBy('flow_send_public_id', 'desc')
      .limit(filter.limit)
      .offset(filter.offset)
      .execute();
    const isNarrowed = siteKeys !== undefined || from !== undefined || until !== undefined;
    const total = await (isNarrowed ? countOf(found) : countSends(db, status));
    return { flow_sends: await onWire(db, sends), total };
  },
);

/** Follow-ups are sent as well, and a client can submit any number of them. */
const SENDS_OF_LEAD_MAX = 500;

/** What was sent for a lead, latest first. */
export async function sendsOfLead(db: Db, leadId: number): Promise<FlowSend[]> {
  const sends = await db.query
    .selectFrom('flow_sends')
    .select(SHOWN)
    .where('lead_id', '=', leadId)
    .orderBy('flow_send_public_id', 'desc')
    .limit(SENDS_OF_LEAD_MAX)
    .execute();
  return onWire(db, sends);
}

const SHOWN = [
  'flow_send_public_id',
  'event',
  'lead_id',
  'submission_id',
  'status',
  'attempts',
  'next_attempt_at',
  'last_status_code',
  'last_result',
  'last_error',
  'created_at',
  'delivered_at',
  'flow_execution_url',
  'flow_execution_id',
  'flow_execution_status',
  'callback',
] as const;
type ShownSend = Pick<Selectable<FlowSendRow>, (typeof SHOWN)[number]>;

type Sends = SelectQueryBuilder<Schema, 'flow_sends', unknown>;

/** By the site that the lead shows. */
function isOf({ dialect }: Db, { siteKeys, from, until }: Narrowing) {
  return (e: ExpressionBuilder<Schema, 'flow_sends'>) =>
    e.and([
      ...(from === undefined ? [] : [e('created_at', '>=', from)]),
      ...(until === undefined ? [] : [e('created_at', '<', until)]),
      ...(siteKeys === undefined
        ? []
        : [
            e('lead_id', 'in', (leads) =>
              leads
                .selectFrom('leads')
                .select('leads.lead_id')
                .where('site_key', 'in', dialect.anyOf(siteKeys)),
            ),
          ]),
    ]);
}

function inState({ query }: Db, status: FlowSendFilter['status']): Sends {
  const all = query.selectFrom('flow_sends');
  if (status === undefined) return all;
  // Nearly all are delivered: walking along the primary key soon fills a page.
  if (status === 'delivered') return all.where('status', '=', status);
  // The others have a partial index of their own, which no planner would choose by itself for this order.
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

/** All minus the other two states, which have small indexes: reading the state of each would take long. */
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

/** With the lead and the attempts of each. */
async function onWire({ query, dialect }: Db, sends: readonly ShownSend[]): Promise<FlowSend[]> {
  if (sends.length === 0) return [];
  const leads = await query
    .selectFrom('leads')
    .select(['lead_id', 'contact_name', 'contact_email', 'project_name'])
    .where('lead_id', 'in', dialect.anyOf(sends.map((send) => send.lead_id)))
    .execute();
  const byId = new Map(leads.map((lead) => [lead.lead_id, lead]));
  const attempts = await query
    .selectFrom('flow_send_attempts')
    .selectAll()
    .where('flow_send_public_id', 'in', dialect.anyOf(sends.map((send) => send.flow_send_public_id)))
    .orderBy('flow_send_public_id')
    .orderBy('attempt')
    .execute();
  const bySend = Map.groupBy(attempts, (attempt) => attempt.flow_send_public_id);
  return sends.map((send) => ({
    ...ERASED_LEAD,
    ...byId.get(send.lead_id),
    ...sendOnWire(send, bySend.get(send.flow_send_public_id) ?? []),
  }));
}

/** For a lead erased after the sends were read. */
const ERASED_LEAD = { contact_name: '', contact_email: '', project_name: '' };

function sendOnWire(
  { submission_id, callback, ...send }: ShownSend,
  attempts: readonly Selectable<FlowSendAttemptRow>[],
): Omit<FlowSend, keyof typeof ERASED_LEAD> {
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
