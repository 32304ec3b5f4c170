import { readLeadForm } from '../../domain/leads/form-fields.ts';
import { formCampaign } from '../../domain/leads/form-touches.ts';
import { ATTRIBUTION_DAYS_DEFAULT } from '../../domain/leads/touches.ts';
import type { CopiedSession } from '../../domain/questions/copied-rows.ts';
import {
  type AttributionSetup,
  type CopiedLead,
  type CopiedSubmission,
  submissionRows,
} from '../../domain/questions/copied-submissions.ts';
import type { CopiedRow } from '../../domain/questions/copied-tables.ts';
import { DAY_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { PAYLOAD_BYTES, readPayloads } from '../leads/payloads.ts';
import { inspection } from '../operation.ts';
import { idHash } from '../tracking/state.ts';
import { visitsOfVisitors } from './visits.ts';

/**
 * Submissions in the shape of the columnar copy: with their lead's stage and the touches that brought them.
 */

export const leadsAfter = inspection(
  async ({ query }: Db, { after, max }: { after: number; max: number }): Promise<number[]> => {
    const leads = await query
      .selectFrom('leads')
      .select('lead_id')
      .where('lead_id', '>', after)
      .orderBy('lead_id')
      .limit(max)
      .execute();
    return leads.map(({ lead_id }) => lead_id);
  },
);

/** Leads that no longer exist are left out. */
export const submissionsOfLeads = inspection(
  async (db: Db, { leadIds }: { leadIds: readonly number[] }): Promise<CopiedRow<'submissions'>[]> => {
    const leads = await readLeads(db, leadIds);
    const setup = await readAttributionSetup(db);
    const visits = await readVisits(db, leads, setup);
    return leads.flatMap((lead) => {
      const visitors = new Set([...lead.visitors, ...lead.submissions.map(({ visitor_id }) => visitor_id)]);
      return submissionRows(
        lead,
        [...visitors].flatMap((id) => visits.get(id) ?? []),
        setup,
      );
    });
  },
);

export async function readAttributionSetup({ query }: Db): Promise<AttributionSetup> {
  const saved = await query
    .selectFrom('settings')
    .selectAll()
    .where('name', 'in', ['attribution_days', 'portal_domains'])
    .execute();
  const setting = (name: string) => JSON.parse(saved.find((each) => each.name === name)?.value ?? 'null');
  return {
    days: setting('attribution_days') ?? ATTRIBUTION_DAYS_DEFAULT,
    portalDomains: setting('portal_domains') ?? [],
  };
}

const REACHED = ['qualified', 'proposal', 'won'];

async function readLeads(db: Db, leadIds: readonly number[]): Promise<CopiedLead[]> {
  if (leadIds.length === 0) return [];
  const { query, dialect } = db;
  const given = dialect.anyOf(leadIds);
  const leads = await query
    .selectFrom('leads')
    .select(['lead_id', 'status', 'is_bot_lead', 'created_at', 'shown_submission_id', 'value_micros'])
    .where('lead_id', 'in', given)
    .execute();
  const submissions = await query
    .selectFrom('submissions')
    .select(['submission_id', 'lead_id', 'submitted_at', 'visitor_id', 'project_name', 'source'])
    .select(['site_key', 'form_id', 'is_primary_lead', 'referer', PAYLOAD_BYTES.as('payload_bytes')])
    .where('lead_id', 'in', given)
    .orderBy('submission_id')
    .execute();
  const copied = await readPayloads(
    db,
    submissions,
    (payload, { referer, payload_bytes: _, ...submission }) => ({
      ...submission,
      params: formCampaign(readLeadForm(payload).campaign, referer),
    }),
  );
  const ofLead = Map.groupBy(copied, ({ lead_id }) => lead_id);
  const identities = await query
    .selectFrom('lead_identities')
    .select(['lead_id', 'value'])
    .where('lead_id', 'in', given)
    .where('kind', '=', 'visitor')
    .execute();
  const visitors = Map.groupBy(identities, ({ lead_id }) => lead_id);
  const moves = await readMoves(db, leadIds);
  const activity = await query
    .selectFrom('crm_activity')
    .select(({ fn }) => ['lead_id', fn.min('received_at').as('at')])
    .where('lead_id', 'in', given)
    .groupBy('lead_id')
    .execute();
  const firstActivity = new Map(activity.map(({ lead_id, at }) => [lead_id, at]));
  return leads.map((lead) => {
    const own = moves.get(lead.lead_id) ?? [];
    const byPeople = own.filter(({ moved_by }) => moved_by !== 'merge').map(({ at }) => at);
    const answered = [
      ...byPeople,
      ...(firstActivity.has(lead.lead_id) ? [firstActivity.get(lead.lead_id) ?? 0] : []),
    ];
    return {
      ...lead,
      reached: REACHED.includes(lead.status) || own.some(({ to_status }) => REACHED.includes(to_status)),
      visitors: (visitors.get(lead.lead_id) ?? []).map(({ value }) => value),
      answered_at: answered.length === 0 ? null : Math.min(...answered),
      submissions: (ofLead.get(lead.lead_id) ?? []) satisfies CopiedSubmission[],
    };
  });
}

type Move = { at: number; to_status: string; moved_by: string };

/** Includes the moves of leads that were merged into it. */
async function readMoves({ query, dialect }: Db, leadIds: readonly number[]): Promise<Map<number, Move[]>> {
  const merges = await query
    .selectFrom('lead_merges')
    .select(['merged_lead_id', 'into_lead_id'])
    .where('into_lead_id', 'in', dialect.anyOf(leadIds))
    .execute();
  const into = new Map(merges.map(({ merged_lead_id, into_lead_id }) => [merged_lead_id, into_lead_id]));
  const moves = await query
    .selectFrom('lead_stage_moves')
    .select(['lead_id', 'at', 'to_status', 'moved_by'])
    .where('lead_id', 'in', dialect.anyOf([...leadIds, ...into.keys()]))
    .execute();
  return Map.groupBy(moves, ({ lead_id }) => into.get(lead_id) ?? lead_id);
}

async function readVisits(
  db: Db,
  leads: readonly CopiedLead[],
  { days }: AttributionSetup,
): Promise<Map<string, CopiedSession[]>> {
  const submissions = leads.flatMap((lead) => lead.submissions);
  const ids = new Set([
    ...leads.flatMap((lead) => lead.visitors),
    ...submissions.map(({ visitor_id }) => visitor_id).filter((id) => id !== ''),
  ]);
  if (ids.size === 0) return new Map();
  const visitors = await db.query
    .selectFrom('visitors')
    .select(['visitor_no', 'visitor_id'])
    .where('id_hash', 'in', db.dialect.anyOf([...ids].map(idHash)))
    .execute();
  const times = submissions.map(({ submitted_at }) => submitted_at);
  const visits = await visitsOfVisitors(
    db,
    // Two ids may share a hash.
    visitors.filter(({ visitor_id }) => ids.has(visitor_id)).map(({ visitor_no }) => visitor_no),
    { from: Math.min(...times) - days * DAY_MS, to: Math.max(...times) },
  );
  return Map.groupBy(visits, ({ visitor_id }) => visitor_id);
}
