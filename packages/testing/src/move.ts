import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { Client, types } from 'pg';
import { PROJECT_DIR } from '../../server/src/lib/places.ts';
import { NOTHING_ELSE_SET, withBundles } from './torture/service-process.ts';

/** `npm run move-to-postgres`, and a look at what it has moved. */

export type MoveRun = { code: number | null; output: string; errors: string };
export type RunningMove = { kill(): void; ended: Promise<MoveRun> };

export function startMove(dataDir: string, databaseUrl: string): RunningMove {
  const child = spawn(process.execPath, [join(PROJECT_DIR, 'scripts/move-to-postgres.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...withBundles(),
      ...NOTHING_ELSE_SET,
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
    },
  });
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code], output, errors]): MoveRun => ({ code, output, errors }),
  );
  return { kill: () => void child.kill('SIGKILL'), ended };
}

export const runMove = (dataDir: string, databaseUrl: string) => startMove(dataDir, databaseUrl).ended;

/** The rows of each table in an order that is the same everywhere. */
export type Content = Record<string, string[]>;

export function contentOfSqlite(file: string): Content {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database.prepare(SQLITE_TABLES).all() as { name: string }[];
    return contentOf(
      tables.map(({ name }) => [name, database.prepare(`select * from ${name}`).all() as object[]]),
    );
  } finally {
    database.close();
  }
}

export function contentOfPostgres(url: string): Promise<Content> {
  return onPostgres(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(POSTGRES_TABLES);
    const found: [string, object[]][] = [];
    for (const { name } of tables) found.push([name, (await client.query(`select * from ${name}`)).rows]);
    return contentOf(found);
  });
}

export async function onPostgres<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, types: { getTypeParser } });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Numbers are numbers, whether or not a service in this process has asked for it. */
function getTypeParser(type: number, format?: 'text' | 'binary') {
  return type === types.builtins.INT8 ? Number : types.getTypeParser(type, format as 'text');
}

/** Without what is no row of ours: the notes of the migrations, and the parts of the search index. */
const SQLITE_TABLES = `select name from pragma_table_list
  where schema = 'main' and type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%' order by name`;
const POSTGRES_TABLES = `select tablename as name from pg_tables
  where schemaname = 'public' and tablename not like 'kysely_%' order by name`;

function contentOf(tables: readonly (readonly [name: string, rows: object[]])[]): Content {
  return Object.fromEntries(tables.map(([name, rows]) => [name, rows.map(rowText).sort()]));
}

function rowText(row: object): string {
  const values = Object.entries(row)
    .sort()
    .map(([column, value]) => [
      column,
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
    ]);
  return JSON.stringify(Object.fromEntries(values));
}

/** The rows that are in one of them only, few enough to be read. */
export function contentDifferences(one: Content, other: Content): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((table) => [
    ...missing(one[table], other[table]).map((row) => `no longer in ${table}: ${row}`),
    ...missing(other[table], one[table]).map((row) => `new in ${table}: ${row}`),
  ]);
}

function missing(rows: readonly string[] = [], from: readonly string[] = []): string[] {
  const there = new Set(from);
  return rows.filter((row) => !there.has(row)).slice(0, DIFFERENCES_SHOWN_MAX);
}

const DIFFERENCES_SHOWN_MAX = 3;
