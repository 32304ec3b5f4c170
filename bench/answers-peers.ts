import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DuckDBInstance } from '@duckdb/node-api';
import { Client } from 'pg';
import { startPostgres } from '../packages/testing/src/postgres-server.ts';
import { peerTable, postgresSeries, sqliteSeries } from './answers-data.ts';
import { ASKED } from './answers-questions.ts';

/** The same questions in plain SQL, the best of three runs each. */

export type PeerTimes = Readonly<Record<string, number>>;

const TRIES = 3;

export function timesOnSqlite(dir: string, visits: number): PeerTimes {
  const database = new DatabaseSync(join(dir, 'peer.db'));
  database.exec('pragma synchronous = off; pragma journal_mode = off');
  for (const statement of peerTable(visits, `${sqliteSeries(visits)} as n`)) database.exec(statement);
  database.exec('analyze');
  const times = ASKED.map(({ what, sql }) => {
    const taken = Array.from({ length: TRIES }, () => {
      const startedAt = performance.now();
      database.prepare(sql).all();
      return performance.now() - startedAt;
    });
    return [what, Math.min(...taken)];
  });
  database.close();
  return Object.fromEntries(times);
}

/** With as much memory as DuckDB gets, and as many processes as it has threads. */
const SETTINGS = ['shared_buffers=512MB', 'work_mem=128MB', 'max_parallel_workers_per_gather=1'];

export async function timesOnPostgres(visits: number): Promise<PeerTimes> {
  const server = await startPostgres(SETTINGS);
  const client = new Client({ connectionString: server.url });
  try {
    await client.connect();
    for (const statement of peerTable(visits, postgresSeries(visits))) await client.query(statement);
    await client.query('vacuum analyze visits');
    const times: [string, number][] = [];
    for (const { what, sql } of ASKED) {
      const taken: number[] = [];
      for (let n = 0; n < TRIES; n += 1) {
        const startedAt = performance.now();
        await client.query(sql);
        taken.push(performance.now() - startedAt);
      }
      times.push([what, Math.min(...taken)]);
    }
    return Object.fromEntries(times);
  } finally {
    await client.end();
    await server.stop();
  }
}

/** Seconds for a plain `INSERT … SELECT` of the rows of a finished copy into another DuckDB file. */
export async function plainInsertSeconds(copyFile: string, dir: string): Promise<number> {
  const instance = await DuckDBInstance.create(join(dir, 'plain.duckdb'), {
    threads: '2',
    memory_limit: '512MB',
    temp_directory: join(dir, 'plain.spill'),
  });
  const connection = await instance.connect();
  await connection.run(`attach '${copyFile}' as copy (read_only)`);
  const tables = ['visits', 'submissions'];
  for (const table of tables)
    await connection.run(`create table ${table} as select * from copy.${table} limit 0`);
  const startedAt = performance.now();
  for (const table of tables) await connection.run(`insert into ${table} select * from copy.${table}`);
  await connection.run('checkpoint');
  const seconds = (performance.now() - startedAt) / 1000;
  connection.closeSync();
  instance.closeSync();
  return seconds;
}
