import { join } from 'node:path';
import { type Moved, moveToPostgres } from '../packages/server/src/adapters/move-to-postgres.ts';
import { DATABASE_FILE } from '../packages/server/src/lib/data-dir.ts';
import { OperatorError } from '../packages/server/src/lib/errors.ts';
import { runCommand } from './run-command.ts';

/** `npm run move-to-postgres`: copies the SQLite database to the PostgreSQL database at DATABASE_URL. */

const PROGRESS_EVERY_MS = 5000;

await runCommand({ failed: 'Leadtrail cannot move: ' }, async ({ database, dataDir }) => {
  const startedAt = performance.now();
  if (database.kind !== 'postgres') {
    throw new OperatorError('DATABASE_URL is not set: it says which PostgreSQL to move to.');
  }
  console.log(`Moving ${join(dataDir, DATABASE_FILE)} to ${withoutUser(database.url)}.`);
  const moved = await moveToPostgres({ dataDir, url: database.url, onProgress: makeProgress() });
  tell(moved, dataDir, (performance.now() - startedAt) / 1000);
});

/** Host and database. */
function withoutUser(url: string): string {
  return url.replace(/\?.*$/, '').replace(/^[^/]+\/\/(.*@)?/, '');
}

/** Prints a line for every finished table, and progress for large ones. */
function makeProgress(): (what: string, done: number, total: number) => void {
  let toldAt = performance.now();
  return (what, done, total) => {
    const now = performance.now();
    if (done < total && now - toldAt < PROGRESS_EVERY_MS) return;
    toldAt = now;
    console.log(`  ${what}: ${done < total ? `${figure(done)} of ` : ''}${figure(total)}`);
  };
}

function tell({ tables, rows, mismatches }: Moved, dataDir: string, seconds: number): void {
  console.log(
    `\nAll ${figure(rows)} rows of ${tables} tables are in PostgreSQL (${seconds.toFixed(0)} s), counted in both.`,
  );
  if (mismatches === undefined) console.log('There is too much to count all totals anew.');
  else if (mismatches.length === 0) console.log('All totals equal a recount.');
  else {
    console.log(`${figure(mismatches.length)} totals do not equal a recount. They were moved as they are:`);
    for (const { total, kept, counted } of mismatches) console.log(`  ${total}: ${kept}, not ${counted}`);
  }
  console.log(
    [
      '',
      'What to do next:',
      '  1. Set DATABASE_URL where the service is started, and start it with the same DATA_DIR: what waits in the inbox is',
      '     processed then, and the keys and objects are there.',
      `  2. Look around, and delete ${join(dataDir, 'leadtrail.db*')}: everybody is still in it, and erasing a`,
      '     person does not reach it any more.',
    ].join('\n'),
  );
}

function figure(value: number): string {
  return value.toLocaleString('en');
}
