import type { LeadTouch } from '@leadtrail/contract/lead-records';
import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { type Attribution, attributionOf } from '../../domain/leads/attribution.ts';
import { readLeadForm } from '../../domain/leads/form-fields.ts';
import { formCampaign, formVisits } from '../../domain/leads/form-touches.ts';
import { ATTRIBUTION_DAYS_DEFAULT, type OriginVisit, touchesOf } from '../../domain/leads/touches.ts';
import { pageKey } from '../../domain/tracking/page-address.ts';
import { DAY_MS, dateTime } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { loadReadOrigin } from '../tracking/origins.ts';
import { idHash } from '../tracking/state.ts';

/** How leads came, read from the visits of all visitors that they are known by. */

/** A visitor with more visits is not a person. */
const VISITS_MAX = 500;
const VISITS_OF_A_LIST_MAX = 20_000;

export const ORIGIN_COLUMNS = [
  'session_id',
  'started_at',
  'entry_page',
  'source',
  'medium',
  'campaign',
  'term',
  'content',
  'click_id',
  'channel',
] as const;

const SELECT_VISITS = `select visitor_id, ${ORIGIN_COLUMNS.join(', ')} from sessions
  where visitor_no = ? and started_at >= ? and started_at <= ? and channel <> '' order by started_at desc limit ${VISITS_MAX}`;

/** The visits of one visitor that can be touches of an enquiry: one small query, because a visitor's form waits for it. */
export function visitsOfVisitor(
  { dialect }: Db,
  visitorNo: number,
  enquiryAt: number,
  days: number,
): Promise<OriginVisit[]> {
  return dialect.run<OriginVisit>(SELECT_VISITS, [visitorNo, enquiryAt - days * DAY_MS, enquiryAt]);
}

/** The same for all visitors that a lead is known by. */
export async function visitsOfLead(db: Db, lead: Enquiry, days: number): Promise<OriginVisit[]> {
  return (await visitsOfLeads(db, [lead], days)).get(lead.lead_id) ?? [];
}

/** When the submission came that a lead shows. */
type Enquiry = { lead_id: number; enquiry_at: number };
/** What is needed of a lead; `campaign` is JSON, `referer` the page that the form was on. */
export type TouchedLead = { lead_id: number; created_at: number; campaign: string; referer: string };
export type Touched = { touches: OriginVisit[]; attribution: Attribution };

export async function touchesOfLeads(db: Db, given: readonly TouchedLead[]): Promise<Map<number, Touched>> {
  const { days, portalDomains } = await readAttribution(db);
  const leads = await withEnquiries(db, given);
  const visits = await visitsOfLeads(db, leads, days);
  const unvisited = leads.filter(({ lead_id }) => !visits.has(lead_id));
  const forms = await touchesInForms(db, unvisited);
  const readOrigin = await loadReadOrigin(db, unvisited.length);
  return new Map(
    leads.map((lead) => {
      const { lead_id, enquiry_at, referer } = lead;
      const campaign = JSON.parse(lead.campaign);
      const form = { campaign, touches: forms.get(lead_id) ?? '' };
      const known = visits.get(lead_id) ?? formVisits(form, referer, enquiry_at, readOrigin);
      const touches = touchesOf(known, enquiry_at, days);
      const attribution = attributionOf(formCampaign(campaign, referer), touches, portalDomains);
      return [lead_id, { touches, attribution }];
    }),
  );
}

/** Oldest first. */
export async function shownTouches(db: Db, leadId: number): Promise<z.output<typeof LeadTouch>[]> {
  const leads = await db.query
    .selectFrom('leads')
    .select(['lead_id', 'created_at', 'campaign', 'referer'])
    .where('lead_id', '=', leadId)
    .execute();
  const touches = (await touchesOfLeads(db, leads)).get(leadId)?.touches ?? [];
  return touches.map((touch) => ({
    at: dateTime(touch.started_at),
    channel: touch.channel,
    source: touch.source,
    medium: touch.medium,
    campaign: touch.campaign,
    term: touch.term,
    content: touch.content,
    entry_page: pageKey(touch.entry_page),
    session_id: touch.session_id,
  }));
}

async function readAttribution({ query }: Db): Promise<{ days: number; portalDomains: readonly string[] }> {
  const rows = await query
    .selectFrom('settings')
    .selectAll()
    .where('name', 'in', ['attribution_days', 'portal_domains'])
    .execute();
  const saved = Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value)]));
  return {
    days: saved.attribution_days ?? ATTRIBUTION_DAYS_DEFAULT,
    portalDomains: saved.portal_domains ?? [],
  };
}

