import type { IpRule, SenderFacts } from '../../domain/leads/decide-capture.ts';
import type { Enquiry } from '../../domain/leads/enquiry.ts';
import { type Identity, identityKey, lookupKinds } from '../../domain/leads/lead-identity.ts';
import { RECENT_MS, RECENT_SUBMISSIONS_MAX } from '../../domain/leads/suspicion.ts';
import { isAllowedOrigin } from '../../domain/setup/site-domain.ts';
import { addressKey, networksContaining } from '../../lib/ip-network.ts';
import { memoize } from '../../lib/memoize.ts';
import { OUT_OF_ORDER_MS_MAX } from '../clocks.ts';
import type { Db, Dialect } from '../dialect.ts';
import { HONEYPOT } from '../ip-lists.ts';
import { type Locks, visitorRead } from '../operation.ts';
import type { IpRuleRow, VisitorRow } from '../schema.ts';
import { idHash } from '../tracking/state.ts';
import { firstHolders, LINKED_LEADS_MAX } from './links.ts';

/** What is known about the sender of a submission. */

type RuleAsked = { ip: string; autoBlockedBefore?: number };

/** If several ranges contain an address, the narrowest counts; all are on the same list. */
export const ipRule = visitorRead(
  async ({ dialect }, { ip, autoBlockedBefore = EVER }: RuleAsked): Promise<IpRule | null> => {
    // `cross join` makes SQLite look up each network by the index.
    const [rule] = await dialect.run<IpRule>(
      `select r.list, r.usage from ${dialect.listed}
      cross join ip_rules r where r.network = listed.value and ${counts('r')}
      order by listed.key limit 1`,
      [JSON.stringify(networksContaining(ip)), autoBlockedBefore],
    );
    return rule ?? null;
  },
);

const EVER = Number.MAX_SAFE_INTEGER;

/** Takes one parameter: automatic blocks of that time or later do not count. */
function counts(rule: string): string {
  return `(${rule}.reason <> '${HONEYPOT}' or ${rule}.listed_at < ?)`;
}

/** Whether an API key is valid, and if it is not, whether the address is blocked. */
export const keySender = visitorRead(
  async (db, { keyHash, ip }: { keyHash: string; ip: string }): Promise<KeySender> => {
    const [integration] = await db.dialect.run<{ enabled: number }>(
      'select enabled from integrations where key_hash = ?',
      [keyHash],
    );
    const isRight = integration?.enabled === 1;
    return { isRight, isBlocked: !isRight && (await ipRule(db, { ip }))?.list === 'blocked' };
  },
);

type KeySender = { isRight: boolean; isBlocked: boolean };

/** Whether an origin belongs to any site that is set up. */
export const isSiteOrigin = visitorRead(
  async ({ query }, { origin }: { origin: string }): Promise<boolean> => {
    const sites = await query.selectFrom('sites').select('domains').where('enabled', '=', 1).execute();
    return sites.some(({ domains }) => isAllowedOrigin(origin, JSON.parse(domains)));
  },
);

export type KnownSender = SenderFacts & {
  integration: KnownIntegration | null;
  visitor: KnownVisitor | null;
  /** From the same address in the last minutes. */
  recentFromIp: number;
};
export type KnownIntegration = { id: number; enabled: boolean; lastUsedAt: number | null };
export type KnownVisitor = Pick<
  VisitorRow,
  | 'visitor_no'
  | 'last_session_id'
  | 'session_count'
  | 'page_views'
  | 'duration_ms'
  | 'engagement_score'
  | 'vpn_suspected'
>;

/** One query for everything: a round trip costs more than all its parts. */
export async function lookUpSender(db: Db, enquiry: Enquiry, autoBlockedBefore = EVER): Promise<KnownSender> {
  const { siteKey, formId, visitorId } = enquiry.form;
  const { personIp, callerIp } = enquiry;
  const isSame = personIp === callerIp;
  const isServer = enquiry.keyHash !== null;
  const [row] = await db.dialect.run<SenderRow>(isServer ? SELECT_SERVER : SELECT_BROWSER, [
    personIp ?? NO_ADDRESS,
    ...recently(enquiry),
    addressKey(callerIp),
    autoBlockedBefore,
    siteKey,
    formId,
    visitorId === '' ? 0 : idHash(visitorId),
    visitorId,
    ...(isServer
      ? [isSame || personIp === null ? NO_ADDRESS : addressKey(personIp), autoBlockedBefore, enquiry.keyHash]
      : []),
  ]);
  if (row === undefined) throw new Error('A query for one row returned none.');
  const ruleFor = async (ip: string | null, list: IpRuleRow['list'] | null, usage: IpRuleRow['usage']) => {
    if (list !== null) return { list, usage };
    return row.has_ranges === 1 && ip !== null ? ipRule(db, { ip, autoBlockedBefore }) : null;
  };
  const callerRule = await ruleFor(callerIp, row.caller_list, row.caller_usage);
  return {
    callerRule,
    personRule: isSame ? callerRule : await ruleFor(personIp, row.person_list, row.person_usage),
    site: siteOf(row),
    integration: integrationOf(row),
    visitor: row.last_session_id === null ? null : (row as KnownVisitor),
    recentFromIp: row.recent_from_ip,
  };
}

