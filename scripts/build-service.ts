import { copyFile, mkdir, readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const SERVER = join(import.meta.dirname, '../packages/server');
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

export const THREADS = [
  'sqlite-inbox-worker',
  'sqlite-store-worker',
  'duckdb-answers-worker',
  'duckdb-pages-worker',
];

/**
 * Bundles the service, its threads and their packages into a few files, including shared chunks: finding and
 * loading many hundred modules takes longer than running them.
 */
export async function buildService(outFolder: string, before: string): Promise<void> {
  const bundle = await rolldown({
    input: {
      main: 'src/main.ts',
      ...Object.fromEntries(THREADS.map((name) => [name, `src/adapters/${name}.ts`])),
    },
    cwd: SERVER,
    platform: 'node',
    // Comes with a native library.
    external: [/^@duckdb\//],
    onwarn(warning) {
      throw new Error(warning.message);
    },
  });
  await bundle.write({ dir: outFolder, format: 'esm', minify: false });
  await bundle.close();
  await keepPartsOf(before, outFolder);
}

/**
 * A running service imports some chunks lazily, so the previous ones are kept. Their names contain a hash.
 */
async function keepPartsOf(before: string, outFolder: string): Promise<void> {
  await mkdir(before, { recursive: true });
  const built = new Set(await readdir(outFolder));
  for (const name of await readdir(before)) {
    const file = join(before, name);
    const { atime, mtime } = await stat(file);
    if (built.has(name) || Date.now() - mtime.getTime() > KEPT_MS) continue;
    await copyFile(file, join(outFolder, name));
    await utimes(join(outFolder, name), atime, mtime);
  }
}
