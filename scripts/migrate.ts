import { join } from 'node:path';
import { migratePostgres } from '../packages/server/src/adapters/postgres-store.ts';
import { openSqliteStore } from '../packages/server/src/adapters/sqlite-store.ts';
import { DATABASE_FILE } from '../packages/server/src/lib/data-dir.ts';
import { refuseMissing, runCommand } from './run-command.ts';

/** `npm run migrate`: migrates the tables without starting the service. */

await runCommand({ failed: 'Leadtrail cannot migrate: ' }, async ({ database, dataDir }) => {
  if (database.kind === 'sqlite') {
    refuseMissing(dataDir);
    await (await openSqliteStore(join(dataDir, DATABASE_FILE))).close();
  } else {
    await migratePostgres(database, (step, progress) => {
      console.log(progress.state === 'started' ? `${step} …` : `${step} done (${progress.ms} ms)`);
    });
  }
  console.log('The tables have the present shape.');
});