/** Submissions that are stored late do not count those that came after them. */
const RECENT = 'submitted_at > ? and submitted_at < ?';

/** The parameters of `RECENT`. */
function recently({ at }: Enquiry): [from: number, until: number] {
  return [at - RECENT_MS, at + OUT_OF_ORDER_MS_MAX];
}

/** Matches no row. */
const NO_ADDRESS = '';

const selectSender = (more: { columns: string; joins: string }) => `
  select
    (select count(*) from (
      select 1 from submissions where contact_ip = ? and ${RECENT} and is_server_ip = 0 limit ${RECENT_SUBMISSIONS_MAX}
    ) recent) as recent_from_ip,
    c.list as caller_list, c.usage as caller_usage,
    (select count(*) from (select 1 from ip_rules where bits is not null limit 1) ranges) as has_ranges,
    s.enabled as site_enabled, s.domains, f.enabled as form_enabled,
    v.visitor_no, v.last_session_id, v.session_count, v.page_views, v.duration_ms, v.engagement_score, v.vpn_suspected,
    ${more.columns}
  from (select 1 as one) asked
  left join ip_rules c on c.network = ? and ${counts('c')}
  left join sites s on s.site_key = ?
  left join forms f on f.site_id = s.id and f.form_id = ?
  left join visitors v on v.id_hash = ? and v.visitor_id = ?
  ${more.joins}`;

/** A browser has the person's own address, and no key. */
const SELECT_BROWSER = selectSender({ columns: 'null as integration_id', joins: '' });
const SELECT_SERVER = selectSender({
  columns: `p.list as person_list, p.usage as person_usage,
    i.id as integration_id, i.enabled as integration_enabled, i.last_used_at`,
  joins: `left join ip_rules p on p.network = ? and ${counts('p')} left join integrations i on i.key_hash = ?`,
});

type SenderRow = { [K in keyof KnownVisitor]: KnownVisitor[K] | null } & {
  caller_list: IpRuleRow['list'] | null;
  caller_usage: IpRuleRow['usage'];
  person_list: IpRuleRow['list'] | null;
  person_usage: IpRuleRow['usage'];
  /** Most lists have no ranges; then the exact address is all there is to look up. */
  has_ranges: number;
  recent_from_ip: number;
  site_enabled: number | null;
  domains: string;
  form_enabled: number | null;
  integration_id: number | null;
  integration_enabled: number;
  last_used_at: number | null;
};

function siteOf({ site_enabled, domains, form_enabled }: SenderRow): KnownSender['site'] {
  if (site_enabled === null) return null;
  return {
    enabled: site_enabled === 1,
    domains: domainsOf(domains),
    formEnabled: form_enabled === null ? null : form_enabled === 1,
  };
}

const SITES_KEPT = 1000;
const domainsOf = memoize(SITES_KEPT, (json): readonly string[] => JSON.parse(json));

function integrationOf({
  integration_id,
  integration_enabled,
  last_used_at,
}: SenderRow): KnownIntegration | null {
  if (integration_id === null) return null;
  return { id: integration_id, enabled: integration_enabled === 1, lastUsedAt: last_used_at };
}

export type KnownPerson = {
  /** From the same visitor in the last minutes. */
  recentFromVisitor: number;
  /** The identities of this submission that leads of its project hold. */
  held: readonly HeldIdentity[];
  /** What else this person has asked about… */
  relatedProjects: string[];
  /** …and by which leads, with how often the person has written for these. */
  elsewhere: { leadIds: number[]; submissions: number };
};

export type HeldIdentity = Identity & { project_key: string; lead_id: number; is_provisional: number };

export async function lookUpPerson(
  db: Db,
  enquiry: Enquiry,
  sender: KnownSender,
  all: readonly HeldIdentity[],
): Promise<KnownPerson> {
  const held = all.filter(({ project_key }) => project_key === enquiry.projectKey);
  const elsewhere = all.filter(({ project_key }) => project_key !== enquiry.projectKey);
  return {
    // Once the address has reached the limit, the visitor does not matter.
    recentFromVisitor:
      sender.recentFromIp < RECENT_SUBMISSIONS_MAX ? await countFromVisitor(db, enquiry, all) : 0,
    held,
    ...(elsewhere.length === 0 ? NOWHERE_ELSE : await lookElsewhere(db, elsewhere)),
  };
}

/**
 * The identities of this submission that leads hold, in its project and, up to a limit, in others. Locks the
 * person's identities, so that concurrent submissions of one person are serialised.
 */
