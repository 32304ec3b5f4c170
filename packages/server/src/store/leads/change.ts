import type { LeadStatus } from '@leadtrail/contract/lead-status';
import { stageChange } from '../../domain/leads/stage-change.ts';
import type { Db } from '../dialect.ts';
import { insertFlowSend } from '../flow-sends/insert.ts';
import { noteUpdate } from './updates.ts';

/** Changes to the stage or value of a lead, by people or by the CRM. */

const MICROS = 1_000_000;

export type MoveConditions = {
  /** Moves only from this stage (optimistic locking). */
  from?: LeadStatus | undefined;
  /** Deletes the last move instead of adding its reverse, so that it counts nowhere. */
  undo?: boolean | undefined;
};

export type LeadChange = MoveConditions & {
  status?: LeadStatus | undefined;
  value?: number | null | undefined;
  now: number;
} & (
    | { by: 'admin' | 'marketing'; stageSendId?: string | null }
    // Changes from the CRM are not sent back to it.
    | { by: 'crm' }
  );

export type ChangeOutcome = 'unknown' | 'elsewhere' | 'unchanged' | 'changed' | 'sending';

type Row = {
  lead_public_id: string;
  status: LeadStatus;
  value_micros: number | null;
  crm_lead_id: string | null;
  is_bot_lead: number;
};

export async function changeLead(db: Db, leadId: number, change: LeadChange): Promise<ChangeOutcome> {
  const [lead] = await db.dialect.selectForUpdate<Row>(SELECT_LEAD, [leadId]);
  if (lead === undefined) return 'unknown';
  const { status = lead.status, now, by } = change;
  if (change.from !== undefined && change.from !== lead.status) return 'elsewhere';
  const micros = change.value === undefined ? lead.value_micros : microsOf(change.value);
  const moves = status !== lead.status;
  if (!moves && micros === lead.value_micros) return 'unchanged';
  await db.query
    .updateTable('leads')
    .set({ status, value_micros: micros })
    .where('lead_id', '=', leadId)
    .execute();
  const move = { leadId, from: lead.status, to: status, by, now };
  if (moves && !(change.undo && (await takeBack(db, move)))) await noteStageMove(db, move);
  await noteUpdate(db, leadId, now);
  // Leads of bots were never forwarded, so the platform does not know them.
  if (!moves || change.by === 'crm' || change.stageSendId == null || lead.is_bot_lead === 1) return 'changed';
  const moved = { from: lead.status, to: status, by: change.by, at: now };
  const value = micros === null ? null : micros / MICROS;
  const body = stageChange({ ...lead, lead_id: leadId }, { ...moved, value }, change.stageSendId);
  const submissionId = await shownSubmission(db, leadId);
  await insertFlowSend(db, { event: body.type, leadId, submissionId, carried: [], at: now, body });
  return 'sending';
}

const SELECT_LEAD =
  'select lead_public_id, status, value_micros, crm_lead_id, is_bot_lead from leads where lead_id = ?';

function microsOf(value: number | null): number | null {
  return value === null ? null : Math.round(value * MICROS);
}

/** The one whose details the lead shows, else its first. */
async function shownSubmission({ dialect }: Db, leadId: number): Promise<number> {
  const [shown] = await dialect.run<{ id: number }>(SELECT_SHOWN, [leadId]);
  return shown?.id ?? 0;
}

const SELECT_SHOWN = `select case when l.shown_submission_id <> 0 then l.shown_submission_id else min(s.submission_id) end as id
  from leads l join submissions s on s.lead_id = l.lead_id where l.lead_id = ? group by l.lead_id, l.shown_submission_id`;

/** False: its last move was another one. */
async function takeBack(
  { query, dialect }: Db,
  { leadId, from, to }: { leadId: number; from: string; to: string },
): Promise<boolean> {
  const [last] = await dialect.run<{ at: number | null }>(SELECT_LAST_MOVE, [leadId]);
  const deleted = await query
    .deleteFrom('lead_stage_moves')
    .where('lead_id', '=', leadId)
    .where('at', '=', last?.at ?? 0)
    .where('from_status', '=', to)
    .where('to_status', '=', from)
    .executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}

/** Times grow strictly with each move, so that they give the order. */
export async function noteStageMove(
  { query, dialect }: Db,
  move: { leadId: number; from: string; to: string; by: LeadChange['by'] | 'merge'; now: number },
): Promise<void> {
  const [last] = await dialect.run<{ at: number | null }>(SELECT_LAST_MOVE, [move.leadId]);
  await query
    .insertInto('lead_stage_moves')
    .values({
      lead_id: move.leadId,
      at: Math.max(move.now, (last?.at ?? 0) + 1),
      from_status: move.from,
      to_status: move.to,
      moved_by: move.by,
    })
    .execute();
}

const SELECT_LAST_MOVE = 'select max(at) as at from lead_stage_moves where lead_id = ?';

/**
 * Removes the stage move of an undone merge from the history of the survivor, so that it counts nowhere. Where another
 * merge keeps the survivor at `status`, that is a move now.
 */
export async function takeBackMergeMove(
  db: Db,
  {
    leadId,
    to,
    since,
    status,
    now,
  }: { leadId: number; to: string | undefined; since: number; status: string; now: number },
): Promise<void> {
  const { query, dialect } = db;
  const moves = await query
    .selectFrom('lead_stage_moves')
    .selectAll()
    .where('lead_id', '=', leadId)
    .where('at', '>=', since)
    .orderBy('at')
    .execute();
  const found = moves.findIndex(({ moved_by, to_status }) => moved_by === 'merge' && to_status === to);
  const [made, next, ...later] = found === -1 ? [] : moves.slice(found);
  if (made === undefined) return;
  const from = made.from_status;
  const isBack = next === undefined || next.to_status === from;
  const kept = isBack ? later : [{ ...next, from_status: from }, ...later];
  await query
    .deleteFrom('lead_stage_moves')
    .where('lead_id', '=', leadId)
    .where('at', '>=', made.at)
    .execute();
  await dialect.insertRows('lead_stage_moves', kept, '');
  const stage = kept.at(-1)?.to_status ?? from;
  if (status !== stage) await noteStageMove(db, { leadId, from: stage, to: status, by: 'merge', now });
}
