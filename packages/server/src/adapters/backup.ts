import { copyFileSync, globSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { copyInboxes } from './inbox-folder.ts';

/** What `npm run backup` does: a copy of DATA_DIR from which a service can be started, while the service goes on. */

/** Why nothing was backed up; its message is one sentence for the operator. */
export class BackupRefused extends Error {}

export type BackedUp = { records: number; objects: number; hasDatabase: boolean };

const DATABASE = 'leadtrail.db';
const OBJECTS = 'objects';
const INBOXES = ['inbox', 'lead-log'] as const;
/** Readers see a database as it was when they began; this many at once is all of it. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * In this order: a record that reaches the database meanwhile is in both copies, and applied once; the other way round it
 * would be in neither. Objects last, because rows name objects that were written before.
 */
export async function backUp(dataDir: string, folder: string): Promise<BackedUp> {
  refuseUnlessEmpty(folder);
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  let records = 0;
  for (const name of INBOXES) records += copyInboxes(join(dataDir, name), join(partial, name));
  for (const name of globSync('*.json', { cwd: dataDir }))
    copyFileSync(join(dataDir, name), join(partial, name));
  const hasDatabase = globSync(DATABASE, { cwd: dataDir }).length > 0;
  if (hasDatabase) await copyDatabase(join(dataDir, DATABASE), join(partial, DATABASE));
  const objects = copyObjects(join(dataDir, OBJECTS), join(partial, OBJECTS));
  // Only a whole backup has the name that was asked for.
  renameSync(partial, folder);
  return { records, objects, hasDatabase };
}

function refuseUnlessEmpty(folder: string): void {
  try {
    if (readdirSync(folder).length > 0)
      throw new BackupRefused(`${folder} is not empty: a backup needs a folder of its own.`);
    rmdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

async function copyDatabase(file: string, target: string): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    await backup(database, target, { rate: ALL_PAGES });
  } finally {
    database.close();
  }
}

/** One that is deleted meanwhile is in no row any more. */
function copyObjects(from: string, to: string): number {
  let count = 0;
  for (const entry of globSync('**/*', { cwd: from, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const target = join(to, file.slice(from.length));
    mkdirSync(dirname(target), { recursive: true });
    try {
      copyFileSync(file, target);
      count += 1;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return count;
}
