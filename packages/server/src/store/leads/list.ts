import type { LeadItem } from '@leadtrail/contract/lead-records';
import type { LeadSort } from '@leadtrail/contract/leads';
import { givenParams, NOTHING, type OriginColumns, originColumns } from '../../domain/leads/attribution.ts';
import { type CustomFields, customFields } from '../../domain/leads/custom-fields.ts';
import type { LeadFilter } from '../../domain/leads/lead-listing.ts';
import { readSearch } from '../../domain/leads/lead-search.ts';
import { dateTime, isoTime } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { withIpBlocked } from '../ip-lists.ts';
import { read } from '../operation.ts';
import type { Page } from '../paging.ts';
import { inSnapshot } from '../snapshot.ts';
import { deliveryStatesOf } from './delivery-states.ts';
import { findLeads, nextLeads } from './find.ts';
import { PAYLOAD_BYTES, readPayloads } from './payloads.ts';
import { touchesOfLeads } from './touches.ts';

/** Leads as lists show them. */

/** An empty search finds all leads. */
export type LeadsAsked = LeadFilter & {
  q: string;
  sort: LeadSort | 'updated';
  /** See `Listing`. */
  before?: number | undefined;
  after?: number | undefined;
} & Page;

/** In one snapshot: between two of its reads the index may move a lead from one bucket to another. */
export const leads = read(
  { shows: ['leads', 'ip-lists', 'sends', 'setup'] },
  (db, { q, ...asked }: LeadsAsked): Promise<{ leads: LeadItem[]; total: number; position: number }> => {
    return inSnapshot(db, async (snapshot) => {
      const { leadIds, total } = await findLeads(snapshot, { ...asked, search: readSearch(q) });
      return {
        leads: await leadItems(snapshot, leadIds),
        total,
        position: await positionAfter(snapshot, asked, leadIds),
      };
    });
  },
);

/** The next cursor: after the last of a full page, otherwise after the latest change. */
async function positionAfter(
  { query }: Db,
  { sort, limit }: Omit<LeadsAsked, 'q'>,
  leadIds: readonly number[],
): Promise<number> {
  const last = leadIds.at(-1) ?? 0;
  if (sort !== 'updated') return last;
  const numbers =
    leadIds.length === limit
      ? query.selectFrom('lead_index').select('changed_no as no').where('lead_id', '=', last)
      : query.selectFrom('lead_index_numbers').select('last_no as no');
  return (await numbers.executeTakeFirst())?.no ?? 0;
}

export type LeadsBefore = LeadFilter & { q: string; before: number; limit: number } & ItemOptions;

/** The next leads of a walk through all that pass a filter, newest first. */
export const leadsBefore = read(
  { shows: ['leads', 'ip-lists', 'sends', 'setup'] },
  (db, { q, hasOrigin, ...asked }: LeadsBefore): Promise<ListedLead[]> => {
    return inSnapshot(db, async (snapshot) => {
      const listing = { ...asked, search: readSearch(q), sort: 'newest', offset: 0 } as const;
      return leadItems(snapshot, await nextLeads(snapshot, listing), { hasOrigin });
    });
  },
);

/** Leads by their numbers, in that order. */
export const leadsById = read(
  { shows: ['leads', 'ip-lists', 'sends', 'setup'] },
  (db, { leadIds, hasOrigin }: { leadIds: readonly number[] } & ItemOptions): Promise<ListedLead[]> =>
    inSnapshot(db, (snapshot) => leadItems(snapshot, leadIds, { hasOrigin })),
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
  'message',
  'campaign',
  'crm_lead_id',
  'site_key',
  'form_id',
  'updated_at',
  'referer',
  'is_bot_lead',
  'test_lead',
  'value_micros',
] as const;

const MICROS = 1_000_000;

type ItemOptions = {
  /** Adds the origin as separate columns, for tables. */
  hasOrigin?: boolean | undefined;
};
export type ListedLead = LeadItem & Partial<OriginColumns>;

/** In the order given. */
export async function leadItems(
  db: Db,
  leadIds: readonly number[],
  { hasOrigin = false }: ItemOptions = {},
): Promise<ListedLead[]> {
  if (leadIds.length === 0) return [];
  const rows = await db.query
    .selectFrom('leads')
    .select(SHOWN)
    .where('lead_id', 'in', db.dialect.anyOf(leadIds))
    .execute();
  const touched = await touchesOfLeads(db, rows);
  const byId = new Map((await withIpBlocked(db, rows)).map((row) => [row.lead_id, row]));
  const forms = await formsOf(db, leadIds);
  const deliveries = await deliveryStatesOf(db, rows);
  return leadIds.flatMap((leadId) => {
    const row = byId.get(leadId);
    if (row === undefined) return [];
    const { created_at, last_follow_up_at, updated_at, status, test_lead, value_micros, ...more } = row;
    const { campaign: _, referer: __, ...shown } = more;
    const { attribution = NOTHING, touches = [] } = touched.get(leadId) ?? {};
    const { params, medium, channel } = attribution;
    const form = forms.get(leadId) ?? { fields: {}, ctaName: '' };
    return [
      {
        ...shown,
        enquiry_datetime: dateTime(created_at),
        last_follow_up_at: last_follow_up_at === null ? null : dateTime(last_follow_up_at),
        status: status as LeadItem['status'],
        campaign: givenParams(params),
        fields: form.fields,
        enquiry_datetime_iso: isoTime(created_at),
        last_follow_up_at_iso: last_follow_up_at === null ? null : isoTime(last_follow_up_at),
        updated_at_iso: isoTime(updated_at),
        medium,
        channel,
        delivery_state: deliveries.get(leadId) ?? 'none',
        test_lead: test_lead === 'yes' ? 'yes' : 'no',
        value: value_micros === null ? null : value_micros / MICROS,
        ...(hasOrigin ? originColumns(attribution, touches, form.ctaName) : {}),
      },
    ];
  });
}

/** Of the submission that each lead shows. */
async function formsOf(
  db: Db,
  leadIds: readonly number[],
): Promise<Map<number, { fields: CustomFields; ctaName: string }>> {
  const shown = await db.query
    .selectFrom('submissions as s')
    .innerJoin('leads as l', 'l.lead_id', 's.lead_id')
    .select(['s.submission_id', 's.lead_id', 's.cta_name', PAYLOAD_BYTES.as('payload_bytes')])
    .where('s.lead_id', 'in', db.dialect.anyOf(leadIds))
    .where(({ or, and, eb }) =>
      or([
        eb('s.submission_id', '=', eb.ref('l.shown_submission_id')),
        and([eb('l.shown_submission_id', '=', 0), eb('s.is_primary_lead', '=', 1)]),
      ]),
    )
    .execute();
  return new Map(
    await readPayloads(
      db,
      shown,
      (payload, { lead_id, cta_name }) =>
        [lead_id, { fields: customFields(payload), ctaName: cta_name }] as const,
    ),
  );
}
