import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import type { ObjectStore } from '../ports/objects.ts';

/** Objects as files below one directory. */
export function openFileObjects(dir: string): ObjectStore {
  return {
    async put(key, body) {
      const path = pathOf(dir, key);
      const temporary = `${path}.${randomUUID()}.tmp`;
      await mkdir(dirname(path), { recursive: true });
      const file = await open(temporary, 'w');
      try {
        await file.writeFile(body);
        await file.sync();
      } finally {
        await file.close();
      }
      // A name that exists is a whole object: a crash leaves a .tmp file, never half an object.
      await rename(temporary, path);
      await syncDirectory(dirname(path));
    },
    async get(key) {
      return readFile(pathOf(dir, key)).catch(ignoreMissing);
    },
    async delete(key) {
      await rm(pathOf(dir, key), { force: true });
    },
  };
}

function pathOf(dir: string, key: string): string {
  const path = normalize(join(dir, key));
  if (!path.startsWith(normalize(dir) + sep)) throw new Error('An object key must stay inside the store.');
  return path;
}

/** Makes the rename itself survive a power cut. */
async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
