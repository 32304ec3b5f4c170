import { randomUUID } from 'node:crypto';
import { closeSync, globSync, mkdirSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../lib/errors.ts';
import { copyIfThere } from './copy-if-there.ts';

/**
 * Inboxes as `npm run inbox` and `npm run backup` handle them: listed, adopted from another machine, copied.
 */

export type ListedInbox = { file: string } & (
  | { state: 'in use' }
  | { state: 'unreadable'; reason: string }
  | {
      state: 'free';
      inboxId: string;
      /** All openings that the inbox still lists. */
      epochs: string[];
      records: number;
      bytes: number;
      oldestAt: number | null;
    }
);

/** Prefix of inboxes from another machine, which are removed once they are empty. */
export const ADOPTED = 'adopted-';
const SQLITE_BUSY = 5;
const NO_LOG = '';
const LOG_HEADER_BYTES = 32;
const COPY_ATTEMPTS = 100;

export function listInboxes(dir: string): ListedInbox[] {
  return inboxFiles(dir).map((file) => ({ file, ...look(file) }));
}

/** Inboxes that no process has open and that hold no records. */
export function emptyInboxes(dir: string): { inboxId: string; epochs: string[] }[] {
  return listInboxes(dir).flatMap((inbox) => (inbox.state === 'free' && inbox.records === 0 ? [inbox] : []));
}

/**
 * Copies the inboxes of another machine into this folder, where a running
 * service finds them within a minute. The originals stay untouched: if they
 * are adopted twice, or their machine comes back, nothing is applied twice.
 */
export function adoptInboxes(from: string, dir: string): { files: number; records: number } {
  const files = inboxFiles(from);
  if (files.length === 0) throw new OperatorError(`There is no inbox in ${from}: no file is named *.db.`);
  if (resolve(from) === resolve(dir)) {
    throw new OperatorError(`${from} is the inbox of this machine: its service processes it anyway.`);
  }
  const listed = files.map((file) => ({ file, ...look(file) }));
  for (const inbox of listed) {
    if (inbox.state === 'in use')
      throw new OperatorError(`${inbox.file} is in use by a running service: stop it first.`);
    if (inbox.state === 'unreadable')
      throw new OperatorError(`${inbox.file} is not an inbox that can be read (${inbox.reason}).`);
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  let records = 0;
  for (const { file } of listed) records += copyInbox(file, join(dir, `${ADOPTED}${randomUUID()}`));
  return { files: files.length, records };
}

/** Services look for `*.db`, so only a complete copy gets that name. */
function copyInbox(file: string, target: string): number {
  const partial = `${target}.partial`;
  try {
    if (!copyWithLog(file, partial)) throw new OperatorError(`${file} is gone.`);
    const copied = look(partial);
    if (copied.state !== 'free') throw new Error(`${basename(file)} cannot be read once it is copied.`);
    renameSync(partial, `${target}.db`);
    return copied.records;
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(partial + end, { force: true });
  }
}

/**
 * Copies inboxes under their own names, including those in use. Returns the number of records in the copies.
 */
export function copyInboxes(from: string, to: string): number {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  let records = 0;
  for (const file of inboxFiles(from)) {
    const target = join(to, basename(file));
    // Adopted inboxes disappear once their records are in the database.
    if (!copyWithLog(file, target)) continue;
    const copied = look(target);
    if (copied.state !== 'free') throw new Error(`${file} cannot be read once it is copied.`);
    records += copied.records;
  }
  return records;
}

/**
 * Copies the write-ahead log as well, which may hold the last commits. The log is
 * restarted, with a new header, only after a checkpoint has written its pages into
 * the file. With the same header before and after, the log therefore has every page
 * that a checkpoint may have changed during the copy. False: the file is gone.
 */
function copyWithLog(file: string, target: string): boolean {
  for (let left = COPY_ATTEMPTS; left > 0; left -= 1) {
    for (const end of ['', '-wal']) rmSync(target + end, { force: true });
    const before = logHeader(file);
    if (!copyIfThere(file, target)) return false;
    const hasLog = before !== NO_LOG && copyIfThere(`${file}-wal`, `${target}-wal`);
    if (hasLog === (before !== NO_LOG) && logHeader(file) === before) return true;
  }
  throw new Error(`${file} cannot be copied: it changes too fast.`);
}

/** Contains salts, which change whenever the log is restarted. */
function logHeader(file: string): string {
  const log = openIfThere(`${file}-wal`);
  if (log === undefined) return NO_LOG;
  try {
    const header = Buffer.alloc(LOG_HEADER_BYTES);
    return header.subarray(0, readSync(log, header)).toString('hex');
  } finally {
    closeSync(log);
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function inboxFiles(dir: string): string[] {
  return globSync('*.db', { cwd: dir })
    .sort()
    .map((name) => join(dir, name));
}

type Look = ListedInbox extends infer L ? (L extends { file: string } ? Omit<L, 'file'> : never) : never;

/** Closing the database checkpoints its log into the file. */
function look(file: string): Look {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    const { spool_id } = database.prepare('select spool_id from spool').get() as { spool_id: string };
    const sums = database
      .prepare('select coalesce(sum(records), 0) as records, coalesce(sum(bytes), 0) as bytes from groups')
      .get() as { records: number; bytes: number };
    return {
      ...{ state: 'free', inboxId: spool_id, epochs: epochsOf(database) },
      ...{ ...sums, oldestAt: oldestAt(database) },
    };
  } catch (error) {
    const { errcode, message } = error as Error & { errcode?: number };
    return errcode === SQLITE_BUSY ? { state: 'in use' } : { state: 'unreadable', reason: message };
  } finally {
    database.close();
  }
}

/** Files of versions before openings have none. */
function epochsOf(database: DatabaseSync): string[] {
  const hasOpenings = database.prepare("select 1 from sqlite_schema where name = 'openings'").get();
  if (hasOpenings === undefined) return [];
  return database
    .prepare('select epoch from openings order by number')
    .all()
    .map(({ epoch }) => epoch as string);
}

/** Files of earlier versions lack the column. */
function oldestAt(database: DatabaseSync): number | null {
  const hasTimes = database.prepare("select 1 from pragma_table_info('groups') where name = 'at'").get();
  if (hasTimes === undefined) return null;
  const oldest = database.prepare('select at from groups where at > 0 order by sequence limit 1').get();
  return (oldest?.at as number | undefined) ?? null;
}
