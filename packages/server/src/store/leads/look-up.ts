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
  /** The lead of this project that each identity belongs to, by `identityKey`. */
  holders: ReadonlyMap<string, number>;
  /** What else this person has asked about. */
  relatedProjects: string[];
};

export async function lookUpPerson(db: Db, enquiry: Enquiry): Promise<KnownPerson> {
  const { visitorId } = enquiry.form;
  return {
    visitor: visitorId === '' ? null : await findVisitor(db, visitorId),
    recentSubmissions: await countRecent(db, enquiry),
    ...(await findLeads(db, enquiry)),
  };
}

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
async function countRecent({ dialect }: Db, { at, ip, form: { visitorId } }: Enquiry): Promise<number> {
  const count = async (column: 'contact_ip' | 'visitor_id', value: string) => {
    const recent = await dialect.select(
      `select 1 from submissions where ${column} = ? and submitted_at > ? limit ${RECENT_SUBMISSIONS_MAX}`,
      [value, at - RECENT_MS],
    );
    return recent.length;
  };
  const fromIp = await count('contact_ip', ip);
  if (visitorId === '' || fromIp === RECENT_SUBMISSIONS_MAX) return fromIp;
  return Math.max(fromIp, await count('visitor_id', visitorId));
}

const RELATED_PROJECTS_MAX = 20;

type HeldIdentity = Identity & { project_key: string; lead_id: number };

/** The leads this person has, in this project and in others. Whoever submits the same person waits here. */
async function findLeads(db: Db, { identities, projectKey }: Enquiry) {
  const { dialect } = db;
  await dialect.lockEach(
    lookupKinds(identities).map((identity) => `${projectKey}\n${identityKey(identity)}`),
  );
  // An address says nothing about other projects: it may be a whole office's.
  const personal = identities.filter(({ kind }) => kind !== 'ip');
  const address = identities.filter(({ kind }) => kind === 'ip');
  const texts = [
    ...personal.map(() => `${SELECT_HELD} where kind = ? and value = ?`),
    ...address.map(() => `${SELECT_HELD} where kind = ? and value = ? and project_key = ?`),
  ];
  const held = await dialect.select<HeldIdentity>(texts.join(' union all '), [
    ...personal.flatMap(({ kind, value }) => [kind, value]),
    ...address.flatMap(({ kind, value }) => [kind, value, projectKey]),
  ]);
  const isHere = ({ project_key }: HeldIdentity) => project_key === projectKey;
  const elsewhere = held.filter((identity) => !isHere(identity)).map(({ lead_id }) => lead_id);
  return {
    holders: new Map(held.filter(isHere).map((identity) => [identityKey(identity), identity.lead_id])),
    relatedProjects: elsewhere.length === 0 ? [] : await findProjects(db, elsewhere),
  };
}

const SELECT_HELD = 'select kind, value, project_key, lead_id from lead_identities';

/** Oldest first. */
async function findProjects({ query, dialect }: Db, leadIds: readonly number[]): Promise<string[]> {
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
