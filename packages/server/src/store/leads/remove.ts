import { sql } from 'kysely';
import { DAY_MS, utcDay } from '../../lib/utc-time.ts';
import { noteForAnswers } from '../answers/changes.ts';
import type { Db } from '../dialect.ts';
import type { SubmissionTotalRow } from '../schema.ts';
import { takeOffTotals } from '../submission-totals.ts';
import { crmKey } from './callbacks.ts';
import { forgetAnswers } from './idempotency.ts';
import { forget } from './lead-index.ts';
import { firstHolders } from './links.ts';

/** Removes leads with everything that belongs to them. */

export type RemovedLeads = { leads: number; submissions: number; flowSends: number; crmEvents: number };

const NOTHING: RemovedLeads = { leads: 0, submissions: 0, flowSends: 0, crmEvents: 0 };

/** The caller must hold locks that keep submissions from being added to these leads. */
export async function removeLeads(
  db: Db,
  leadIds: readonly number[],
  // Retention forgets who it was, not how many there were.
  { keepTotals = false }: { keepTotals?: boolean } = {},
): Promise<RemovedLeads> {
  if (leadIds.length === 0) return NOTHING;
  const crmEvents = await removeCrmEvents(db, leadIds);
  const flowSends = await removeSends(db, leadIds);
  await forgetHoneypotPages(db, leadIds);
  if (!keepTotals) await uncount(db, leadIds);
  await forgetAnswersOf(db, leadIds);
  const submissions = await removeRows(db, 'submissions', leadIds);
  await noteRelatives(db, leadIds);
  await removeRows(db, 'lead_identities', leadIds);
  await removeRows(db, 'lead_figure_changes', leadIds);
  await removeMerged(db, leadIds);
  await removeFromLists(db, leadIds);
  await noteForAnswers(db, 'leads', leadIds);
  return { leads: await removeRows(db, 'leads', leadIds), submissions, flowSends, crmEvents };
}

type TableOfLeads =
  | 'leads'
  | 'lead_identities'
  | 'lead_shared_identities'
  | 'lead_figure_changes'
  | 'lead_stage_moves'
  | 'lead_notes'
  | 'conversion_exports'
  | 'lead_changes'
  | 'lead_renewals'
  | 'submissions'
  | 'flow_sends'
  | 'crm_activity';

async function removeRows({ query, dialect }: Db, table: TableOfLeads, leadIds: readonly number[]) {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where lead_id in ${dialect.anyOf(leadIds)}
  `.execute(query);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Queues the person's leads in other projects, which count these submissions, as linked once these are gone.
 */
async function noteRelatives({ dialect }: Db, leadIds: readonly number[]): Promise<void> {
  const isLeft = `lead_id not in (select cast(listed.value as bigint) from ${dialect.listed})`;
  const left = firstHolders('lead_id as value', `kind = gone.kind and value = gone.value and ${isLeft}`);
  const ids = JSON.stringify(leadIds);
  await dialect.run(
    `insert into lead_figure_changes (lead_id)
    select distinct found.value from (
      select distinct kind, value from (${dialect.lookUp('lead_identities', 'lead_id')}) held where kind <> 'ip'
    ) gone cross join ${dialect.lateral(left)}
    where true order by found.value on conflict do nothing`,
    [ids, ids],
  );
}

/** Includes what belonged to the leads merged into them. */
async function removeMerged(db: Db, leadIds: readonly number[]): Promise<void> {
  const { query, dialect } = db;
  const merged = await query
    .deleteFrom('lead_merges')
    .where('into_lead_id', 'in', dialect.anyOf(leadIds))
    .returning('merged_lead_id')
    .execute();
  const all = [...leadIds, ...merged.map(({ merged_lead_id }) => merged_lead_id)];
  await removeRows(db, 'lead_stage_moves', all);
  await removeRows(db, 'lead_notes', all);
  await removeRows(db, 'conversion_exports', all);
  await removeRows(db, 'lead_shared_identities', all);
}

async function forgetAnswersOf(db: Db, leadIds: readonly number[]): Promise<void> {
  const submitted = await db.query
    .selectFrom('submissions')
    .select('lead_submission_public_id as id')
    .where('lead_id', 'in', db.dialect.anyOf(leadIds))
    .execute();
  await forgetAnswers(
    db,
    submitted.map(({ id }) => id),
  );
}

/** Includes events parked under one of their CRM ids. */
async function removeCrmEvents(db: Db, leadIds: readonly number[]): Promise<number> {
  const { query, dialect } = db;
  const { rows } = await sql<{ id: string }>`
    select crm_lead_id as id from leads where crm_lead_id is not null and lead_id in ${dialect.anyOf(leadIds)}
    union select crm_lead_id from submissions where crm_lead_id is not null and lead_id in ${dialect.anyOf(leadIds)}
    union select crm_lead_id from crm_activity where lead_id in ${dialect.anyOf(leadIds)}
  `.execute(query);
  const crmIds = rows.map(({ id }) => id);
  if (crmIds.length === 0) return 0;
  // Waits for events that are being stored, so that none is left behind.
  await dialect.lockEach(crmIds.map(crmKey));
  const { numDeletedRows } = await query
    .deleteFrom('unmatched_crm_events')
    .where('crm_lead_id', 'in', dialect.anyOf(crmIds))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows) + (await removeRows(db, 'crm_activity', leadIds));
}

async function removeSends(db: Db, leadIds: readonly number[]): Promise<number> {
  const { query, dialect } = db;
  const sends = query
    .selectFrom('flow_sends')
    .select('flow_send_public_id')
    .where('lead_id', 'in', dialect.anyOf(leadIds));
  await query.deleteFrom('flow_send_attempts').where('flow_send_public_id', 'in', sends).execute();
  return removeRows(db, 'flow_sends', leadIds);
}

/** An address that the honeypot has blocked stays blocked, but without the page that the person was on. */
async function forgetHoneypotPages({ query, dialect }: Db, leadIds: readonly number[]): Promise<void> {
  await sql`
    update ip_rules set referer = '' where referer <> '' and exists (
      select 1 from submissions
      where lead_id in ${dialect.anyOf(leadIds)} and contact_ip = ip_rules.ip and referer = ip_rules.referer
    )
  `.execute(query);
}

type Sums = Omit<SubmissionTotalRow, 'day'> & { day_number: number };

async function uncount(db: Db, leadIds: readonly number[]): Promise<void> {
  const { rows } = await sql<Sums>`
    select submitted_at / ${sql.lit(DAY_MS)} as day_number, project_name, source, engagement_label,
      count(*) as submissions, sum(suspicion_score) as suspicion, sum(engagement_score) as engagement,
      coalesce(sum(time_to_submit_ms), 0) as time_to_submit_ms, count(time_to_submit_ms) as timed
    from submissions where lead_id in ${db.dialect.anyOf(leadIds)}
    group by submitted_at / ${sql.lit(DAY_MS)}, project_name, source, engagement_label
  `.execute(db.query);
  for (const { day_number, ...gone } of rows) {
    await takeOffTotals(db, { day: utcDay(day_number * DAY_MS), ...gone });
  }
}

async function removeFromLists(db: Db, leadIds: readonly number[]): Promise<void> {
  await db.dialect.lock('lead-index');
  await forget(db, leadIds);
  await removeRows(db, 'lead_changes', leadIds);
  await removeRows(db, 'lead_renewals', leadIds);
}
