import { resolve } from 'node:path';

/** Where things are: the service runs from its sources, or from `build/service`, which lies as deep. */

/** Where package.json, `.env` and the default data directory are. */
export const PROJECT_DIR = resolve(import.meta.dirname, '../../../..');

const isBuilt = !import.meta.url.endsWith('.ts');

/** What a thread runs: a file of `adapters/`. */
export function threadFile(name: string): URL {
  return new URL(isBuilt ? `./${name}.js` : `../adapters/${name}.ts`, import.meta.url);
}
