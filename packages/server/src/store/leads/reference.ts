import type { ExpressionBuilder } from 'kysely';
import type { Db } from '../dialect.ts';
import type { Schema } from '../schema.ts';

/** A number or a public id. */
export type LeadReference = { id: string };

/** The lead that an id refers to; both ids of a merged lead refer to its survivor. */
export async function resolveLead({ query }: Db, id: string): Promise<number | null> {
  const lead = await query
    .selectFrom('leads')
    .select('lead_id')
    .where((e) => (isPublicId(id) ? e('lead_public_id', '=', id) : e('lead_id', '=', Number(id))))
    .executeTakeFirst();
  if (lead !== undefined) return lead.lead_id;
  const merge = await query
    .selectFrom('lead_merges')
    .select('into_lead_id')
    .where(wasMergedAs(id))
    .executeTakeFirst();
  return merge?.into_lead_id ?? null;
}

export function wasMergedAs(id: string) {
  return (e: ExpressionBuilder<Schema, 'lead_merges'>) =>
    isPublicId(id) ? e('merged_public_id', '=', id) : e('merged_lead_id', '=', Number(id));
}

function isPublicId(id: string): boolean {
  return id.includes('-');
}
