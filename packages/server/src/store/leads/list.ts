import type { LeadItem, LeadSort } from '@leadtrail/contract/leads';
import { sql } from 'kysely';
import type { LeadFilter } from '../../domain/leads/lead-listing.ts';
import { readSearch } from '../../domain/leads/lead-search.ts';
import { dateTime } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { read } from '../operation.ts';
import type { Page } from '../paging.ts';
import { inSnapshot } from '../snapshot.ts';
import { findLeads, walkLeads } from './find.ts';

/** Leads as lists show them. */

/** An empty search finds all leads. */
export type LeadsAsked = LeadFilter & { q: string; sort: LeadSort } & Page;

/** In one snapshot: between two of its reads the index may move a lead from one bucket to another. */
export const leads = read(
  { shows: ['leads', 'ip-lists'] },
  (db, { q, ...asked }: LeadsAsked): Promise<{ leads: LeadItem[]; total: number }> => {
    return inSnapshot(db, async (snapshot) => {
      const { leadIds, total } = await findLeads(snapshot, { ...asked, search: readSearch(q) });
      return { leads: await leadItems(snapshot, leadIds), total };
    });
  },
);

export type LeadsBefore = LeadFilter & { q: string; before: number; limit: number };

/** The next leads of a walk through all that pass a filter, newest first. */
export const leadsBefore = read(
  { shows: ['leads', 'ip-lists'] },
  (db, { q, ...asked }: LeadsBefore): Promise<LeadItem[]> => {
    return inSnapshot(db, async (snapshot) => {
      const listing = { ...asked, search: readSearch(q), sort: 'newest', offset: 0 } as const;
      return leadItems(snapshot, await walkLeads(snapshot, listing));
    });
  },
);

const SHOWN = [
  'lead_id',
  'lead_public_id',
  'created_at',
  'contact_name',
  'contact_email',
  'contact_phone',
  'project_name',
  'project_location',
  'project_source',
  'contact_country_name',
  'contact_city',
  'visitor_id',
  'session_id',
  'engagement_score',
  'engagement_label',
  'form_submit_count',
  'suspicion_score',
  'follow_ups_count',
  'last_follow_up_at',
  'status',
  'seen_at',
  'needs_review',
  'contact_ip',
] as const;

/** In the order of their numbers as given. */
export async function leadItems({ query, dialect }: Db, leadIds: readonly number[]): Promise<LeadItem[]> {
  if (leadIds.length === 0) return [];
  const rows = await query
    .selectFrom('leads')
    .select(SHOWN)
    .select(isIpBlocked('contact_ip'))
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .execute();
  const byId = new Map(rows.map((row) => [row.lead_id, row]));
  return leadIds.flatMap((leadId) => {
    const row = byId.get(leadId);
    if (row === undefined) return [];
    const { created_at, last_follow_up_at, status, ...shown } = row;
    return [
      {
        ...shown,
        enquiry_datetime: dateTime(created_at),
        last_follow_up_at: last_follow_up_at === null ? null : dateTime(last_follow_up_at),
        status: status as LeadItem['status'],
      },
    ];
  });
}

/** 1 where an address is on the block list. */
export function isIpBlocked(column: string) {
  return sql<number>`case when exists (
    select 1 from ip_rules where ip = ${sql.ref(column)} and list = 'blocked'
  ) then 1 else 0 end`.as('is_ip_blocked');
}
