import { sql } from 'kysely';
import type { Db } from '../dialect.ts';

/** What goes with a lead when it is merged into another, or taken out again. */

export type Belongings = {
  submissions: number[];
  sends: string[];
  crmActivity: number[];
  identities: { kind: string; value: string }[];
  merges: number[];
};

export async function belongingsOf({ query }: Db, leadId: number): Promise<Belongings> {
  const submissions = await query
    .selectFrom('submissions')
    .select('submission_id as id')
    .where('lead_id', '=', leadId)
    .execute();
  const sends = await query
    .selectFrom('flow_sends')
    .select('flow_send_public_id as id')
    .where('lead_id', '=', leadId)
    .execute();
  const crmActivity = await query
    .selectFrom('crm_activity')
    .select('id')
    .where('lead_id', '=', leadId)
    .execute();
  const identities = await query
    .selectFrom('lead_identities')
    .select(['kind', 'value'])
    .where('lead_id', '=', leadId)
    .execute();
  const merges = await query
    .selectFrom('lead_merges')
    .select('merged_lead_id as id')
    .where('into_lead_id', '=', leadId)
    .execute();
  return {
    submissions: submissions.map(({ id }) => id),
    sends: sends.map(({ id }) => id),
    crmActivity: crmActivity.map(({ id }) => id),
    identities,
    merges: merges.map(({ id }) => id),
  };
}

/** Only what people have sent. */
export async function belongingsOfPeople({ query, dialect }: Db, leadId: number): Promise<Belongings> {
  const submissions = await query
    .selectFrom('submissions')
    .select('submission_id as id')
    .where('lead_id', '=', leadId)
    .where('is_bot_lead', '=', 0)
    .execute();
  const ids = submissions.map(({ id }) => id);
  const sends = await query
    .selectFrom('flow_sends')
    .select('flow_send_public_id as id')
    .where('lead_id', '=', leadId)
    .where('submission_id', 'in', dialect.anyOf(ids))
    .execute();
  const identities = await query
    .selectFrom('lead_identities')
    .select(['kind', 'value'])
    .where('lead_id', '=', leadId)
    .where('is_provisional', '=', 0)
    .execute();
  return { submissions: ids, sends: sends.map(({ id }) => id), crmActivity: [], identities, merges: [] };
}

export async function moveBelongings(
  { query, dialect }: Db,
  belongings: Belongings,
  from: number,
  to: number,
): Promise<void> {
  const move = (table: string, key: string, ids: readonly (number | string)[], lead = 'lead_id') =>
    ids.length === 0
      ? undefined
      : sql`
          update ${sql.table(table)} set ${sql.ref(lead)} = ${to}
          where ${sql.ref(lead)} = ${from} and ${sql.ref(key)} in ${dialect.anyOf(ids)}
        `.execute(query);
  await move('submissions', 'submission_id', belongings.submissions);
  await move('flow_sends', 'flow_send_public_id', belongings.sends);
  await move('crm_activity', 'id', belongings.crmActivity);
  await move('lead_merges', 'merged_lead_id', belongings.merges, 'into_lead_id');
  for (const { kind, value } of belongings.identities) {
    await query
      .updateTable('lead_identities')
      .set({ lead_id: to })
      .where('kind', '=', kind)
      .where('value', '=', value)
      .where('lead_id', '=', from)
      .execute();
  }
}
