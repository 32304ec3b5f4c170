import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../lib/errors.ts';
import { explainSqlite } from './sqlite-failures.ts';

/** Opening an inbox file: its lock, its tables and the epoch of this opening. */

/** An opening, and the first sequence that it could append. */
export type Opening = { epoch: string; first_sequence: number };

export type InboxFile = {
  database: DatabaseSync;
  inboxId: string;
  /** In order; the last one is the current opening. */
  openings: Opening[];
};

const SPOOLS_MAX = 64;
const SQLITE_BUSY = 5;
const WAL_PAGES_MAX = 2000;

/**
 * Several processes may share a data directory, each with its own spool: the first one not in use. The lock
 * ends with the process, so a killed process leaves its spool free.
 */
export function openFreeSpool(dir: string): InboxFile {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (let number = 1; number <= SPOOLS_MAX; number += 1) {
    const file = join(dir, `${number}.db`);
    try {
      return openSpool(file);
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw explainInbox(error, file);
    }
  }
  throw new OperatorError(`All ${SPOOLS_MAX} inbox files in ${dir} are in use.`);
}

/** The write-ahead log must go with the file: SQLite would replay it into the next file of this name. */
export function explainInbox(error: unknown, file: string): unknown {
  return explainSqlite(error, file, SET_ASIDE);
}

const SET_ASIDE =
  'to start without it, move it and its -wal file out of the folder; the records in it are then not applied';

export function openSpool(file: string): InboxFile {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    return prepare(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepare(database: DatabaseSync): InboxFile {
  database.exec('pragma locking_mode = exclusive');
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = full');
  database.exec(`pragma wal_autocheckpoint = ${WAL_PAGES_MAX}`);
  const columns =
    'sequence integer primary key autoincrement, records integer not null, bytes integer not null, lines text not null';
  database.exec('begin immediate');
  database.exec(`create table if not exists groups (${columns})`);
  database.exec('create table if not exists spool (spool_id text not null)');
  database.exec(`insert into spool select '${randomUUID()}' where not exists (select 1 from spool)`);
  database.exec(
    'create table if not exists openings (number integer primary key, epoch text not null, first_sequence integer not null)',
  );
  database.exec('create table if not exists probe (number integer primary key, bytes blob not null)');
  addTimeColumn(database);
  const { spool_id: inboxId } = database.prepare('select spool_id from spool').get() as { spool_id: string };
  noteOpening(database, inboxId);
  database.exec('commit');
  const openings = database
    .prepare('select epoch, first_sequence from openings order by number')
    .all() as Opening[];
  return { database, inboxId, openings };
}

/** Files of earlier versions lack the time at which a group was appended. */
function addTimeColumn(database: DatabaseSync): void {
  const isThere = database.prepare("select 1 from pragma_table_info('groups') where name = 'at'").get();
  if (isThere === undefined) database.exec('alter table groups add column at integer not null default 0');
}

function noteOpening(database: DatabaseSync, inboxId: string): void {
  const { last } = database
    .prepare("select coalesce((select seq from sqlite_sequence where name = 'groups'), 0) as last")
    .get() as { last: number };
  const add = database.prepare('insert into openings (epoch, first_sequence) values (?, ?)');
  // The store knows records of versions before epochs under the name of the inbox.
  const isFirst = database.prepare('select 1 from openings').get() === undefined;
  if (isFirst && last > 0) add.run(inboxId, 0);
  add.run(randomUUID(), last + 1);
}
