import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { ROOT } from './run-program.ts';

const FOLDER = join(ROOT, 'node_modules/.cache/leadtrail-tests');

/** Packages of many modules that every test process loads. What they share is in a file of its own. */
const PACKAGES = ['kysely', 'kysely/migration', 'zod', 'zod/v4/core'];

/** Threads, each started anew with every service, and what is started as a process. */
const PROGRAMS = [
  'packages/server/src/adapters/sqlite-store-worker.ts',
  'packages/server/src/adapters/sqlite-inbox-worker.ts',
  'packages/server/src/adapters/duckdb-answers-worker.ts',
  'packages/server/src/main.ts',
  'packages/testing/src/crashing-service.ts',
].map((file) => join(ROOT, file));

/** Which bundle stands for which import, for `use-bundles.ts`. Made anew for each run, so none is ever stale. */
export async function makeBundles(): Promise<Record<string, string>> {
  const packages = await bundle('packages', PACKAGES);
  const programs = await Promise.all(PROGRAMS.map((file, at) => bundle(`program-${at}`, [file])));
  return {
    ...Object.fromEntries(PACKAGES.map((name, at) => [name, packages[at] as string])),
    ...Object.fromEntries(programs.map(([url], at) => [fileUrl(PROGRAMS[at] as string), url as string])),
  };
}

/** The URLs of what the entries became. */
async function bundle(name: string, entries: readonly string[]): Promise<string[]> {
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((entry, at) => [`entry-${at}`, entry])),
    cwd: join(ROOT, 'packages/server'),
    platform: 'node',
    // Comes with a library of its own.
    external: [/^@duckdb\//],
    plugins: [{ name: 'places', transform: placesAsBefore }],
    logLevel: 'warn',
  });
  const folder = join(FOLDER, name);
  await bundled.write({ dir: folder, format: 'esm', cleanDir: true, minify: false });
  await bundled.close();
  return entries.map((_, at) => fileUrl(join(folder, `entry-${at}.js`)));
}

/** A module goes on knowing where it was written. */
function placesAsBefore(code: string, file: string): string {
  return code
    .replaceAll('import.meta.dirname', () => JSON.stringify(dirname(file)))
    .replaceAll('import.meta.url', () => JSON.stringify(fileUrl(file)));
}

function fileUrl(file: string): string {
  return pathToFileURL(file).href;
}
