import { resolve } from 'node:path';

/** Paths that hold both for the sources and for `build/service`, which is nested as deep. */

/** Where package.json, `.env` and the default data directory are. */
export const PROJECT_DIR = resolve(import.meta.dirname, '../../../..');

const isBuilt = !import.meta.url.endsWith('.ts');

/** The entry file of a worker thread, in `adapters/`. */
export function threadFile(name: string): URL {
  return new URL(isBuilt ? `./${name}.js` : `../adapters/${name}.ts`, import.meta.url);
}
