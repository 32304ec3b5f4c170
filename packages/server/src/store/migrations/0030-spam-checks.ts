import type { Kysely } from 'kysely';

/** How a form tells people from programs, and what becomes of a submission that fails. */
export async function spamChecks(db: Kysely<unknown>): Promise<void> {
  for (const [column, usual] of [
    ['spam_check', 'none'],
    ['spam_check_failed', 'suspicion'],
    ['spam_check_site_key', ''],
    ['spam_check_secret', ''],
  ] as const) {
    await db.schema
      .alterTable('forms')
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(usual))
      .execute();
  }
}
