import { sql } from 'kysely';
import type { Db } from '../dialect.ts';
import { noteChange } from '../leads/lead-index.ts';
import { renewSearchTextsOf } from '../leads/renew.ts';

/**
 * Leads of other people may have been submitted from an erased visitor's browser too: removes the ids of the
 * visitor and its sessions from them, in columns and JSON. Returns how many leads have changed.
 */
export async function takeVisitorsAway(
  db: Db,
  visitorIds: readonly string[],
  sessionIds: readonly string[],
): Promise<number> {
  const leadIds = visitorIds.length === 0 ? [] : await leadsWith(db, visitorIds);
  if (leadIds.length === 0) return 0;
  const gone = new Set([...visitorIds, ...sessionIds]);
  await clearColumns(db, leadIds, visitorIds);
  for (const { table, key, lead, columns } of TEXTS) {
    for (const column of columns) await clearTexts(db, { table, key, lead, column }, leadIds, gone);
  }
  for (const table of ['lead_identities', 'lead_shared_identities'] as const) {
    await db.query
      .deleteFrom(table)
      .where('kind', '=', 'visitor')
      .where('value', 'in', db.dialect.anyOf(visitorIds))
      .execute();
  }
  await renewSearchTextsOf(db, leadIds);
  for (const leadId of leadIds) await noteChange(db, leadId);
  await db.dialect.insertRows(
    'lead_figure_changes',
    leadIds.map((lead_id) => ({ lead_id })),
    'do nothing',
  );
  return leadIds.length;
}

async function leadsWith({ query, dialect }: Db, visitorIds: readonly string[]): Promise<number[]> {
  const visitors = dialect.anyOf(visitorIds);
  const { rows } = await sql<{ lead_id: number }>`
    select lead_id from submissions where visitor_id in ${visitors}
    union select lead_id from lead_identities where kind = 'visitor' and value in ${visitors}
    order by lead_id
  `.execute(query);
  return rows.map(({ lead_id }) => lead_id);
}

async function clearColumns(
  { query, dialect }: Db,
  leadIds: readonly number[],
  visitorIds: readonly string[],
): Promise<void> {
  const theirs = sql`lead_id in ${dialect.anyOf(leadIds)} and visitor_id in ${dialect.anyOf(visitorIds)}`;
  await sql`update leads set visitor_id = '', session_id = '' where ${theirs}`.execute(query);
  // Null: the search text is rebuilt in the background.
  await sql`
    update submissions set visitor_id = '', session_id = '', search_text = null where ${theirs}
  `.execute(query);
}

/** JSON that may contain ids of visitors and sessions. */
const TEXTS = [
  { table: 'submissions', key: 'submission_id', lead: 'lead_id', columns: ['payload_json'] },
  { table: 'flow_sends', key: 'flow_send_public_id', lead: 'lead_id', columns: ['body', 'callback'] },
  { table: 'lead_merges', key: 'merged_lead_id', lead: 'into_lead_id', columns: ['undo'] },
  { table: 'crm_activity', key: 'id', lead: 'lead_id', columns: ['payload'] },
] as const;

async function clearTexts(
  { query, dialect }: Db,
  { table, key, lead, column }: { table: string; key: string; lead: string; column: string },
  leadIds: readonly number[],
  gone: ReadonlySet<string>,
): Promise<void> {
  const { rows } = await sql<{ id: number | string; json: string | null }>`
    select ${sql.ref(key)} as id, ${sql.ref(column)} as json from ${sql.table(table)}
    where ${sql.ref(lead)} in ${dialect.anyOf(leadIds)}
  `.execute(query);
  for (const { id, json } of rows) {
    const cleared = json === null ? null : withoutValues(json, gone);
    if (cleared === json) continue;
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${cleared} where ${sql.ref(key)} = ${id}
    `.execute(query);
  }
}

function withoutValues(json: string, gone: ReadonlySet<string>): string {
  let isChanged = false;
  const value: unknown = JSON.parse(json, (_, each) => {
    if (typeof each !== 'string' || !gone.has(each)) return each;
    isChanged = true;
    return '';
  });
  return isChanged ? JSON.stringify(value) : json;
}
