import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../dialect.ts';
import { holdIdentities } from '../leads/identities.ts';
import { linksOf, relativesOf } from '../leads/links.ts';
import { removeLeads } from '../leads/remove.ts';
import { isFree } from '../leases.ts';
import { background } from '../operation.ts';
import { noteHorizon } from './horizons.ts';
import type { Walk, Walked } from './walk.ts';

type LeadWalk = Walk & { stages: readonly string[]; now: number };

/**
 * Deletes leads in some stages without recent activity: no submission, no move to another stage, no note.
 * They are numbered in order of arrival, so the walk ends where they are too young.
 */
export const forgetOldLeads = background(
  { changes: ['leads', 'sends', 'tracking'] },
  async (db, { before, after, max, stages, now }: LeadWalk): Promise<Walked> => {
    const { query } = db;
    const leads = await query
      .selectFrom('leads')
      .select(['lead_id', 'created_at'])
      .where('lead_id', '>', after)
      .orderBy('lead_id')
      .limit(max)
      .execute();
    const last = leads.at(-1);
    if (last === undefined) return { removed: 0, next: null };
    const old = await oldOf(db, leads.map(idOf), stages, before).execute();
    const removed = await remove(db, old.map(idOf), { stages, before, now });
    const isPast = leads.every(({ created_at }) => created_at >= before);
    return { removed, next: isPast ? null : last.lead_id };
  },
);

const idOf = ({ lead_id }: { lead_id: number }) => lead_id;

/** Leads that are old enough and not waiting to be forwarded; `leads` is the name of the table they are in. */
export function isOldLead({ dialect }: Db, stages: readonly string[], before: number): RawBuilder<SqlBool> {
  // Stage moves and notes of a merged lead keep its id.
  const noneSince = (table: 'lead_stage_moves' | 'lead_notes', at: string) => sql`
    not exists (select 1 from ${sql.table(table)} x where x.lead_id = leads.lead_id and x.${sql.ref(at)} >= ${before})
    and not exists (select 1 from lead_merges g join ${sql.table(table)} x on x.lead_id = g.merged_lead_id
      where g.into_lead_id = leads.lead_id and x.${sql.ref(at)} >= ${before})`;
  return sql`leads.created_at < ${before} and coalesce(leads.last_follow_up_at, 0) < ${before}
    and leads.status in ${dialect.anyOf(stages)}
    and ${noneSince('lead_stage_moves', 'at')} and ${noneSince('lead_notes', 'written_at')}
    and not exists (select 1 from flow_sends f where f.lead_id = leads.lead_id and f.status = 'pending')`;
}

function oldOf(db: Db, leadIds: readonly number[], stages: readonly string[], before: number) {
  return db.query
    .selectFrom('leads')
    .select('lead_id')
    .where('lead_id', 'in', db.dialect.anyOf(leadIds))
    .where(isOldLead(db, stages, before))
    .orderBy('lead_id');
}

async function remove(
  db: Db,
  found: readonly number[],
  { stages, before, now }: { stages: readonly string[]; before: number; now: number },
): Promise<number> {
  if (found.length === 0) return 0;
  await holdIdentities(db, found);
  // A submission may have come in before the locks were held.
  const held = await oldOf(db, found, stages, before).modifyEnd(db.dialect.forUpdate).execute();
  const old = held.map(idOf);
  const { rows: busy } = await sql<{ lead_id: number }>`
    select distinct lead_id from flow_sends
    where lead_id in ${db.dialect.anyOf(old)} and (status = 'pending' or not ${isFree(now)})
  `.execute(db.query);
  const isBusy = new Set(busy.map(idOf));
  const going = old.filter((leadId) => !isBusy.has(leadId));
  if (going.length === 0) return 0;
  await noteHorizon(db, 'leads', before);
  await keepCounts(db, going);
  return (await removeLeads(db, going, { keepTotals: true })).leads;
}

/** Leads of the same person for other projects go on counting what was submitted to these. */
async function keepCounts(db: Db, leadIds: readonly number[]): Promise<void> {
  const { query, dialect } = db;
  const links = await linksOf(db, leadIds);
  const going = await query
    .selectFrom('leads')
    .select(['lead_id', 'follow_ups_count'])
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .execute();
  const forgotten = new Map<number, number>();
  for (const { lead_id, follow_ups_count } of going) {
    for (const other of relativesOf(links, lead_id)) {
      forgotten.set(other, (forgotten.get(other) ?? 0) + 1 + follow_ups_count);
    }
  }
  for (const [lead_id, submissions] of [...forgotten].sort(([one], [other]) => one - other)) {
    await query
      .updateTable('leads')
      .set(({ eb }) => ({ forgotten_submissions: eb('forgotten_submissions', '+', submissions) }))
      .where('lead_id', '=', lead_id)
      .execute();
  }
}
