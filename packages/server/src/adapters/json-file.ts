import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';

/** A JSON value in a file of its own, readable by the service's user only. */
export type JsonFile<T> = { read(): Promise<T | undefined>; write(value: T): Promise<void> };

export function jsonFile<T>(file: string): JsonFile<T> {
  return {
    /** Undefined: the file does not exist, or is not JSON. */
    read: async () => {
      try {
        return JSON.parse(await readFile(file, 'utf8')) as T;
      } catch {
        return undefined;
      }
    },
    /** Atomic, even if the process is killed. */
    async write(value) {
      const partial = `${file}.${randomUUID()}`;
      try {
        await writeFile(partial, JSON.stringify(value), { mode: 0o600 });
        await rename(partial, file);
      } finally {
        await rm(partial, { force: true });
      }
    },
  };
}
