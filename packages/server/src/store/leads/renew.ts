import { sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { customFields } from '../../domain/leads/custom-fields.ts';
import { readLeadForm } from '../../domain/leads/form-fields.ts';
import { nameKey } from '../../domain/leads/lead-listing.ts';
import {
  STORED_FIELDS,
  searchText,
  storedSearchLines,
  withSearchText,
} from '../../domain/leads/lead-search.ts';
import { DAY_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { background } from '../operation.ts';
import { noteChangesOfLists } from './lead-index.ts';
import { PAYLOAD_BYTES, readPayloads } from './payloads.ts';

/**
 * Renews search texts and name keys that were made by earlier rules, newest leads first; returns how many.
 * Skips locked rows, which stay queued.
 */
export const renewSearchTexts = background(
  // Searches find what they could not find before.
  { changes: ['leads'] },
  async (db, { max }: { max: number }): Promise<number> => {
    const { query, dialect } = db;
    const outdated = query
      .selectFrom('lead_renewals')
      .select('lead_id')
      .orderBy('lead_id', 'desc')
      .limit(max);
    const leads = await query
      .selectFrom('leads')
      .select('lead_id')
      .where('lead_id', 'in', outdated)
      .modifyEnd(dialect.forUpdateSkipLocked)
      .execute();
    const leadIds = leads.map(({ lead_id }) => lead_id);
    await renewSearchTextsOf(db, leadIds);
    // Even if the text is the same: entries of the index may have new columns.
    await noteChangesOfLists(db, leadIds);
    await query.deleteFrom('lead_renewals').where('lead_id', 'in', dialect.anyOf(leadIds)).execute();
    return leads.length;
  },
);

/** How long a process of the version before may run beside this one, and how long its deliveries may take. */
const SIDE_BY_SIDE_MS = DAY_MS;
const SENDING_MS = 3 * DAY_MS;

/**
 * For a day after a migration, processes of an earlier version may still change leads by rules of their own:
 * indexes again what they may have touched.
 */
export const renewAfterMigration = background(
  { changes: [] },
  async ({ query, dialect }, { now }: { now: number }): Promise<void> => {
    // SQLite has one process.
    if (dialect.kind === 'sqlite') return;
    const [latest] = await dialect.run<{ at: string | null }>(SELECT_LATEST_MIGRATION, []);
    const migratedAt = Date.parse(latest?.at ?? '');
    if (!(now - migratedAt < SIDE_BY_SIDE_MS)) return;
    await sql`
      insert into lead_renewals (lead_id)
      select lead_id from lead_index where updated_at >= ${migratedAt - SENDING_MS} on conflict do nothing
    `.execute(query);
  },
);

const SELECT_LATEST_MIGRATION = `select max(timestamp) as at from ${DEFAULT_MIGRATION_TABLE}`;

export async function renewSearchTextsOf(db: Db, leadIds: readonly number[]): Promise<void> {
  const { query, dialect } = db;
  if (leadIds.length === 0) return;
  const leads = await query
    .selectFrom('leads')
    .select(['lead_id', 'search_text', 'name_key', ...STORED_FIELDS])
    .where('lead_id', 'in', dialect.anyOf(leadIds))
    .execute();
  const texts = await searchTextsOf(db, leads);
  const renewed = leads.flatMap((lead) => {
    const { lead_id } = lead;
    const search_text = texts.get(lead_id) ?? lead.search_text;
    const name_key = nameKey(lead.contact_name);
    const isRenewed = search_text !== lead.search_text || name_key !== lead.name_key;
    return isRenewed ? [{ lead_id, search_text, name_key }] : [];
  });
  await dialect.updateRows('leads', 'lead_id', renewed);
  await noteChangesOfLists(
    db,
    renewed.map(({ lead_id }) => lead_id),
  );
}

type StoredLead = Parameters<typeof storedSearchLines>[0] & { lead_id: number };

/**
 * A lead is found by what its submissions contain (a bot's only for a bot's lead), and by what it shows. In
 * the order of arrival, so that the result equals the text built incrementally.
 */
export async function searchTextsOf(db: Db, leads: readonly StoredLead[]): Promise<Map<number, string>> {
  const byId = new Map(leads.map((lead) => [lead.lead_id, lead]));
  const texts = new Map<number, string>();
  await readPayloads(db, await submissionsOf(db, [...byId.keys()]), (payload, submission) => {
    const lead = byId.get(submission.lead_id);
    if (lead === undefined) return;
    const contact_country_code = readLeadForm(payload).dialCode;
    const lines = storedSearchLines({ ...lead, ...submission, contact_country_code }, customFields(payload));
    const before = texts.get(lead.lead_id);
    texts.set(lead.lead_id, before === undefined ? searchText(lines) : withSearchText(before, lines));
  });
  return new Map(
    leads.map((lead) => {
      const shown = storedSearchLines(lead);
      return [lead.lead_id, withSearchText(texts.get(lead.lead_id) ?? searchText(shown), shown)];
    }),
  );
}

function submissionsOf({ query, dialect }: Db, leadIds: readonly number[]) {
  return query
    .selectFrom('submissions as s')
    .innerJoin('leads as l', 'l.lead_id', 's.lead_id')
    .select(['s.submission_id', 's.lead_id', PAYLOAD_BYTES.as('payload_bytes')])
    .select(['s.contact_name', 's.contact_email', 's.contact_phone', 's.visitor_id'])
    .where('s.lead_id', 'in', dialect.anyOf(leadIds))
    .whereRef('s.is_bot_lead', '<=', 'l.is_bot_lead')
    .orderBy('s.submission_id')
    .execute();
}
