import type { AdPlatform, ConversionGoal } from '@leadtrail/contract/conversions';
import { type RawBuilder, sql } from 'kysely';
import { adClick } from '../domain/conversions/ad-click.ts';
import type { Conversion } from '../domain/conversions/conversion-files.ts';
import { emailKey, readPhone } from '../domain/leads/contact.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from './dialect.ts';
import { type TouchedLead, touchesOfLeads } from './leads/touches.ts';
import { inspection, write } from './operation.ts';

/** Conversions for ad platforms, and which of them have been exported. */

const MICROS = 1_000_000;

export type ConversionFilter = {
  platform: AdPlatform;
  goal: ConversionGoal;
  since: number;
  /** Includes conversions exported before. */
  again: boolean;
};

export type ConversionPage = {
  conversions: (Conversion & { leadId: number })[];
  /** Where the next page begins; null: this was the last one. */
  next: number | null;
};

/** Conversions of the leads after a given number, in the order of lead numbers. */
export const conversionsAfter = inspection(
  async (
    db: Db,
    { after, max, ...filter }: ConversionFilter & { after: number; max: number },
  ): Promise<ConversionPage> => {
    const leads = await reachedLeads(db, filter, after, max);
    if (leads.length === 0) return { conversions: [], next: null };
    const touched = await touchesOfLeads(db, leads);
    const conversions = leads.flatMap((lead) => {
      const campaign = JSON.parse(lead.campaign);
      const touches = touched.get(lead.lead_id)?.touches ?? [];
      const click = adClick(filter.platform, { ...lead, campaign }, touches);
      return click === undefined ? [] : [{ leadId: lead.lead_id, ...click, ...conversionOf(lead) }];
    });
    return { conversions, next: leads.length < max ? null : (leads.at(-1)?.lead_id ?? null) };
  },
);

type ReachedLead = TouchedLead & {
  enquiry_at: number;
  lead_public_id: string;
  contact_email: string;
  contact_phone: string;
  contact_country_code: string;
  contact_country_name: string;
  value_micros: number | null;
  at: number;
};

async function reachedLeads(
  { query }: Db,
  { platform, goal, since, again }: ConversionFilter,
  after: number,
  max: number,
): Promise<ReachedLead[]> {
  // What belonged to a merged lead counts for the survivor, as in the figures.
  const isMoveOfLead = sql`m.lead_id in (
    select l.lead_id union all select g.merged_lead_id from lead_merges g where g.into_lead_id = l.lead_id)`;
  const isExported = sql`e.platform = ${platform} and e.goal = ${goal}`;
  // Two conditions rather than one with `or`, for which PostgreSQL compares all leads with all exports.
  const isNew = sql`not exists (select 1 from conversion_exports e where e.lead_id = l.lead_id and ${isExported})
    and not exists (select 1 from lead_merges g join conversion_exports e on e.lead_id = g.merged_lead_id
      where g.into_lead_id = l.lead_id and ${isExported})`;
  const { rows } = await sql<ReachedLead>`
    select * from (
      select l.lead_id, l.lead_public_id, l.created_at, ${ENQUIRY_AT} as enquiry_at, l.campaign, l.referer, l.contact_email, l.contact_phone,
        l.contact_country_code, l.contact_country_name, l.value_micros, ${reachedAt(goal, isMoveOfLead)} as at
      from leads l
      where l.lead_id > ${after} and l.is_bot_lead = 0 and l.test_lead = 'no' and l.status <> 'fake'
        ${again ? sql`` : sql`and ${isNew}`}
    ) reached
    where at >= ${since} order by lead_id limit ${max}
  `.execute(query);
  return rows;
}

/** A person who takes over the lead of a bot enquired later than the lead was created. */
const ENQUIRY_AT = sql`coalesce(
  (select s.submitted_at from submissions s where s.submission_id = l.shown_submission_id), l.created_at)`;

const STAGES = { qualified: ['qualified', 'proposal', 'won'], won: ['won'] } as const;

/** When the goal was reached; null: not yet. Without a move, as in older leads, the time of the enquiry. */
function reachedAt(goal: ConversionGoal, isMoveOfLead: RawBuilder<unknown>): RawBuilder<unknown> {
  if (goal === 'lead') return ENQUIRY_AT;
  const stages = sql.join(STAGES[goal].map((stage) => sql.lit(stage)));
  return sql`coalesce(
    (select min(m.at) from lead_stage_moves m where m.to_status in (${stages}) and ${isMoveOfLead}),
    case when l.status in (${stages}) then ${ENQUIRY_AT} end)`;
}

function conversionOf(lead: ReachedLead): Omit<Conversion, 'clickId' | 'clickedAt'> {
  const { key } = readPhone(lead.contact_phone, lead.contact_country_code, lead.contact_country_name || null);
  return {
    leadPublicId: lead.lead_public_id,
    at: lead.at,
    email: emailKey(lead.contact_email),
    phone: key?.startsWith('+') ? key : null,
    value: lead.value_micros === null ? null : lead.value_micros / MICROS,
  };
}

type Exported = Omit<ConversionFilter, 'since'> & { leadIds: readonly number[]; now: number };

/** Fails as a whole if another export has taken some of them in the meantime. */
export const noteExported = write(
  { changes: [] },
  async ({ query, dialect }: Db, { platform, goal, again, leadIds, now }: Exported): Promise<void> => {
    await dialect.lockEach([`conversions\n${platform}\n${goal}`]);
    const exported = await query
      .selectFrom('conversion_exports')
      .select('lead_id')
      .where('platform', '=', platform)
      .where('goal', '=', goal)
      .where('lead_id', 'in', dialect.anyOf(leadIds))
      .limit(1)
      .executeTakeFirst();
    if (exported !== undefined && !again) {
      throw new AppError(
        'conflict',
        'Another export has just taken some of these conversions. Export again to get the rest.',
      );
    }
    // Selected from `leads`: a lead erased in the meantime must leave no row.
    await sql`
      insert into conversion_exports (lead_id, platform, goal, exported_at)
      select lead_id, ${sql.lit(platform)}, ${sql.lit(goal)}, ${sql.lit(now)} from leads
      where lead_id in ${dialect.anyOf(leadIds)}
      on conflict (lead_id, platform, goal) do update set exported_at = excluded.exported_at
    `.execute(query);
  },
);
