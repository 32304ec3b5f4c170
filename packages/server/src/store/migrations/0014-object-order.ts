import { type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/** The catalogue in the order in which object stores list their keys; SQLite compares texts like that anyway. */
export async function objectOrder(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  if (dialect === 'sqlite') return;
  await sql`create index objects_by_bytes_of_key on objects (key collate "C")`.execute(db);
}