export async function findHeld({ dialect }: Db, enquiry: Enquiry): Promise<HeldIdentity[]> {
  const { identities, projectKey } = enquiry;
  if (identities.length === 0) return [];
  const values = identities.flatMap(({ kind, value }) => [kind, value]);
  const hasAddress = identities.at(-1)?.kind === 'ip';
  // Pipelined: statements run in the order sent, so the select starts once the locks are held and sees what
  // was committed before.
  const locked = dialect.kind === 'sqlite' ? undefined : lockPerson(dialect, enquiry);
  const held = hasAddress
    ? dialect.run<HeldIdentity>(SELECTS_WITH_ADDRESS[identities.length - 1] as string, [
        ...values,
        projectKey,
      ])
    : dialect.run<HeldIdentity>(SELECTS_PERSONAL[identities.length] as string, values);
  const [found] = await Promise.all([held, locked]);
  if (found.length < LINKED_LEADS_MAX) return found;
  // At the limit, the holder in this project may be missing, which decides whose the submission is.
  const own = await dialect.run<HeldIdentity>(
    SELECTS_OWN[identities.length] as string,
    identities.flatMap(({ kind, value }) => [kind, value, projectKey]),
  );
  return [...own, ...found.filter(({ project_key }) => project_key !== projectKey)];
}

function lockPerson(dialect: Dialect, enquiry: Enquiry): Promise<void> {
  const { alone, shared } = personLocks(enquiry);
  return dialect.lockEach(alone, shared);
}

/**
 * Exclusive locks on the identities that decide, shared ones on those that are only learned: the latter
 * exclude only submissions for which they decide.
 */
export function personLocks({ identities, projectKey }: Enquiry): Locks {
  const lockKey = (identity: Identity) => personLock(projectKey, identity);
  const deciding = lookupKinds(identities);
  const learned = identities.filter((identity) => !deciding.includes(identity));
  return { alone: deciding.map(lockKey), shared: learned.map(lockKey) };
}

/** The lock under which it is decided which lead an identity belongs to. */
export function personLock(projectKey: string, identity: Identity): string {
  return `${projectKey}\n${identityKey(identity)}`;
}

const HELD = 'kind, value, project_key, lead_id, is_provisional';
const SELECT_FIRST = `select * from (${firstHolders(HELD, 'kind = ? and value = ?')}) held`;
const SELECT_OWN = `select ${HELD} from lead_identities where kind = ? and value = ? and project_key = ?`;
/** Indexed by the number of identities besides the address. */
const SELECTS_PERSONAL = [0, 1, 2, 3].map((personal) =>
  Array(personal).fill(SELECT_FIRST).join(' union all '),
);
/** An address says nothing about other projects: it may be a whole office's. It always comes last. */
const SELECTS_WITH_ADDRESS = SELECTS_PERSONAL.map((personal) =>
  [...(personal === '' ? [] : [personal]), SELECT_OWN].join(' union all '),
);
/** Indexed by the number of identities. */
const SELECTS_OWN = [0, 1, 2, 3, 4].map((identities) =>
  Array(identities).fill(SELECT_OWN).join(' union all '),
);

/** Counts up to the limit only. */
async function countFromVisitor(
  { dialect }: Db,
  enquiry: Enquiry,
  held: readonly HeldIdentity[],
): Promise<number> {
  // All that a visitor has sent belongs to the leads that hold the visitor.
  const leadIds = held.filter(({ kind }) => kind === 'visitor').map(({ lead_id }) => lead_id);
  if (leadIds.length === 0) return 0;
  const recent = await dialect.run(
    `select 1 from ${dialect.listed} cross join ${dialect.lateral(RECENT_OF_LISTED)} limit ${RECENT_SUBMISSIONS_MAX}`,
    [JSON.stringify(leadIds), ...recently(enquiry), enquiry.form.visitorId],
  );
  return recent.length;
}

const RECENT_OF_LISTED = `
  select submission_id as value from submissions
  where lead_id = cast(listed.value as bigint) and ${RECENT} and visitor_id = ? limit ${RECENT_SUBMISSIONS_MAX}`;

const NOWHERE_ELSE = { relatedProjects: [], elsewhere: { leadIds: [], submissions: 0 } };
const RELATED_PROJECTS_MAX = 20;

/** Oldest first. */
async function lookElsewhere({ query, dialect }: Db, held: readonly HeldIdentity[]) {
  const leads = await query
    .selectFrom('leads')
    .select(['lead_id', 'project_name', 'follow_ups_count'])
    .where('lead_id', 'in', dialect.anyOf(held.map(({ lead_id }) => lead_id)))
    .orderBy('lead_id')
    .limit(LINKED_LEADS_MAX)
    .execute();
  const projects = new Set(leads.map((lead) => lead.project_name).filter((name) => name !== ''));
  return {
    relatedProjects: [...projects].slice(0, RELATED_PROJECTS_MAX),
    elsewhere: {
      leadIds: leads.map(({ lead_id }) => lead_id),
      submissions: leads.reduce((sum, lead) => sum + 1 + lead.follow_ups_count, 0),
    },
  };
}
