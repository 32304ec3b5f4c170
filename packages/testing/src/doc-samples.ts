import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_DIR } from '../../server/src/lib/places.ts';

/** The code samples in one language of a page of the documentation. */
export async function samples(page: string, language: string): Promise<string[]> {
  const text = await readFile(join(PROJECT_DIR, page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, of]) => of === language)
    .map(([, , code]) => code ?? '');
}
