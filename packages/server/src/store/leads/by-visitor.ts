import type { LeadStatus } from '@leadtrail/contract/lead-status';
import type { VisitorLead } from '@leadtrail/contract/visitor-lead';
import type { Db } from '../dialect.ts';

/** A visitor may be known by a lead of several projects: the latest counts. */
export async function leadsByVisitor(
  { query, dialect }: Db,
  visitorIds: readonly string[],
): Promise<Map<string, VisitorLead>> {
  if (visitorIds.length === 0) return new Map();
  const found = await query
    .selectFrom('lead_identities')
    .innerJoin('leads', 'leads.lead_id', 'lead_identities.lead_id')
    .select([
      'lead_identities.value as visitor_id',
      'leads.lead_id',
      'contact_name',
      'contact_email',
      'status',
    ])
    .where('kind', '=', 'visitor')
    .where('value', 'in', dialect.anyOf(visitorIds))
    .orderBy('leads.lead_id')
    .execute();
  return new Map(
    found.map(({ visitor_id, ...lead }) => [visitor_id, { ...lead, status: lead.status as LeadStatus }]),
  );
}
