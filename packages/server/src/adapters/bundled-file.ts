import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** A file that comes with the service, read lazily and once. */
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

/** All files below a folder by their relative paths, with `/`. */
export function bundledFolder(folder: string): ReadonlyMap<string, () => Promise<string>> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return new Map(names.map((name) => [name.split(sep).join('/'), bundledFile(join(folder, name))]));
}
