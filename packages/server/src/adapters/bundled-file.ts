import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** A text file shipped with the service, read lazily and once. */
export function bundledFile(path: string): () => Promise<string> {
  return once(() => readFile(path, 'utf8'));
}

/** All files below a folder by their relative paths, with `/`. */
export function bundledFolder(folder: string): ReadonlyMap<string, () => Promise<Buffer>> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return new Map(names.map((name) => [name.split(sep).join('/'), once(() => readFile(join(folder, name)))]));
}

/** Memoises success; a failed read is retried by the next call. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read().catch((error: Error) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}
