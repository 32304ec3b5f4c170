import { renameSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import {
  COPIED_TABLE_NAMES,
  COPIED_TABLES,
  type CopiedRow,
  type CopiedTable,
} from '../domain/questions/copied-tables.ts';
import type { Bookmark } from '../store/answers/changes.ts';
import type { Block } from './duckdb-blocks.ts';
import { newFile, removeCopy } from './duckdb-place.ts';
import { appendBlocks, appendRows, removeAllRows, removeRows } from './duckdb-rows.ts';
import { runHere, startThreadsHere } from './duckdb-run.ts';
import { findSpellings, followSpellings } from './duckdb-spellings.ts';

/** The columnar copy in a DuckDB file: its tables, and its position in the changes. */
export type DuckdbCopy = {
  /** Undefined: the copy was never finished, or made by another version. */
  bookmark(): Promise<Bookmark | undefined>;
  /** All changes or none. */
  inTransaction(work: () => Promise<void>): Promise<void>;
  /** Appends rows to a copy that is being made. */
  add(table: CopiedTable, blocks: readonly Block[]): Promise<void>;
  /** Marks the copy as complete. */
  finish(bookmark: Bookmark): Promise<void>;
  /** Deletes rows, inserts others, and moves the bookmark. */
  change(work: Changes): Promise<void>;
  /** A connection for questions; several may be open at a time. */
  connect(): Promise<DuckDBConnection>;
  /** Rewrites the file, so that nothing of deleted rows is left in it. Needs exclusive access. */
  rewrite(): Promise<void>;
  close(): void;
};

type AddedRows = {
  visits?: readonly CopiedRow<'visits'>[];
  submissions?: readonly CopiedRow<'submissions'>[];
  /** All costs, not only the changed ones. */
  costs?: readonly CopiedRow<'costs'>[];
};

export type Changes = AddedRows & {
  sessions?: readonly string[];
  leads?: readonly number[];
  bookmark?: Bookmark;
};

const THREADS = 2;
const MEMORY_LIMIT = '512MB';
const SPILL_LIMIT = '4GB';

export async function openCopy(file: string, spillFolder: string, version: string): Promise<DuckdbCopy> {
  let { instance, writer } = await openInstance(file, spillFolder);
  await createTables(writer);

  async function readState(): Promise<{ version: string; bookmark: string } | undefined> {
    const [row] = await runHere(writer, 'select version, bookmark from copied');
    return row as { version: string; bookmark: string } | undefined;
  }

  async function writeState(bookmark: Bookmark): Promise<void> {
    await runHere(writer, 'delete from copied');
    await runHere(writer, 'insert into copied values ($1, $2)', [version, JSON.stringify(bookmark)]);
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
    add: (table, blocks) => appendBlocks(writer, table, blocks),
    async finish(bookmark) {
      await findSpellings(writer);
      await writeState(bookmark);
    },
    async change({ sessions = [], leads = [], bookmark, ...added }) {
      const left = {
        visits: await removeRows(writer, 'visits', { column: 'session_key', type: 'UUID', ids: sessions }),
        submissions: await removeRows(writer, 'submissions', {
          column: 'lead_id',
          type: 'BIGINT',
          ids: leads.map(String),
        }),
        costs: added.costs === undefined ? [] : await removeAllRows(writer, 'costs'),
      };
      const came = { visits: [], submissions: [], costs: [], ...added };
      await appendRows(writer, 'visits', came.visits);
      await appendRows(writer, 'submissions', came.submissions);
      await appendRows(writer, 'costs', came.costs);
      await followSpellings(writer, left, came);
      if (bookmark !== undefined) await writeState(bookmark);
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

/** Puts the new file in the place of the old one, whose log is no longer of use. */
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
    // The default stays readable for versions that are years old, and takes a quarter longer to write.
    storage_compatibility_version: 'latest',
    // Extensions are never downloaded.
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
