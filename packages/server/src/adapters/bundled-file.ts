import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** A file that comes with the service: read when it is asked for, and only once. */
export function bundledFile(path: string): () => Promise<string> {
  let reading: Promise<string> | undefined;
  return () => {
    reading ??= readFile(path, 'utf8').catch((error: Error) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

/** All files of a folder by their names below it, written with `/`. */
export function bundledFolder(folder: string): ReadonlyMap<string, () => Promise<string>> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return new Map(names.map((name) => [name.split(sep).join('/'), bundledFile(join(folder, name))]));
}
