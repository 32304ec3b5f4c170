import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migratePostgres } from '../packages/server/src/adapters/postgres-store.ts';
import { openSqliteStore } from '../packages/server/src/adapters/sqlite-store.ts';
import { ConfigError, readConfig } from '../packages/server/src/config.ts';
import { PROJECT_DIR } from '../packages/server/src/lib/places.ts';

/** `npm run migrate`: brings the tables to the present shape, without starting the service. */

process.umask(0o077);

const envFile = join(PROJECT_DIR, '.env');
if (existsSync(envFile)) process.loadEnvFile(envFile);

try {
  const { database, dataDir } = readConfig(process.env);
  if (database.kind === 'sqlite') await (await openSqliteStore(join(dataDir, 'leadtrail.db'))).close();
  else {
    await migratePostgres(database, (step, progress) => {
      console.log(progress.state === 'started' ? `${step} …` : `${step} done (${progress.ms} ms)`);
    });
  }
  console.log('The tables have the present shape.');
} catch (error) {
  console.error(`Leadtrail cannot migrate: ${(error as Error).message}`);
  if (!(error instanceof ConfigError)) console.error((error as Error).stack);
  process.exitCode = 1;
}
