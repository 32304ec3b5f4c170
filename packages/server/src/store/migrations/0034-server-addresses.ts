import type { Kysely } from 'kysely';

/** Whether a submission has the address of the server that sent it, because that did not name the person's. */
export async function serverAddresses(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('submissions')
    .addColumn('is_server_ip', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
