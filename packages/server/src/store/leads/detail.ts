import type { FlowSend } from '@leadtrail/contract/deliveries';
import type {
  CrmActivity,
  Lead,
  LeadIdentity,
  LeadSession,
  LeadSubmission,
  MergedLead,
  PossibleDuplicate,
  StageMove,
} from '@leadtrail/contract/leads';
import { sql } from 'kysely';
import type { z } from 'zod';
import { formatPhone } from '../../domain/leads/contact.ts';
import { dateTime, SECOND_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { sendsOfLead } from '../flow-sends/manage.ts';
import { read } from '../operation.ts';
import { TOPICS } from '../topics.ts';
import { idHash } from '../tracking/state.ts';
import { isIpBlocked, leadItems } from './list.ts';
import { type LeadReference, resolveLead } from './reference.ts';

/** One lead with all that belongs to it. */

export type LeadDetail = {
  lead: Lead;
  sessions: z.output<typeof LeadSession>[];
  submissions: z.output<typeof LeadSubmission>[];
  crm_activity: z.output<typeof CrmActivity>[];
  flow_sends: FlowSend[];
  identities: z.output<typeof LeadIdentity>[];
  history: z.output<typeof StageMove>[];
  possible_duplicates: z.output<typeof PossibleDuplicate>[];
  merged: z.output<typeof MergedLead>[];
};

/** The latest of each are enough to look at; how many there are in all the lead says itself. */
const SESSIONS_MAX = 200;
const PAGE_VIEWS_MAX = 2000;
const SUBMISSIONS_MAX = 1000;
const VISITORS_MAX = 20;
const CRM_ACTIVITY_MAX = 500;
const IDENTITIES_MAX = 200;
const STAGE_MOVES_MAX = 200;
const POSSIBLE_DUPLICATES_MAX = 50;

/**
 * The lead is read first and what belongs to it after that: so it never counts more than is shown,
 * and marking it as seen covers only what was shown.
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
    return {
      lead,
      sessions: await sessionsOf(db, visitors.slice(0, VISITORS_MAX)),
      submissions,
      crm_activity: await crmActivityOf(db, lead.lead_id),
      flow_sends: await sendsOfLead(db, lead.lead_id),
      identities,
      history: await stageMovesOf(db, [lead.lead_id, ...merged.map(({ lead_id }) => lead_id)]),
      possible_duplicates: await possibleDuplicatesOf(db, lead.lead_id),
      merged,
    };
  },
);

const MORE = [
  'lead_id',
  'last_viewed_at',
  'crm_lead_id',
  'source_team',
  'contact_country_code',
  'contact_region',
  'contact_region_code',
  'contact_timezone',
  'user_agent',
  'referer',
  'keyword',
  'message',
  'campaign',
  'site_key',
  'form_id',
  'pages_visited',
  'session_duration_s',
  'return_visits',
  'vpn_suspected',
  'suspicion_reasons',
  'time_to_submit_ms',
  'is_bot_lead',
  'test_lead',
  'related_projects',
] as const;

async function readLead(db: Db, id: string): Promise<Lead | null> {
  const leadId = await resolveLead(db, id);
  if (leadId === null) return null;
  const row = await db.query
    .selectFrom('leads')
    .select(MORE)
    .where('lead_id', '=', leadId)
    .executeTakeFirst();
  const [item] = row === undefined ? [] : await leadItems(db, [row.lead_id]);
  if (row === undefined || item === undefined) return null;
  const { campaign, time_to_submit_ms, test_lead, ...more } = row;
  return {
    ...item,
    ...more,
    phone_international: formatPhone(
      item.contact_phone,
      more.contact_country_code,
      item.contact_country_name,
    ),
    campaign: JSON.parse(campaign),
    time_to_submit_s: time_to_submit_ms === null ? null : time_to_submit_ms / SECOND_MS,
    test_lead: test_lead === 'yes' ? 'yes' : 'no',
  };
}

async function submissionsOf({ query }: Db, lead: Lead): Promise<LeadDetail['submissions']> {
  const rows = await query
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
      'payload_json',
    ])
    .select(isIpBlocked('contact_ip'))
    .where('lead_id', '=', lead.lead_id)
    .orderBy('submitted_at', 'desc')
    .orderBy('submission_id', 'desc')
    .limit(SUBMISSIONS_MAX)
    .execute();
  return rows.map((row) => ({
    ...row,
    contact_name: row.contact_name || lead.contact_name,
    submitted_at: dateTime(row.submitted_at),
  }));
}

/** The sessions of all visitors that the lead is known by. */
async function sessionsOf(db: Db, visitorIds: readonly string[]): Promise<LeadDetail['sessions']> {
  if (visitorIds.length === 0) return [];
  const { query, dialect } = db;
  const visitors = await query
    .selectFrom('visitors')
    .select('visitor_no')
    .where('id_hash', 'in', dialect.anyOf(visitorIds.map(idHash)))
    .where('visitor_id', 'in', dialect.anyOf(visitorIds))
    .execute();
  if (visitors.length === 0) return [];
  const sessions = await query
    .selectFrom('sessions')
    .select([
      'session_id',
      'visitor_id',
      'entry_page',
      'exit_page',
      'country',
      'started_at',
      'last_activity_at',
      'ended_at',
      'engagement_score',
      'event_count',
    ])
    .where('visitor_no', 'in', dialect.anyOf(visitors.map(({ visitor_no }) => visitor_no)))
    .orderBy('started_at', 'desc')
    .orderBy('session_id', 'desc')
    .limit(SESSIONS_MAX)
    .execute();
  const views = await pageViewsOf(
    db,
    sessions.map(({ session_id }) => session_id),
  );
  return sessions.map(({ last_activity_at, ...session }) => ({
    ...session,
    duration: last_activity_at - session.started_at,
    page_views: [
      { page: session.entry_page, at: session.started_at },
      ...(views.get(session.session_id) ?? []).map(({ page, at }) => ({ page, at })),
    ],
  }));
}

/** After the page of entry, whose view is the start of the session; the latest, where there are very many. */
async function pageViewsOf({ query, dialect }: Db, sessionIds: readonly string[]) {
  const views = await query
    .selectFrom('events')
    .select(['session_id', 'page', 'at'])
    .where('session_id', 'in', dialect.anyOf(sessionIds))
    .where('type', '=', 'page_view')
    .where('page', 'is not', null)
    .$narrowType<{ page: string }>()
    .orderBy('at', 'desc')
    .orderBy('event_id', 'desc')
    .limit(PAGE_VIEWS_MAX)
    .execute();
  return Map.groupBy(views.reverse(), ({ session_id }) => session_id);
}

async function crmActivityOf({ query }: Db, leadId: number): Promise<LeadDetail['crm_activity']> {
  const events = await query
    .selectFrom('crm_activity')
    .select(['id', 'lead_id', 'crm_lead_id', 'event_type', 'payload', 'received_at'])
    .where('lead_id', '=', leadId)
    .orderBy('received_at', 'desc')
    .orderBy('id', 'desc')
    .limit(CRM_ACTIVITY_MAX)
    .execute();
  return events.map((event) => ({
    ...event,
    payload: JSON.parse(event.payload),
    received_at: dateTime(event.received_at),
  }));
}

async function identitiesOf({ query }: Db, leadId: number): Promise<LeadDetail['identities']> {
  const identities = await query
    .selectFrom('lead_identities as i')
    .leftJoin('submissions as s', 's.submission_id', 'i.submission_id')
    .innerJoin('leads as l', 'l.lead_id', 'i.lead_id')
    .select([
      'i.kind',
      'i.value',
      'i.first_seen_at',
      'i.submission_id',
      's.is_primary_lead',
      'l.shown_submission_id',
    ])
    .where('i.lead_id', '=', leadId)
    .where('i.kind', '<>', 'ip')
    .$narrowType<{ kind: 'visitor' | 'email' | 'phone' }>()
    .orderBy('i.first_seen_at')
    .orderBy('i.submission_id')
    .orderBy('i.kind')
    .limit(IDENTITIES_MAX)
    .execute();
  return identities.map(({ is_primary_lead, shown_submission_id, ...identity }) => ({
    ...identity,
    first_seen_at: dateTime(identity.first_seen_at),
    is_primary:
      shown_submission_id === 0 ? is_primary_lead === 1 : identity.submission_id === shown_submission_id,
  }));
}

async function stageMovesOf(
  { query, dialect }: Db,
  leadIds: readonly number[],
): Promise<LeadDetail['history']> {
  const moves = await query
    .selectFrom('lead_stage_moves')
    .select(['at', 'from_status as from', 'to_status as to', 'moved_by as by'])
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .orderBy('at', 'desc')
    .limit(STAGE_MOVES_MAX)
    .execute();
  return moves.map((move) => ({ ...move, at: dateTime(move.at) })) as LeadDetail['history'];
}

/** Leads that hold an identity which this one has used too, and the other way round. */
async function possibleDuplicatesOf(
  { query }: Db,
  leadId: number,
): Promise<LeadDetail['possible_duplicates']> {
  const same = sql`s.kind = i.kind and s.value = i.value and s.project_key = i.project_key`;
  const { rows } = await sql<LeadDetail['possible_duplicates'][number]>`
    select l.lead_id, l.lead_public_id, l.contact_name, d.kind, d.value from (
      select i.lead_id, i.kind, i.value from lead_shared_identities s join lead_identities i on ${same}
      where s.lead_id = ${leadId}
      union select s.lead_id, i.kind, i.value from lead_identities i join lead_shared_identities s on ${same}
      where i.lead_id = ${leadId}
    ) d join leads l on l.lead_id = d.lead_id
    where d.lead_id <> ${leadId} order by l.lead_id, d.kind limit ${sql.lit(POSSIBLE_DUPLICATES_MAX)}
  `.execute(query);
  return rows;
}

async function mergedInto({ query }: Db, leadId: number): Promise<LeadDetail['merged']> {
  const merges = await query
    .selectFrom('lead_merges')
    .select(['merged_lead_id', 'merged_public_id', 'merged_at', 'undo'])
    .where('into_lead_id', '=', leadId)
    .orderBy('merged_at')
    .orderBy('merged_lead_id')
    .execute();
  return merges.map((merge) => ({
    lead_id: merge.merged_lead_id,
    lead_public_id: merge.merged_public_id,
    contact_name: JSON.parse(merge.undo).lead.contact_name,
    merged_at: dateTime(merge.merged_at),
  }));
}
