import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { CONNECTIONS, ECHO_SECONDS, quick, SECONDS, WARM_UP } from './conditions.ts';
import { type LoadResult, load, type Posted } from './load.ts';
import { type Service, startEcho } from './processes.ts';

type Row = { what: string; value: string; target: string; met: boolean | undefined };
const rows: Row[] = [];
const details: Record<string, unknown> = {};

/** Without a target, the value is only printed. */
export function note(what: string, value: string, target = '', met?: boolean): void {
  rows.push({ what, value, target, met });
}

export function keep(what: string, detail: unknown): void {
  details[what] = detail;
}

/** The baseline: the same request answered by plain `node:http`. */
export async function measureEcho(posted: Posted, what: string): Promise<LoadResult> {
  const server = await startEcho();
  await load(server.url, posted, WARM_UP);
  const result = await load(server.url, posted, { seconds: ECHO_SECONDS, connections: CONNECTIONS });
  await server.stop();
  keep(what, result);
  note(what, loadText(result));
  return result;
}

export async function noteMemory(service: Service, what: string): Promise<void> {
  const mib = await service.residentMiB();
  keep(what, mib);
  note(what, `${Math.round(mib)} MiB`, '< 256 MiB', mib < 256);
}

/** How close the service comes to a program that only writes the rows. */
export function noteLimit(what: string, captured: LoadResult, limit: LoadResult): void {
  const ratio = captured.perSecond / limit.perSecond;
  keep(what, limit);
  note(what, `${loadText(limit)}; the service does ${ratio.toFixed(2)} of it`, '≥ 0.5', ratio >= 0.5);
}

export function loadText(result: LoadResult): string {
  return `${Math.round(result.perSecond)}/s, p50 ${result.p50Ms} ms, p99 ${result.p99Ms} ms`;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

/** Prints the results and writes them to a dated file; a run of single sections gets its own file. */
export async function report(sections: readonly string[]): Promise<void> {
  const conditions = {
    date: new Date().toISOString(),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    connections: CONNECTIONS,
    seconds: SECONDS,
    store: 'SQLite with synchronous=FULL, or where named PostgreSQL with durable commits',
    loadGenerator: 'wrk on the same machine',
    quick,
  };
  const texts = Object.entries(conditions).map(([name, value]) => `${name} ${value}`);
  console.log(`\n${texts.join(' · ')}\n`);
  const width = Math.max(...rows.map((row) => row.what.length));
  for (const { what, value, target, met } of rows) {
    const mark = met === undefined ? ' ' : met ? '✔' : '✖';
    console.log(`${mark} ${what.padEnd(width)}  ${value}${target === '' ? '' : `  (${target})`}`);
  }
  if (quick) return;
  const name = [conditions.date.slice(0, 10), ...sections].join('-');
  const file = join(import.meta.dirname, 'results', `${name}.json`);
  await writeFile(file, `${JSON.stringify({ conditions, rows, details }, null, 2)}\n`);
  console.log(`\nWritten to ${file}`);
}
