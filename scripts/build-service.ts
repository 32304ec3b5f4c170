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
 * The service and its threads with all their packages, and what they share, in a few files: to find and load many
 * hundred takes longer than to run them.
 */
export async function buildService(outFolder: string, before: string): Promise<void> {
  const bundle = await rolldown({
    input: {
      main: 'src/main.ts',
      ...Object.fromEntries(THREADS.map((name) => [name, `src/adapters/${name}.ts`])),
    },
    cwd: SERVER,
    platform: 'node',
    // Comes with a library of its own.
    external: [/^@duckdb\//],
    onwarn(warning) {
      throw new Error(warning.message);
    },
  });
  await bundle.write({ dir: outFolder, format: 'esm', minify: false });
  await bundle.close();
  await keepPartsOf(before, outFolder);
}

/** A service that is still running loads some parts only when it needs them. Their names tell versions apart. */
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
