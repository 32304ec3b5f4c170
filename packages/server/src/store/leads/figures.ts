import { sql } from 'kysely';
import { engagementLabel, visitorScore } from '../../domain/tracking/engagement.ts';
import { SECOND_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { background } from '../operation.ts';
import type { VisitorRow } from '../schema.ts';
import { idHash } from '../tracking/state.ts';
import { countedFor, firstHolders, type Links, linksOf, relativesOf } from './links.ts';

/**
 * The figures of a lead add up all sessions of all its visitors. They are updated asynchronously: a change to
 * a visitor queues its leads in `lead_figure_changes`, up to the limit of leads that an identity links.
 */

/** Call with every change to visitors, in the same transaction; returns how many leads were queued. */
export async function noteFiguresOf({ dialect }: Db, visitorIds: readonly string[]): Promise<number> {
  if (visitorIds.length === 0) return 0;
  const noted = await dialect.run(
    `insert into lead_figure_changes (lead_id)
    select distinct found.value from ${dialect.listed} cross join ${dialect.lateral(HOLDING_LISTED)}
    where true order by found.value on conflict do nothing returning lead_id`,
    [JSON.stringify(visitorIds)],
  );
  return noted.length;
}

const HOLDING_LISTED = firstHolders('lead_id as value', "kind = 'visitor' and value = listed.value");

/** Updates the figures of queued leads; returns how many. */
export const refreshLeadFigures = background({ changes: ['leads'] }, async (db, { max }: { max: number }) => {
  // Excludes ingest: a session stored concurrently would not be seen here, nor see the lead.
  await db.dialect.lock('tracking');
  const taken = await takeChanged(db, max);
  if (taken.length === 0) return 0;
  const links = await linksOf(db, taken.map(idOf));
  const relatives = await takeRelatives(db, taken, links);
  // One lock order, so that transactions cannot deadlock.
  const leads = [...taken, ...relatives].sort((one, other) => one.lead_id - other.lead_id);
  const visitors = Map.groupBy(await visitorsOf(db, leads.map(idOf)), idOf);
  const late = await takeLateSessions(db, leads, visitors);
  const counts = new Map([
    ...(await countSubmits(db, links)),
    ...(await submitCounts(db, relatives.map(idOf))),
  ]);
  const changed = leads.flatMap((lead) => {
    const figures = {
      session_id: late.get(lead.lead_id) ?? lead.session_id,
      ...figuresOf(visitors.get(lead.lead_id) ?? []),
      form_submit_count: submitCount(lead, counts.get(lead.lead_id)),
    };
    const isChanged = (Object.keys(figures) as (keyof typeof figures)[]).some(
      (key) => figures[key] !== lead[key],
    );
    return isChanged ? [{ lead_id: lead.lead_id, ...figures }] : [];
  });
  await db.dialect.updateRows('leads', 'lead_id', changed);
  await db.dialect.insertRows(
    'lead_changes',
    changed.map(({ lead_id }) => ({ lead_id })),
    '(lead_id) do update set lead_id = excluded.lead_id',
  );
  return taken.length;
});

const idOf = ({ lead_id }: { lead_id: number }) => lead_id;

const FIGURES = [
  'engagement_score',
  'engagement_label',
  'pages_visited',
  'session_duration_s',
  'return_visits',
  'vpn_suspected',
  'form_submit_count',
] as const;

/** Skips leads that a submission has locked, which may in turn wait for one of these. They stay queued. */
async function takeChanged({ query, dialect }: Db, max: number) {
  const changes = await query
    .selectFrom('lead_figure_changes')
    .select('lead_id')
    .orderBy('lead_id')
    .limit(max)
    .modifyEnd(dialect.forUpdateSkipLocked)
    .execute();
  if (changes.length === 0) return [];
  const leads = await readFree({ query, dialect }, changes.map(idOf));
  await query
    .deleteFrom('lead_figure_changes')
    .where('lead_id', 'in', dialect.anyOf(leads.map(idOf)))
    .execute();
  return leads;
}

/** The other leads of these people: what is submitted to one of them counts for all. */
async function takeRelatives(db: Db, leads: readonly { lead_id: number }[], links: Links) {
  const taken = new Set(leads.map(idOf));
  const all = new Set(leads.flatMap(({ lead_id }) => [...relativesOf(links, lead_id)]));
  const others = [...all.difference(taken)].sort((one, other) => one - other);
  if (others.length === 0) return [];
  const found = await readFree(db, others);
  const free = new Set(found.map(idOf));
  const held = others.filter((leadId) => !free.has(leadId)).map((lead_id) => ({ lead_id }));
  await db.dialect.insertRows('lead_figure_changes', held, 'do nothing');
  return found;
}

function readFree({ query, dialect }: Db, leadIds: readonly number[]) {
  return query
    .selectFrom('leads')
    .select(['lead_id', 'visitor_id', 'session_id', 'created_at', 'forgotten_submissions', ...FIGURES])
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .modifyEnd(dialect.forUpdateSkipLocked)
    .execute();
}

const VISITOR_FIGURES = [
  'visitor_no',
  'visitor_id',
  'session_count',
  'page_views',
  'engaged_ms',
  'duration_ms',
  'scroll_depth',
  'touched',
  'vpn_suspected',
] as const;
type Figures = Pick<VisitorRow, (typeof VISITOR_FIGURES)[number]>;
type VisitorOfLead = Figures & { lead_id: number };

export async function visitorsOf(
  { query, dialect }: Db,
  leadIds: readonly number[],
): Promise<VisitorOfLead[]> {
  const held = await query
    .selectFrom('lead_identities')
    .select(['lead_id', 'value'])
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .where('kind', '=', 'visitor')
    .execute();
  const visitorIds = [...new Set(held.map(({ value }) => value))];
  if (visitorIds.length === 0) return [];
  const visitors = await query
    .selectFrom('visitors')
    .select(VISITOR_FIGURES)
    .where('id_hash', 'in', dialect.anyOf(visitorIds.map(idHash)))
    .where('visitor_id', 'in', dialect.anyOf(visitorIds))
    .execute();
  const byId = new Map(visitors.map((visitor) => [visitor.visitor_id, visitor]));
  return held.flatMap(({ lead_id, value }) => {
    const visitor = byId.get(value);
    return visitor === undefined ? [] : [{ lead_id, ...visitor }];
  });
}

export function figuresOf(visitors: readonly Figures[]) {
  const sum = (of: (visitor: Figures) => number) => visitors.reduce((total, each) => total + of(each), 0);
  const most = (of: (visitor: Figures) => number) => Math.max(0, ...visitors.map(of));
  const session_count = sum((each) => each.session_count);
  const page_views = sum((each) => each.page_views);
  const engagement_score =
    visitors.length === 0
      ? 0
      : visitorScore({
          session_count,
          page_views,
          engaged_ms: sum((each) => each.engaged_ms),
          scroll_depth: most((each) => each.scroll_depth),
          touched: most((each) => each.touched),
        });
  return {
    engagement_score,
    engagement_label: engagementLabel(engagement_score),
    pages_visited: page_views,
    session_duration_s: Math.round(sum((each) => each.duration_ms) / SECOND_MS),
    return_visits: Math.max(session_count - 1, 0),
    vpn_suspected: most((each) => each.vpn_suspected),
  };
}

type LeadWithVisitor = { lead_id: number; visitor_id: string; session_id: string; created_at: number };

/** Assigns a session that was stored after its lead to the lead and to its submissions. */
async function takeLateSessions(
  { query }: Db,
  leads: readonly LeadWithVisitor[],
  visitors: ReadonlyMap<number, readonly VisitorOfLead[]>,
): Promise<Map<number, string>> {
  const late = new Map<number, string>();
  for (const { lead_id, visitor_id, session_id, created_at } of leads) {
    const visitor = visitors.get(lead_id)?.find((each) => each.visitor_id === visitor_id);
    if (session_id !== '' || visitor === undefined) continue;
    // The one during which it was sent; if there was none then, the next.
    const found = await query
      .selectFrom('sessions')
      .select('session_id')
      .where('visitor_no', '=', visitor.visitor_no)
      .orderBy(sql`case when started_at <= ${created_at} then 0 else 1 end`)
      .orderBy(sql`abs(started_at - ${created_at})`)
      .limit(1)
      .executeTakeFirst();
    if (found === undefined) continue;
    late.set(lead_id, found.session_id);
    await query
      .updateTable('submissions')
      .set(found)
      .where('lead_id', '=', lead_id)
      .where('visitor_id', '=', visitor_id)
      .where('session_id', '=', '')
      .execute();
  }
  return late;
}

/** Submissions to leads that retention has removed still count. */
function submitCount(
  lead: { form_submit_count: number; forgotten_submissions: number },
  counted: number | undefined,
): number {
  return counted === undefined ? lead.form_submit_count : counted + lead.forgotten_submissions;
}

/** How often the person has written, over all projects: by every lead that shares an identity with this one. */
export async function submitCounts(db: Db, leadIds: readonly number[]): Promise<Map<number, number>> {
  return leadIds.length === 0 ? new Map() : countSubmits(db, await linksOf(db, leadIds));
}

async function countSubmits({ query, dialect }: Db, links: Links): Promise<Map<number, number>> {
  const counted = new Map([...links.keys()].map((leadId) => [leadId, countedFor(links, leadId)]));
  const all = new Set([...counted.values()].flatMap((leadIds) => [...leadIds]));
  const leads = await query
    .selectFrom('leads')
    .select(['lead_id', 'follow_ups_count'])
    .where('lead_id', 'in', dialect.anyOf([...all]))
    .execute();
  const submits = new Map(leads.map(({ lead_id, follow_ups_count }) => [lead_id, 1 + follow_ups_count]));
  const sum = (leadIds: ReadonlySet<number>) =>
    leadIds.values().reduce((total, leadId) => total + (submits.get(leadId) ?? 0), 0);
  return new Map(counted.entries().map(([leadId, leadIds]) => [leadId, sum(leadIds)]));
}
