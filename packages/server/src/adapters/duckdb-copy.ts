import { renameSync } from 'node:fs';
import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  UUID,
  uuidValue,
  VARCHAR,
} from '@duckdb/node-api';
import {
  COPIED_TABLE_NAMES,
  COPIED_TABLES,
  type CopiedRow,
  type CopiedTable,
} from '../domain/questions/copied-tables.ts';
import type { Bookmark } from '../store/answers/changes.ts';
import { newFile, removeCopy } from './duckdb-place.ts';
import { runHere, startThreadsHere } from './duckdb-run.ts';

/** The columnar copy in a DuckDB file: its tables, and how far it has come. */
export type DuckdbCopy = {
  /** Undefined: it was never finished, or made by another version. */
  bookmark(): Promise<Bookmark | undefined>;
  /** All changes or none. */
  inTransaction(work: () => Promise<void>): Promise<void>;
  /** Takes rows out, puts others in, and notes how far it has come. */
  change(work: Changes): Promise<void>;
  /** For questions; several may be asked at a time. */
  connect(): Promise<DuckDBConnection>;
  /** Rewrites the file, so that nothing is left in it of rows that are gone. Nobody may ask meanwhile. */
  rewrite(): Promise<void>;
  close(): void;
};

export type Changes = {
  sessions?: readonly string[];
  leads?: readonly number[];
  visits?: readonly CopiedRow<'visits'>[];
  submissions?: readonly CopiedRow<'submissions'>[];
  /** All there are. */
  costs?: readonly CopiedRow<'costs'>[];
  bookmark?: Bookmark;
};

const THREADS = 2;
const MEMORY_LIMIT = '512MB';
const SPILL_LIMIT = '4GB';
/** DuckDB's own. */
const CHUNK_ROWS = 2048;

export async function openCopy(file: string, spillFolder: string, version: string): Promise<DuckdbCopy> {
  let { instance, writer } = await openInstance(file, spillFolder);
  await createTables(writer);

  async function readState(): Promise<{ version: string; bookmark: string } | undefined> {
    const [row] = await runHere(writer, 'select version, bookmark from copied');
    return row as { version: string; bookmark: string } | undefined;
  }

  return {
    async bookmark() {
      const state = await readState();
      return state?.version === version ? JSON.parse(state.bookmark) : undefined;
    },
    async inTransaction(work) {
      await runHere(writer, 'begin');
      try {
        await work();
        await runHere(writer, 'commit');
      } catch (error) {
        await runHere(writer, 'rollback').catch(() => undefined);
        throw error;
      }
    },
    async change({ sessions = [], leads = [], visits = [], submissions = [], costs, bookmark }) {
      await removeRows(writer, 'visits', 'session_key', 'UUID', sessions);
      await removeRows(writer, 'submissions', 'lead_id', 'BIGINT', leads.map(String));
      await append(writer, 'visits', visits);
      await append(writer, 'submissions', submissions);
      if (costs !== undefined) {
        await runHere(writer, 'delete from costs');
        await append(writer, 'costs', costs);
      }
      if (bookmark === undefined) return;
      await runHere(writer, 'delete from copied');
      await runHere(writer, 'insert into copied values ($1, $2)', [version, JSON.stringify(bookmark)]);
    },
    connect: () => instance.connect(),
    async rewrite() {
      const target = newFile(file);
      removeCopy(target, spillFolder);
      await runHere(writer, `attach '${target.replaceAll("'", "''")}' as rewritten`);
      await runHere(writer, `copy from database ${await nameOf(writer)} to rewritten`);
      await runHere(writer, 'checkpoint rewritten');
      await runHere(writer, 'detach rewritten');
      writer.closeSync();
      instance.closeSync();
      removeOld(file, spillFolder, target);
      ({ instance, writer } = await openInstance(file, spillFolder));
    },
    close() {
      writer.closeSync();
      instance.closeSync();
    },
  };
}

/** The new file takes the place of the old one, whose log is of no use any more. */
function removeOld(file: string, spillFolder: string, target: string): void {
  const aside = `${target}.done`;
  renameSync(target, aside);
  removeCopy(file, spillFolder);
  renameSync(aside, file);
}

async function nameOf(connection: DuckDBConnection): Promise<string> {
  const [found] = await runHere(connection, 'select current_database() as name');
  return `"${String(found?.name).replaceAll('"', '""')}"`;
}

async function openInstance(
  file: string,
  spillFolder: string,
): Promise<{ instance: DuckDBInstance; writer: DuckDBConnection }> {
  const instance = await DuckDBInstance.create(file, {
    threads: '1',
    memory_limit: MEMORY_LIMIT,
    temp_directory: spillFolder,
    max_temp_directory_size: SPILL_LIMIT,
    preserve_insertion_order: 'false',
    // Nothing is ever loaded from elsewhere.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const writer = await instance.connect();
  await startThreadsHere(writer, THREADS);
  return { instance, writer };
}

async function createTables(connection: DuckDBConnection): Promise<void> {
  for (const table of COPIED_TABLE_NAMES) {
    const columns = Object.entries(COPIED_TABLES[table]).map(([name, type]) => `${name} ${type}`);
    await runHere(connection, `create table if not exists ${table} (${columns.join(', ')})`);
  }
  await runHere(connection, 'create table if not exists copied (version VARCHAR, bookmark VARCHAR)');
}

async function removeRows(
  connection: DuckDBConnection,
  table: CopiedTable,
  column: string,
  type: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const sql = `delete from ${table} where ${column} in (select unnest(from_json($1, '["VARCHAR"]'))::${type})`;
  await runHere(connection, sql, [JSON.stringify(ids)]);
}

const TYPES: Readonly<Record<string, DuckDBType>> = { VARCHAR, UUID, BIGINT, INTEGER, DOUBLE };

async function append<T extends CopiedTable>(
  connection: DuckDBConnection,
  table: T,
  rows: readonly CopiedRow<T>[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.entries(COPIED_TABLES[table]);
  const types = columns.map(([, type]) => TYPES[type] ?? VARCHAR);
  const appender = await connection.createAppender(table);
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    const chunk = DuckDBDataChunk.create(types);
    const part = rows.slice(start, start + CHUNK_ROWS) as readonly Record<string, string | number | null>[];
    chunk.setColumns(columns.map(([name, type]) => part.map((row) => duckdbValue(row[name] ?? null, type))));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

function duckdbValue(value: string | number | null, type: string): DuckDBValue {
  if (value === null) return null;
  if (type === 'BIGINT') return BigInt(value);
  if (type === 'UUID') return uuidValue(BigInt(`0x${String(value).replaceAll('-', '')}`));
  return value;
}
