import { sql } from 'kysely';
import { type CrmMapping, crmChange } from '../../domain/leads/crm-change.ts';
import type { CrmEventKey } from '../../domain/leads/crm-event.ts';
import { HOUR_MS } from '../../lib/utc-time.ts';
import { noteForAnswers } from '../answers/changes.ts';
import type { Db } from '../dialect.ts';
import { background, write } from '../operation.ts';
import { appliedOnce, type CallbackId } from './callback-ids.ts';
import { changeLead } from './change.ts';
import { setMergedCrmId } from './merge.ts';
import { noteUpdate } from './updates.ts';

/** What comes back for a lead: its id in the CRM, the execution of the automation platform, changes in the CRM. */

export type CrmIdReport = {
  callbackId?: CallbackId;
  lead: RecordReference | null;
  submission: RecordReference | null;
  crmLeadId: string;
  /** For events that the CRM sent before its id was known. */
  mapping: CrmMapping;
  now: number;
};
export type RecordReference = { id: number } | { publicId: string };

export type CrmIdRecorded = {
  lead: { id: number; publicId: string } | null;
  submission: { id: number; publicId: string } | null;
};

/** Sets the CRM's id on the records found, and applies the events that were parked under it. */
export const recordCrmId = write(
  { changes: ['leads'] },
  (db, report: CrmIdReport): Promise<CrmIdRecorded> =>
    appliedOnce(db, report.callbackId, {
      apply: () => setCrmId(db, report),
      isDone: ({ lead, submission }) => lead !== null || submission !== null,
    }),
);

async function setCrmId(db: Db, report: CrmIdReport): Promise<CrmIdRecorded> {
  // Same lock order as `addCrmEvent`, CRM id before lead: otherwise the two could deadlock.
  await db.dialect.lockEach([crmKey(report.crmLeadId)]);
  const lead = report.lead === null ? null : await setLeadCrmId(db, report.lead, report.crmLeadId);
  const submission =
    report.submission === null ? null : await setSubmissionCrmId(db, report.submission, report.crmLeadId);
  const leadId = lead?.id ?? submission?.leadId;
  if (leadId !== undefined) await attachUnmatched(db, report, leadId);
  for (const id of new Set([lead?.id, submission?.leadId])) {
    if (id !== undefined) await noteUpdate(db, id, report.now);
  }
  return { lead, submission: submission && { id: submission.id, publicId: submission.publicId } };
}

async function setLeadCrmId(db: Db, lead: RecordReference, crmLeadId: string) {
  const update = db.query.updateTable('leads').set({ crm_lead_id: crmLeadId });
  const found = await ('id' in lead
    ? update.where('lead_id', '=', lead.id)
    : update.where('lead_public_id', '=', lead.publicId)
  )
    .returning(['lead_id as id', 'lead_public_id as publicId'])
    .executeTakeFirst();
  const id = 'id' in lead ? String(lead.id) : lead.publicId;
  return found ?? setMergedCrmId(db, { id, crmId: crmLeadId });
}

async function setSubmissionCrmId({ query }: Db, submission: RecordReference, crmLeadId: string) {
  const update = query.updateTable('submissions').set({ crm_lead_id: crmLeadId });
  const found = await ('id' in submission
    ? update.where('submission_id', '=', submission.id)
    : update.where('lead_submission_public_id', '=', submission.publicId)
  )
    .returning(['submission_id as id', 'lead_submission_public_id as publicId', 'lead_id as leadId'])
    .executeTakeFirst();
  return found ?? null;
}

async function attachUnmatched(db: Db, { crmLeadId, mapping }: CrmIdReport, leadId: number): Promise<void> {
  const { query } = db;
  const events = await query
    .deleteFrom('unmatched_crm_events')
    .where('crm_lead_id', '=', crmLeadId)
    .returning(['id', 'crm_lead_id', 'event_type', 'payload', 'received_at', 'event_key'])
    .execute();
  const inOrder = events.toSorted((a, b) => a.id - b.id);
  for (const { id: _id, ...event } of inOrder) {
    await query
      .insertInto('crm_activity')
      .values({ ...event, lead_id: leadId })
      .execute();
    await applyWaiting(db, leadId, { payload: event.payload, at: event.received_at, mapping });
  }
  if (inOrder.length > 0) await noteForAnswers(db, 'leads', [leadId]);
}

export type CrmEventReport = {
  callbackId?: CallbackId;
  crmLeadId: string;
  eventType: string;
  payload: string;
  key: CrmEventKey;
  mapping: CrmMapping;
  at: number;
};

/** For how long an event without an id counts as a repetition of an equal one. */
const REPEATED_WITHIN_MS = HOUR_MS;

/**
 * Adds an event to its lead and returns the lead. Null: no lead has this CRM id yet, and the event is parked.
 * An event that is already stored is not added again.
 */
export const recordCrmEvent = write(
  { changes: ['leads'] },
  (db, event: CrmEventReport): Promise<number | null> =>
    appliedOnce(db, event.callbackId, { apply: () => addCrmEvent(db, event) }),
);

