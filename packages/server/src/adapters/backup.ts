import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { DATABASE_FILE, INBOX_DIR, LEAD_LOG_DIR, OBJECTS_DIR } from '../lib/data-dir.ts';
import { fileReason, OperatorError } from '../lib/errors.ts';
import { copyIfThere } from './copy-if-there.ts';
import { copyInboxes } from './inbox-folder.ts';

/**
 * `npm run backup`: copies DATA_DIR, while the service runs, so that a service can be started from the copy.
 */

export type BackedUp = { records: number; objects: number };

/** More pages than any database has: copied in one step, under one read transaction, hence a snapshot. */
const ALL_PAGES = 2 ** 31 - 1;

/** All or nothing. */
export async function backUp(dataDir: string, folder: string): Promise<BackedUp> {
  refuseWhatIsCopied(dataDir, folder);
  refuseUnlessEmpty(folder);
  // A random name, so that two concurrent backups never write into the same folder.
  const partial = `${folder}.${randomUUID()}.partial`;
  try {
    mkdirSync(partial, { recursive: true, mode: 0o700 });
    const done = await copyAll(dataDir, partial);
    // The rename comes last: only a complete backup has the requested name.
    renameSync(partial, folder);
    return done;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new OperatorError(
      `${(error as NodeJS.ErrnoException).path ?? folder} cannot be copied: ${reason}.`,
      { cause: error },
    );
  }
}

/**
 * Inboxes before the database: a record applied meanwhile is in both copies, and applied once. In the other
 * order it could be in neither. Objects last, because rows name objects that were written before them.
 */
async function copyAll(dataDir: string, partial: string): Promise<BackedUp> {
  let records = 0;
  for (const name of [INBOX_DIR, LEAD_LOG_DIR])
    records += copyInboxes(join(dataDir, name), join(partial, name));
  for (const name of globSync('*.json', { cwd: dataDir }))
    copyFileSync(join(dataDir, name), join(partial, name));
  if (existsSync(join(dataDir, DATABASE_FILE)))
    await copyDatabase(join(dataDir, DATABASE_FILE), join(partial, DATABASE_FILE));
  const objects = copyObjects(join(dataDir, OBJECTS_DIR), join(partial, OBJECTS_DIR));
  return { records, objects };
}

function refuseWhatIsCopied(dataDir: string, folder: string): void {
  const within = [INBOX_DIR, LEAD_LOG_DIR, OBJECTS_DIR].find((name) =>
    `${folder}${sep}`.startsWith(join(resolve(dataDir), name) + sep),
  );
  if (within !== undefined)
    throw new OperatorError(`${folder} is part of what is backed up: choose a folder outside of ${within}.`);
}

function refuseUnlessEmpty(folder: string): void {
  try {
    if (readdirSync(folder).length > 0)
      throw new OperatorError(`${folder} is not empty: a backup needs a folder of its own.`);
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

/** No row refers to objects that are deleted meanwhile, so they may be missing. */
function copyObjects(from: string, to: string): number {
  let count = 0;
  for (const entry of globSync('**/*', { cwd: from, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const target = join(to, file.slice(from.length));
    mkdirSync(dirname(target), { recursive: true });
    if (copyIfThere(file, target)) count += 1;
  }
  return count;
}
