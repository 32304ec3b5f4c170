import { sql } from 'kysely';
import type { Db } from './dialect.ts';

/** A part of an operation that can be rolled back by itself, with what the dialect has buffered for it. */
export type Savepoint = {
  undo(): Promise<void>;
  release(): Promise<void>;
};

export async function setSavepoint({ query, dialect }: Db): Promise<Savepoint> {
  await dialect.writeNotes();
  await sql`savepoint part`.execute(query);
  return {
    async undo() {
      dialect.dropNotes();
      await sql`rollback to savepoint part`.execute(query);
    },
    release: async () => void (await sql`release savepoint part`.execute(query)),
  };
}