/** A person takes over the lead of a bot with a later submission. */
async function withEnquiries<Lead extends TouchedLead>(
  { query, dialect }: Db,
  leads: readonly Lead[],
): Promise<(Lead & Enquiry)[]> {
  const later = await query
    .selectFrom('leads as l')
    .innerJoin('submissions as s', 's.submission_id', 'l.shown_submission_id')
    .select(['l.lead_id', 's.submitted_at'])
    .where('l.lead_id', 'in', dialect.anyOf(leads.map(({ lead_id }) => lead_id)))
    .execute();
  const times = new Map(later.map(({ lead_id, submitted_at }) => [lead_id, submitted_at]));
  return leads.map((lead) => ({ ...lead, enquiry_at: times.get(lead.lead_id) ?? lead.created_at }));
}

/** Leads without known visitors have no entry. */
async function visitsOfLeads(
  { query, dialect }: Db,
  leads: readonly Enquiry[],
  days: number,
): Promise<Map<number, OriginVisit[]>> {
  const held = await query
    .selectFrom('lead_identities')
    .select(['lead_id', 'value'])
    .where('lead_id', 'in', dialect.anyOf(leads.map(({ lead_id }) => lead_id)))
    .where('kind', '=', 'visitor')
    .execute();
  if (held.length === 0) return new Map();
  const visitorIds = [...new Set(held.map(({ value }) => value))];
  const visitors = await query
    .selectFrom('visitors')
    .select(['visitor_no', 'visitor_id'])
    .where('id_hash', 'in', dialect.anyOf(visitorIds.map(idHash)))
    .where('visitor_id', 'in', dialect.anyOf(visitorIds))
    .execute();
  if (visitors.length === 0) return new Map();
  const enquiries = leads.map(({ enquiry_at }) => enquiry_at);
  const from = Math.min(...enquiries) - days * DAY_MS;
  const to = Math.max(...enquiries);
  const visitsMax = leads.length === 1 ? VISITS_MAX : VISITS_OF_A_LIST_MAX;
  let visits: (OriginVisit & { visitor_id: string })[] = await query
    .selectFrom('sessions')
    .select(['visitor_id', ...ORIGIN_COLUMNS])
    .where('visitor_no', 'in', dialect.anyOf(visitors.map(({ visitor_no }) => visitor_no)))
    .where('started_at', '>=', from)
    .where('started_at', '<=', to)
    .where('channel', '<>', '')
    .orderBy('started_at', 'desc')
    .limit(visitsMax)
    .execute();
  if (leads.length > 1 && visits.length === visitsMax) {
    // The visits of one visitor, such as a monitor, must not take the place of those of all others.
    const each = visitors.map(({ visitor_no }) =>
      dialect.run<(typeof visits)[number]>(SELECT_VISITS, [visitor_no, from, to]),
    );
    visits = (await Promise.all(each)).flat();
  }
  const byVisitor = Map.groupBy(visits, ({ visitor_id }) => visitor_id);
  const byLead = new Map<number, OriginVisit[]>();
  for (const { lead_id, value } of held) {
    const found = byVisitor.get(value);
    if (found !== undefined) byLead.set(lead_id, [...(byLead.get(lead_id) ?? []), ...found]);
  }
  return byLead;
}

/** The touches that browsers remembered, by lead, from the submission that the lead shows. */
async function touchesInForms(
  { query, dialect }: Db,
  leads: readonly TouchedLead[],
): Promise<Map<number, string>> {
  if (leads.length === 0) return new Map();
  const rows = await query
    .selectFrom('submissions as s')
    .innerJoin('leads as l', 'l.lead_id', 's.lead_id')
    .select(['s.lead_id', 's.payload_json'])
    .where('s.lead_id', 'in', dialect.anyOf(leads.map(({ lead_id }) => lead_id)))
    // `case` fixes the order of evaluation: spares searching any number of long follow-ups.
    .where(sql<SqlBool>`case when s.submission_id = l.shown_submission_id
      or (l.shown_submission_id = 0 and s.is_primary_lead = 1)
      then ${dialect.contains('s.payload_json', '__touches')} end`)
    .orderBy('s.submission_id')
    .execute();
  return new Map(
    rows.map(({ lead_id, payload_json }) => [lead_id, readLeadForm(JSON.parse(payload_json)).touches]),
  );
}
