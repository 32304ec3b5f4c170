import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BackedUp, BackupRefused, backUp } from '../packages/server/src/adapters/backup.ts';
import { type Config, ConfigError, readConfig } from '../packages/server/src/config.ts';
import { PROJECT_DIR } from '../packages/server/src/lib/places.ts';

/** `npm run backup -- <folder>`: copies DATA_DIR while the service runs. */

process.umask(0o077);

const envFile = join(PROJECT_DIR, '.env');
if (existsSync(envFile)) process.loadEnvFile(envFile);

try {
  const config = readConfig(process.env);
  const [folder, ...rest] = process.argv.slice(2);
  if (folder === undefined || rest.length > 0) {
    throw new BackupRefused('Say where to: npm run backup -- <folder>');
  }
  if (!existsSync(config.dataDir)) throw new BackupRefused(`There is no ${config.dataDir} to back up.`);
  tell(await backUp(config.dataDir, resolve(folder)), resolve(folder), config);
} catch (error) {
  console.error(`Nothing was backed up: ${(error as Error).message}`);
  if (!(error instanceof ConfigError || error instanceof BackupRefused))
    console.error((error as Error).stack);
  process.exitCode = 1;
}

function tell({ records, objects }: BackedUp, folder: string, { database, objects: store }: Config): void {
  const figure = (value: number) => value.toLocaleString('en');
  console.log(`Backed up to ${folder}: ${figure(records)} records of inboxes, ${figure(objects)} objects.`);
  if (database.kind === 'postgres')
    console.log('The database is in PostgreSQL: dump it now, after the inboxes (pg_dump).');
  if (store.kind === 's3') console.log('The objects are in S3: copy the bucket as well.');
}
