import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openapiDocument } from '@leadtrail/contract/openapi';
import { ROOT } from './run-program.ts';

const FILE = join(ROOT, 'node_modules/.cache/leadtrail-tests/openapi.json');

/** Made anew for each run, for `checked-answers.ts`: to make it takes a test process longer than most tests. */
export async function writeOpenapi(): Promise<string> {
  await mkdir(dirname(FILE), { recursive: true });
  await writeFile(FILE, JSON.stringify(openapiDocument('http://localhost')));
  return FILE;
}