async function addCrmEvent(db: Db, event: CrmEventReport): Promise<number | null> {
  const { query, dialect } = db;
  // Otherwise the CRM id could be set between lookup and insert, and the event would stay parked.
  await dialect.lockEach([crmKey(event.crmLeadId)]);
  const leadId = await findLeadByCrmId(db, event.crmLeadId);
  const stored = await findStoredEvent(db, event, leadId);
  if (stored !== undefined) return stored.lead_id;
  const row = {
    crm_lead_id: event.crmLeadId,
    event_type: event.eventType,
    payload: event.payload,
    received_at: event.at,
    event_key: event.key.key,
  };
  if (leadId === null) {
    await query.insertInto('unmatched_crm_events').values(row).execute();
    return null;
  }
  await query
    .insertInto('crm_activity')
    .values({ ...row, lead_id: leadId })
    .execute();
  await noteUpdate(db, leadId, event.at);
  await applyEvent(db, leadId, event);
  return leadId;
}

type AppliedEvent = Pick<CrmEventReport, 'payload' | 'mapping' | 'at'>;

async function applyEvent(db: Db, leadId: number, { payload, mapping, at }: AppliedEvent): Promise<void> {
  const { status, value } = crmChange(JSON.parse(payload), mapping);
  if (status === undefined && value === undefined) return;
  await changeLead(db, leadId, { status, value, by: 'crm', now: at });
}

/** A parked event does not undo a later move to another stage; its value still counts. */
async function applyWaiting(db: Db, leadId: number, event: AppliedEvent): Promise<void> {
  const [later] = await db.dialect.run(SELECT_LATER_MOVE, [leadId, event.at]);
  const mapping = later === undefined ? event.mapping : { ...event.mapping, stages: [] };
  await applyEvent(db, leadId, { ...event, mapping });
}

const SELECT_LATER_MOVE = 'select 1 as moved from lead_stage_moves where lead_id = ? and at > ? limit 1';

type StoredEvent = { lead_id: number | null };

/** `lead_id` is null while the event is parked. */
async function findStoredEvent(
  { query }: Db,
  { key: { key, lasts }, crmLeadId, at }: CrmEventReport,
  leadId: number | null,
): Promise<StoredEvent | undefined> {
  if (lasts) {
    const { rows } = await sql<StoredEvent>`
      select lead_id from crm_activity where event_key = ${key}
      union all select null from unmatched_crm_events where event_key = ${key} limit 1
    `.execute(query);
    return rows[0];
  }
  // A content key is compared with the latest event only: a stage may be left and reached again.
  const events =
    leadId === null
      ? sql`unmatched_crm_events where crm_lead_id = ${crmLeadId}`
      : sql`crm_activity where lead_id = ${leadId}`;
  const { rows } = await sql<{ event_key: string | null; received_at: number }>`
    select event_key, received_at from ${events} order by received_at desc, id desc limit 1
  `.execute(query);
  const [last] = rows;
  const isRepeated = last?.event_key === key && last.received_at > at - REPEATED_WITHIN_MS;
  return isRepeated ? { lead_id: leadId } : undefined;
}

async function findLeadByCrmId({ query }: Db, crmLeadId: string): Promise<number | null> {
  const lead = await query
    .selectFrom('leads')
    .select('lead_id')
    .where('crm_lead_id', '=', crmLeadId)
    .orderBy('lead_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (lead !== undefined) return lead.lead_id;
  const merge = await query
    .selectFrom('lead_merges')
    .select('into_lead_id')
    .where('merged_crm_id', '=', crmLeadId)
    .orderBy('merged_lead_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (merge !== undefined) return merge.into_lead_id;
  const submission = await query
    .selectFrom('submissions')
    .select('lead_id')
    .where('crm_lead_id', '=', crmLeadId)
    .orderBy('submitted_at', 'desc')
    .orderBy('submission_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return submission?.lead_id ?? null;
}

/** The lock under which events are assigned to a lead. */
export function crmKey(crmLeadId: string): string {
  return `crm\n${crmLeadId}`;
}

export type FlowResult = {
  callbackId?: CallbackId;
  sendPublicId: string;
  executionUrl: string;
  executionId: string | null;
  executionStatus: string | null;
  callback: string;
};

/** False: there is no such send. The result may arrive before the response to the send itself. */
export const recordFlowResult = write(
  { changes: ['sends'] },
  (db, result: FlowResult): Promise<boolean> =>
    appliedOnce(db, result.callbackId, {
      apply: () => setFlowResult(db, result),
      isDone: (isKnown) => isKnown,
    }),
);

async function setFlowResult({ query }: Db, result: FlowResult): Promise<boolean> {
  const updated = await query
    .updateTable('flow_sends')
    .set({
      flow_execution_url: result.executionUrl,
      flow_execution_id: result.executionId,
      flow_execution_status: result.executionStatus,
      callback: result.callback,
    })
    .where('flow_send_public_id', '=', result.sendPublicId)
    .returning('flow_send_public_id')
    .executeTakeFirst();
  return updated !== undefined;
}

/** Deletes parked events whose lead never became known. */
export const cleanUpCrmEvents = background(
  { changes: [] },
  async ({ query }, { now, keptMs }: { now: number; keptMs: number }): Promise<number> => {
    const { numDeletedRows } = await query
      .deleteFrom('unmatched_crm_events')
      .where('received_at', '<', now - keptMs)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  },
);
