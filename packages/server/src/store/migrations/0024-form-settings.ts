import type { Kysely } from 'kysely';

/** What follows after sending a form, its texts, and what its fields mean; and why a submission was set aside. */
export async function formSettings(db: Kysely<unknown>): Promise<void> {
  for (const [column, usual] of [
    ['after_sending', 'thank_you_page'],
    ['redirect_url', ''],
    ['texts', '{}'],
    ['field_names', '{}'],
  ] as const) {
    await db.schema
      .alterTable('forms')
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(usual))
      .execute();
  }
  await db.schema
    .alterTable('set_aside_leads')
    .addColumn('reason', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
