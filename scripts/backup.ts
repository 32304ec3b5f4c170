import { resolve } from 'node:path';
import { type BackedUp, backUp } from '../packages/server/src/adapters/backup.ts';
import type { Config } from '../packages/server/src/config.ts';
import { OperatorError } from '../packages/server/src/lib/errors.ts';
import { refuseMissing, runCommand } from './run-command.ts';

/** `npm run backup -- <folder>`: copies DATA_DIR while the service runs. */

await runCommand({ failed: 'Nothing was backed up: ' }, async (config) => {
  const [folder, ...rest] = process.argv.slice(2);
  if (folder === undefined || rest.length > 0)
    throw new OperatorError('Say where to: npm run backup -- <folder>');
  refuseMissing(config.dataDir);
  tell(await backUp(config.dataDir, resolve(folder)), resolve(folder), config);
});

function tell({ records, objects }: BackedUp, folder: string, { database, objects: store }: Config): void {
  const figure = (value: number) => value.toLocaleString('en');
  console.log(`Backed up to ${folder}: ${figure(records)} records of inboxes, ${figure(objects)} objects.`);
  if (database.kind === 'postgres')
    console.log('The database is in PostgreSQL: dump it now, after the inboxes (pg_dump).');
  if (store.kind === 's3') console.log('The objects are in S3: copy the bucket as well.');
}
