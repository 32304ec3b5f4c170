import type { Kysely } from 'kysely';

/** What programs need to send a lead again, and the ids that the sender of a submission set aside was told. */
export async function programTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('idempotency_keys')
    .addColumn('integration_id', 'bigint', (c) => c.notNull())
    .addColumn('key_hash', 'text', (c) => c.notNull())
    .addColumn('body_hash', 'text', (c) => c.notNull())
    .addColumn('answered_at', 'bigint', (c) => c.notNull())
    .addColumn('lead_public_id', 'text', (c) => c.notNull())
    .addColumn('lead_submission_public_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_key', ['integration_id', 'key_hash'])
    .execute();
  for (const column of ['answered_at', 'lead_submission_public_id']) {
    await db.schema
      .createIndex(`idempotency_keys_by_${column}`)
      .on('idempotency_keys')
      .column(column)
      .execute();
  }
  for (const column of ['lead_public_id', 'lead_submission_public_id']) {
    await db.schema.alterTable('set_aside_leads').addColumn(column, 'text').execute();
  }
  // The highest risk at which leads were forwarded then, where that kept a submission from being forwarded.
  await db.schema.alterTable('submissions').addColumn('held_above_risk', 'integer').execute();
}
