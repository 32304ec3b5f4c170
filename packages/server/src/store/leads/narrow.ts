import { type RawBuilder, sql } from 'kysely';
import type { LeadNarrowing } from '../../domain/leads/lead-listing.ts';
import type { Db } from '../dialect.ts';

/** What narrows a list besides its buckets. Most columns are called the same in the index and in the leads. */

type Column =
  | 'site_key'
  | 'project_key'
  | 'source_key'
  | 'campaign_key'
  | 'channel_key'
  | 'delivery'
  | 'engagement_score'
  | 'created_at'
  | 'updated_at';
type Condition =
  | { column: Column; operator: '=' | '>=' | '<'; value: string | number }
  | { column: Column; operator: 'in'; value: readonly string[] };

const CONDITIONS = [
  ['campaignKey', 'campaign_key', '='],
  ['sourceKey', 'source_key', '='],
  ['projectKey', 'project_key', '='],
  ['channelKey', 'channel_key', '='],
  ['delivery', 'delivery', '='],
  ['scoreFrom', 'engagement_score', '>='],
  ['scoreBelow', 'engagement_score', '<'],
  ['siteKeys', 'site_key', 'in'],
  ['from', 'created_at', '>='],
  ['until', 'created_at', '<'],
  ['updatedSince', 'updated_at', '>='],
] as const satisfies readonly (readonly [keyof LeadNarrowing, Column, Condition['operator']])[];

function conditionsOf(narrowing: LeadNarrowing): Condition[] {
  return CONDITIONS.flatMap(([name, column, operator]) => {
    const value = narrowing[name];
    return value === undefined ? [] : [{ column, operator, value } as Condition];
  });
}

export function isNarrowed(narrowing: LeadNarrowing): boolean {
  return conditionsOf(narrowing).length > 0;
}

/** Only the index of `driver` may be used, where there is one; without it that of the order or of the search. */
export function narrows({ dialect }: Db, narrowing: LeadNarrowing, driver?: Column): RawBuilder<unknown>[] {
  return conditionsOf(narrowing).map((condition) => {
    const { column } = condition;
    return holds(column === driver ? sql.ref(column) : dialect.aside(column), condition);
  });
}

/** Found out when a lead is indexed: how it came, and what has become of its deliveries. */
const OF_INDEX: ReadonlySet<Column> = new Set(['channel_key', 'delivery']);

/** Whether only the index can tell. */
export function asksIndex(narrowing: LeadNarrowing): boolean {
  return conditionsOf(narrowing).some(({ column }) => OF_INDEX.has(column));
}

/** The same for rows of `leads`. */
export function narrowsLeads({ dialect }: Db, narrowing: LeadNarrowing): RawBuilder<unknown>[] {
  return conditionsOf(narrowing).map((condition) =>
    OF_INDEX.has(condition.column)
      ? sql`exists (select 1 from lead_index e where e.lead_id = leads.lead_id
          and ${holds(sql.ref(`e.${condition.column}`), condition)})`
      : holds(dialect.aside(condition.column), condition),
  );
}

function holds(compared: RawBuilder<unknown>, { operator, value }: Condition): RawBuilder<unknown> {
  return operator === 'in'
    ? sql`${compared} in (${sql.join(value)})`
    : sql`${compared} ${sql.raw(operator)} ${value}`;
}

/** The column that narrows the most, and how many entries it leaves; `isAlone`: there is no other. */
export type Driver = { column: Column; entries: number; isAlone: boolean };

/** Counting the entries of an index is much cheaper than reading the wrong ones. */
export async function driverOf(
  { query }: Db,
  narrowing: LeadNarrowing,
  enough: number,
): Promise<Driver | undefined> {
  const byColumn = Map.groupBy(conditionsOf(narrowing), ({ column }) => column);
  const isAlone = byColumn.size === 1;
  let best: Driver | undefined;
  for (const [column, conditions] of byColumn) {
    const all = conditions.map((condition) => holds(sql.ref(column), condition));
    const { rows } = await sql<{ entries: number }>`
      select count(*) as entries from (
        select 1 from lead_index where ${sql.join(all, sql` and `)} limit ${best?.entries ?? (isAlone ? enough : Number.MAX_SAFE_INTEGER)}
      ) as counted
    `.execute(query);
    const entries = rows[0]?.entries ?? 0;
    if (best === undefined || entries < best.entries) best = { column, entries, isAlone };
  }
  return best;
}
