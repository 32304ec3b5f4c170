import { type RawBuilder, sql } from 'kysely';
import type { LeadNarrowing } from '../../domain/leads/lead-listing.ts';
import type { Db } from '../dialect.ts';

/** Filters of a list besides its buckets. Most columns have the same name in the index and in `leads`. */

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

/** Only the driver's index may be used; without a driver, that of the order or of the search. */
export function narrows({ dialect }: Db, narrowing: LeadNarrowing, driver?: Column): RawBuilder<unknown>[] {
  return conditionsOf(narrowing).map((condition) => {
    const { column } = condition;
    return conditionSql(column === driver ? sql.ref(column) : dialect.withoutIndex(column), condition);
  });
}

/** Computed when a lead is indexed: its channel and delivery state. */
const OF_INDEX: ReadonlySet<Column> = new Set(['channel_key', 'delivery']);

/** Whether a filter needs columns that only the index has. */
export function asksIndex(narrowing: LeadNarrowing): boolean {
  return conditionsOf(narrowing).some(({ column }) => OF_INDEX.has(column));
}

/** The same for rows of `leads`. */
export function narrowsLeads({ dialect }: Db, narrowing: LeadNarrowing): RawBuilder<unknown>[] {
  return conditionsOf(narrowing).map((condition) =>
    OF_INDEX.has(condition.column)
      ? sql`exists (select 1 from lead_index e where e.lead_id = leads.lead_id
          and ${conditionSql(sql.ref(`e.${condition.column}`), condition)})`
      : conditionSql(dialect.withoutIndex(condition.column), condition),
  );
}

function conditionSql(compared: RawBuilder<unknown>, { operator, value }: Condition): RawBuilder<unknown> {
  return operator === 'in'
    ? sql`${compared} in (${sql.join(value)})`
    : sql`${compared} ${sql.raw(operator)} ${value}`;
}

/** The most selective column, and how many entries it leaves; `isAlone`: nothing else is filtered by. */
export type Driver = { column: Column; entries: number; isAlone: boolean };

/** Counting along an index is much cheaper than reading the wrong rows. */
export async function driverOf(
  { query }: Db,
  narrowing: LeadNarrowing,
  enough: number,
): Promise<Driver | undefined> {
  const byColumn = Map.groupBy(conditionsOf(narrowing), ({ column }) => column);
  const isAlone = byColumn.size === 1;
  let best: Driver | undefined;
  for (const [column, conditions] of byColumn) {
    const all = conditions.map((condition) => conditionSql(sql.ref(column), condition));
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
