import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { DialectKind } from './dialect.ts';
import { trackingTables } from './migrations/0001-tracking.ts';
import { leadTables } from './migrations/0002-leads.ts';

type Step = (db: Kysely<unknown>, dialect: DialectKind) => Promise<void>;

/** In order; a step that has been released is never changed. */
const STEPS: Readonly<Record<string, Step>> = {
  '0001-tracking': trackingTables,
  '0002-leads': leadTables,
};

/** Brings the tables to the present shape. Several processes may start at once: one of them does the work. */
export async function migrate<S>(db: Kysely<S>, dialect: DialectKind): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: {
      async getMigrations() {
        return Object.fromEntries(
          Object.entries(STEPS).map(([name, step]) => [
            name,
            { up: (connection) => step(connection, dialect) } satisfies Migration,
          ]),
        );
      },
    },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
