import { sql } from 'kysely';
import { engagementLabel, visitorScore } from '../../domain/tracking/engagement.ts';
import { SECOND_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { background } from '../operation.ts';
import type { VisitorRow } from '../schema.ts';
import { idHash } from '../tracking/state.ts';

/**
 * The figures of a lead are those of all visitors it is known by, over all their sessions. They follow behind:
 * a change of a visitor leaves the numbers of its leads in `lead_figure_changes`.
 */

/** Called by whatever changes visitors, in the same transaction; says how many leads follow. */
export async function noteFiguresOf({ dialect }: Db, visitorIds: readonly string[]): Promise<number> {
  if (visitorIds.length === 0) return 0;
  const noted = await dialect.run(
    `insert into lead_figure_changes (lead_id)
    select distinct lead_id from lead_identities
    where kind = 'visitor' and value in (select value from ${dialect.listed}) order by lead_id
    on conflict do nothing returning lead_id`,
    [JSON.stringify(visitorIds)],
  );
  return noted.length;
}

/** Brings the figures of some leads up to date, and says how many there were. */
export const refreshLeadFigures = background({ changes: ['leads'] }, async (db, { max }: { max: number }) => {
  // Otherwise sessions that are just being stored would neither be seen here nor see the lead.
  await db.dialect.lock('tracking');
  const taken = await takeChanged(db, max);
  if (taken.length === 0) return 0;
  const leads = [...taken, ...(await relativesOf(db, taken))];
  const leadIds = leads.map(({ lead_id }) => lead_id);
  const visitors = await visitorsOf(db, leadIds);
  const late = await takeLateSessions(db, leads, visitors);
  const counts = await submitCounts(db, leadIds);
  const changed = leads.flatMap((lead) => {
    const figures = {
      session_id: late.get(lead.lead_id) ?? lead.session_id,
      ...figuresOf(visitors.filter(({ lead_id }) => lead_id === lead.lead_id)),
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

const FIGURES = [
  'engagement_score',
  'engagement_label',
  'pages_visited',
  'session_duration_s',
  'return_visits',
  'vpn_suspected',
  'form_submit_count',
] as const;

/** Leads that a submission just holds are left for the next time: it may wait for one of these. */
async function takeChanged({ query, dialect }: Db, max: number) {
  const changes = await query
    .selectFrom('lead_figure_changes')
    .select('lead_id')
    .orderBy('lead_id')
    .limit(max)
    .modifyEnd(dialect.holdFree)
    .execute();
  if (changes.length === 0) return [];
  const leads = await readFree(
    { query, dialect },
    changes.map(({ lead_id }) => lead_id),
  );
  await query
    .deleteFrom('lead_figure_changes')
    .where('lead_id', 'in', dialect.anyOf(leads.map(({ lead_id }) => lead_id)))
    .execute();
  return leads;
}

/** The other leads of these people: what is submitted to one of them counts for all. */
async function relativesOf(db: Db, leads: readonly { lead_id: number }[]) {
  const leadIds = new Set(leads.map(({ lead_id }) => lead_id));
  const rows = await db.dialect.run<{ lead_id: number }>(`select distinct other.lead_id ${sharing(db)}`, [
    JSON.stringify([...leadIds]),
  ]);
  const others = rows.filter(({ lead_id }) => !leadIds.has(lead_id));
  if (others.length === 0) return [];
  const found = await readFree(
    db,
    others.map(({ lead_id }) => lead_id),
  );
  const free = new Set(found.map(({ lead_id }) => lead_id));
  const held = others.filter(({ lead_id }) => !free.has(lead_id));
  await db.dialect.insertRows('lead_figure_changes', held, 'do nothing');
  return found;
}

/** Leads with an identity of some leads, as far as people have brought it. */
function sharing({ dialect }: Db): string {
  return `from (${dialect.lookUp('lead_identities', 'lead_id')}) mine
    join lead_identities other on other.kind = mine.kind and other.value = mine.value and other.is_provisional = 0
    where mine.kind <> 'ip' and mine.is_provisional = 0`;
}

function readFree({ query, dialect }: Db, leadIds: readonly number[]) {
  return query
    .selectFrom('leads')
    .select(['lead_id', 'visitor_id', 'session_id', 'created_at', 'forgotten_submissions', ...FIGURES])
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .modifyEnd(dialect.holdFree)
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

/** Gives leads, and what was submitted in it, a session that was stored after them. */
async function takeLateSessions(
  { query }: Db,
  leads: readonly LeadWithVisitor[],
  visitors: readonly VisitorOfLead[],
): Promise<Map<number, string>> {
  const late = new Map<number, string>();
  for (const { lead_id, visitor_id, session_id, created_at } of leads) {
    const visitor = visitors.find((each) => each.lead_id === lead_id && each.visitor_id === visitor_id);
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

/** What was submitted to leads that retention has removed still counts. */
function submitCount(
  lead: { form_submit_count: number; forgotten_submissions: number },
  counted: number | undefined,
): number {
  return counted === undefined ? lead.form_submit_count : counted + lead.forgotten_submissions;
}

/** How often the person has written, over all projects: by every lead that shares an identity with this one. */
export async function submitCounts(db: Db, leadIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.dialect.run<{ lead_id: number; submissions: number }>(
    `select p.lead_id, sum(1 + l.follow_ups_count) as submissions from (
      select distinct mine.lead_id, other.lead_id as other_id ${sharing(db)}
    ) p join leads l on l.lead_id = p.other_id group by p.lead_id`,
    [JSON.stringify(leadIds)],
  );
  return new Map(rows.map(({ lead_id, submissions }) => [lead_id, Number(submissions)]));
}
