import type { FlowSend } from '@leadtrail/contract/deliveries';
import type {
  CrmActivity,
  Lead,
  LeadNote,
  LeadSubmission,
  LeadTouch,
} from '@leadtrail/contract/lead-records';
import { sql } from 'kysely';
import type { z } from 'zod';
import { type DeliveryState, deliveryState } from '../../domain/delivery/delivery-state.ts';
import { formatPhone } from '../../domain/leads/contact.ts';
import { storedCustomFields } from '../../domain/leads/custom-fields.ts';
import { dateTime, isoTime, SECOND_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { sendsOfLead } from '../flow-sends/manage.ts';
import { withIpBlocked } from '../ip-lists.ts';
import { read } from '../operation.ts';
import { TOPICS } from '../topics.ts';
import { identitiesOf, mergedInto, possibleDuplicatesOf, stageMovesOf } from './detail-person.ts';
import { sessionsOf } from './detail-sessions.ts';
import { leadItems } from './list.ts';
import { notesOf } from './notes.ts';
import { PAYLOAD_BYTES, withoutLongest } from './payloads.ts';
import { type LeadReference, resolveLead } from './reference.ts';
import { shownTouches } from './touches.ts';

/** One lead with all that belongs to it. */

export type LeadDetail = {
  lead: Lead;
  sessions: Awaited<ReturnType<typeof sessionsOf>>;
  submissions: z.output<typeof LeadSubmission>[];
  crm_activity: z.output<typeof CrmActivity>[];
  flow_sends: FlowSend[];
  identities: Awaited<ReturnType<typeof identitiesOf>>;
  history: Awaited<ReturnType<typeof stageMovesOf>>;
  notes: LeadNote[];
  possible_duplicates: Awaited<ReturnType<typeof possibleDuplicatesOf>>;
  merged: Awaited<ReturnType<typeof mergedInto>>;
  first_touch: z.output<typeof LeadTouch> | null;
  last_touch: z.output<typeof LeadTouch> | null;
  touches: z.output<typeof LeadTouch>[];
};

/** Only the latest are shown; the lead itself has the full counts. */
const SUBMISSIONS_MAX = 1000;
const VISITORS_MAX = 20;
const CRM_ACTIVITY_MAX = 500;

/**
 * Reads the lead before what belongs to it: so it never counts more than is shown, and marking it as seen
 * covers only what was shown.
 */
export const leadDetail = read(
  { shows: TOPICS },
  async (db, { id }: LeadReference): Promise<LeadDetail | null> => {
    const lead = await readLead(db, id);
    if (lead === null) return null;
    const submissions = await submissionsOf(db, lead);
    const identities = await identitiesOf(db, lead.lead_id);
    const visitors = identities.filter(({ kind }) => kind === 'visitor').map(({ value }) => value);
    const merged = await mergedInto(db, lead.lead_id);
    const leadIds = [lead.lead_id, ...merged.map(({ lead_id }) => lead_id)] as const;
    const flow_sends = await sendsOfLead(db, lead.lead_id);
    const touches = await shownTouches(db, lead.lead_id);
    return {
      lead: { ...lead, ...deliveryOf(lead, flow_sends, submissions) },
      sessions: await sessionsOf(db, visitors.slice(0, VISITORS_MAX)),
      submissions,
      crm_activity: await crmActivityOf(db, lead.lead_id),
      flow_sends,
      identities,
      history: await stageMovesOf(db, leadIds),
      notes: await notesOf(db, leadIds),
      possible_duplicates: await possibleDuplicatesOf(db, leadIds),
      merged,
      first_touch: touches[0] ?? null,
      last_touch: touches.at(-1) ?? null,
      touches,
    };
  },
);

function deliveryOf(
  lead: ReadLead,
  sends: readonly FlowSend[],
  submissions: LeadDetail['submissions'],
): DeliveryState {
  const held = submissions.flatMap(({ suspicion_score, held_above_risk }) =>
    held_above_risk === null ? [] : [{ risk: suspicion_score, above: held_above_risk }],
  );
  const ofLead = sends.filter(({ event }) => event === 'lead');
  return deliveryState({ sends: ofLead, isBotLead: lead.is_bot_lead === 1, held });
}

const MORE = [
  'lead_id',
  'last_viewed_at',
  'source_team',
  'contact_country_code',
  'contact_region',
  'contact_region_code',
  'contact_timezone',
  'user_agent',
  'referer',
  'keyword',
  'pages_visited',
  'session_duration_s',
  'return_visits',
  'vpn_suspected',
  'suspicion_reasons',
  'time_to_submit_ms',
  'related_projects',
] as const;

type ReadLead = Omit<Lead, keyof DeliveryState>;

async function readLead(db: Db, id: string): Promise<ReadLead | null> {
  const leadId = await resolveLead(db, id);
  if (leadId === null) return null;
  const row = await db.query
    .selectFrom('leads')
    .select(MORE)
    .where('lead_id', '=', leadId)
    .executeTakeFirst();
  const [item] = row === undefined ? [] : await leadItems(db, [row.lead_id]);
  if (row === undefined || item === undefined) return null;
  const { time_to_submit_ms, ...more } = row;
  return {
    ...item,
    ...more,
    phone_international: formatPhone(
      item.contact_phone,
      more.contact_country_code,
      item.contact_country_name,
    ),
    time_to_submit_s: time_to_submit_ms === null ? null : time_to_submit_ms / SECOND_MS,
  };
}

async function submissionsOf(db: Db, lead: ReadLead): Promise<LeadDetail['submissions']> {
  const latest = await db.query
    .selectFrom('submissions')
    .select(['submission_id', PAYLOAD_BYTES.as('payload_bytes')])
    .where('lead_id', '=', lead.lead_id)
    .orderBy('submitted_at', 'desc')
    .orderBy('submission_id', 'desc')
    .limit(SUBMISSIONS_MAX)
    .execute();
  const shown = withoutLongest(latest).map(({ submission_id }) => submission_id);
  const rows = await db.query
    .selectFrom('submissions')
    .select([
      'submission_id',
      'lead_submission_public_id',
      'lead_id',
      'submitted_at',
      'contact_name',
      'contact_email',
      'contact_phone',
      'project_name',
      'visitor_id',
      'session_id',
      'contact_ip',
      'source',
      'referer',
      'cta_name',
      'is_primary_lead',
      'is_duplicate_window',
      'suspicion_score',
      'crm_lead_id',
      'held_above_risk',
      'payload_json',
    ])
    .where('submission_id', 'in', db.dialect.anyOf(shown))
    .orderBy('submitted_at', 'desc')
    .orderBy('submission_id', 'desc')
    .execute();
  return (await withIpBlocked(db, rows)).map((row) => ({
    ...row,
    contact_name: row.contact_name || lead.contact_name,
    submitted_at: dateTime(row.submitted_at),
    submitted_at_iso: isoTime(row.submitted_at),
    fields: storedCustomFields(row.payload_json),
  }));
}

async function crmActivityOf({ query, dialect }: Db, leadId: number): Promise<LeadDetail['crm_activity']> {
  const latest = await query
    .selectFrom('crm_activity')
    .select(['id', sql<number>`octet_length(payload)`.as('payload_bytes')])
    .where('lead_id', '=', leadId)
    .orderBy('received_at', 'desc')
    .orderBy('id', 'desc')
    .limit(CRM_ACTIVITY_MAX)
    .execute();
  const shown = withoutLongest(latest).map(({ id }) => id);
  const events = await query
    .selectFrom('crm_activity')
    .select(['id', 'lead_id', 'crm_lead_id', 'event_type', 'payload', 'received_at'])
    .where('id', 'in', dialect.anyOf(shown))
    .orderBy('received_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return events.map((event) => ({
    ...event,
    payload: JSON.parse(event.payload),
    received_at: dateTime(event.received_at),
  }));
}
