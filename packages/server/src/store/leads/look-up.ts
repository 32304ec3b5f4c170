import type { Enquiry } from '../../domain/enquiry.ts';
import type { LeadForm } from '../../domain/form-fields.ts';
import { type Identity, identityKey, lookupKinds } from '../../domain/lead-identity.ts';
import { isAllowedOrigin } from '../../domain/site-domain.ts';
import { RECENT_MS, RECENT_SUBMISSIONS_MAX } from '../../domain/suspicion.ts';
import type { Db } from '../dialect.ts';
import type { IpRuleRow, VisitorRow } from '../schema.ts';
import { idHash } from '../tracking/state.ts';

/** What is known about the sender of a submission. */

export async function ipRule(
  { dialect }: Db,
  { ip }: { ip: string },
): Promise<Pick<IpRuleRow, 'list' | 'usage'> | null> {
  const [rule] = await dialect.select<Pick<IpRuleRow, 'list' | 'usage'>>(
    'select list, usage from ip_rules where ip = ?',
    [ip],
  );
  return rule ?? null;
}

export type KnownSite = { enabled: boolean; domains: string[]; formEnabled: boolean | null };

export async function findSite(
  { dialect }: Db,
  { siteKey, formId }: Pick<LeadForm, 'siteKey' | 'formId'>,
): Promise<KnownSite | null> {
  const [found] = await dialect.select<{ enabled: number; domains: string; form_enabled: number | null }>(
    `select sites.enabled, sites.domains, forms.enabled as form_enabled
    from sites left join forms on forms.site_id = sites.id and forms.form_id = ?
    where sites.site_key = ?`,
    [formId, siteKey],
  );
  if (found === undefined) return null;
  return {
    enabled: found.enabled === 1,
    domains: JSON.parse(found.domains),
    formEnabled: found.form_enabled === null ? null : found.form_enabled === 1,
  };
}

/** Whether an origin belongs to any site that is set up. */
export async function isSiteOrigin({ query }: Db, { origin }: { origin: string }): Promise<boolean> {
  const sites = await query.selectFrom('sites').select('domains').where('enabled', '=', 1).execute();
  return sites.some(({ domains }) => isAllowedOrigin(origin, JSON.parse(domains)));
}

export type KnownIntegration = { id: number; enabled: boolean; lastUsedAt: number | null };

export async function findIntegration({ dialect }: Db, keyHash: string): Promise<KnownIntegration | null> {
  const [found] = await dialect.select<{ id: number; enabled: number; last_used_at: number | null }>(
    'select id, enabled, last_used_at from integrations where key_hash = ?',
    [keyHash],
  );
  return found === undefined
    ? null
    : { id: found.id, enabled: found.enabled === 1, lastUsedAt: found.last_used_at };
}

export type KnownPerson = {
  visitor: KnownVisitor | null;
  /** Of the last minutes, from this address or this visitor, whichever are more. */
  recentSubmissions: number;
  /** The identities of this submission that leads of its project hold. */
  held: readonly HeldIdentity[];
  /** What else this person has asked about. */
  relatedProjects: string[];
};

export type HeldIdentity = Identity & { project_key: string; lead_id: number };

export async function lookUpPerson(db: Db, enquiry: Enquiry): Promise<KnownPerson> {
  const { visitorId } = enquiry.form;
  const all = await findHeld(db, enquiry);
  const held = all.filter(({ project_key }) => project_key === enquiry.projectKey);
  const elsewhere = all.filter(({ project_key }) => project_key !== enquiry.projectKey);
  return {
    visitor: visitorId === '' ? null : await findVisitor(db, visitorId),
    recentSubmissions: await countRecent(db, enquiry, all),
    held,
    relatedProjects: elsewhere.length === 0 ? [] : await findProjects(db, elsewhere),
  };
}

/** The leads this person has, in this project and in others. Whoever submits the same person waits here. */
async function findHeld({ dialect }: Db, { identities, projectKey }: Enquiry): Promise<HeldIdentity[]> {
  const keys = lookupKinds(identities).map((identity) => `${projectKey}\n${identityKey(identity)}`);
  await dialect.lockEach(keys);
  // An address says nothing about other projects: it may be a whole office's. It always comes last.
  const values = identities.flatMap(({ kind, value }) => [kind, value]);
  return dialect.select(SELECTS_HELD[identities.length - 1] as string, [...values, projectKey]);
}

const SELECT_HELD =
  'select kind, value, project_key, lead_id from lead_identities where kind = ? and value = ?';
/** By how many identities there are besides the address. */
const SELECTS_HELD = [0, 1, 2, 3].map((personal) =>
  [...Array(personal).fill(SELECT_HELD), `${SELECT_HELD} and project_key = ?`].join(' union all '),
);

export type KnownVisitor = Pick<
  VisitorRow,
  'last_session_id' | 'session_count' | 'page_views' | 'duration_ms' | 'engagement_score' | 'vpn_suspected'
>;

async function findVisitor({ dialect }: Db, visitorId: string): Promise<KnownVisitor | null> {
  const [found] = await dialect.select<KnownVisitor>(
    `select last_session_id, session_count, page_views, duration_ms, engagement_score, vpn_suspected
    from visitors where id_hash = ? and visitor_id = ?`,
    [idHash(visitorId), visitorId],
  );
  return found ?? null;
}

/** No more are counted than it takes to know that they are too many. */
async function countRecent(
  { dialect }: Db,
  { at, ip, form: { visitorId } }: Enquiry,
  held: readonly HeldIdentity[],
): Promise<number> {
  const since = at - RECENT_MS;
  const fromIp = await dialect.select(
    `select 1 from submissions where contact_ip = ? and submitted_at > ? limit ${RECENT_SUBMISSIONS_MAX}`,
    [ip, since],
  );
  let fromVisitor = 0;
  // All that a visitor has sent belongs to the leads that hold the visitor.
  for (const { lead_id } of held.filter(({ kind }) => kind === 'visitor')) {
    const recent = await dialect.select(
      `select 1 from submissions where lead_id = ? and submitted_at > ? and visitor_id = ?
      limit ${RECENT_SUBMISSIONS_MAX}`,
      [lead_id, since, visitorId],
    );
    fromVisitor += recent.length;
  }
  return Math.max(fromIp.length, fromVisitor);
}

const RELATED_PROJECTS_MAX = 20;

/** Oldest first. */
async function findProjects({ query, dialect }: Db, held: readonly HeldIdentity[]): Promise<string[]> {
  const leadIds = held.map(({ lead_id }) => lead_id);
  const leads = await query
    .selectFrom('leads')
    .select('project_name')
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .where('project_name', '<>', '')
    .orderBy('lead_id')
    .limit(RELATED_PROJECTS_MAX)
    .execute();
  return [...new Set(leads.map((lead) => lead.project_name))];
}
