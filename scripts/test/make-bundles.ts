import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { THREADS } from '../build-service.ts';
import { ROOT } from './run-program.ts';

const FOLDER = join(ROOT, 'node_modules/.cache/leadtrail-tests');

/** Packages of many modules that every test process loads. What they share is in a file of its own. */
const PACKAGES = ['kysely', 'kysely/migration', 'zod', 'zod/v4/core'];

/** Started as a process, again and again. */
const CRASHING_SERVICE = join(ROOT, 'packages/testing/src/crashing-service.ts');

const ADAPTERS = join(ROOT, 'packages/server/src/adapters');
const BUILT_SERVICE = join(ROOT, 'packages/server/build/service');

/** Which bundle stands for which import, for `use-bundles.ts`. Made anew for each run, so none is ever stale. */
export async function makeBundles(): Promise<Record<string, string>> {
  const packages = await bundle('packages', PACKAGES);
  const [crashingService = ''] = await bundle('crashing-service', [CRASHING_SERVICE]);
  return {
    ...Object.fromEntries(PACKAGES.map((name, at) => [name, packages[at] as string])),
    ...Object.fromEntries(THREADS.map((name) => [fileUrl(join(ADAPTERS, `${name}.ts`)), builtThread(name)])),
    [fileUrl(CRASHING_SERVICE)]: crashingService,
  };
}

/** As it is when the service is started. */
function builtThread(name: string): string {
  return fileUrl(join(BUILT_SERVICE, `${name}.js`));
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
