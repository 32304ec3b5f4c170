import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assertObjectKey } from '../lib/object-key.ts';
import { HOUR_MS } from '../lib/utc-time.ts';
import type { ListedObject, ObjectStore } from '../ports/objects.ts';

/** Cannot collide with a key: keys begin with the kind of object. */
const UNFINISHED_DIR = '.unfinished';
/** No write takes this long, so the process that wrote it has died. */
const UNFINISHED_KEPT_MS = HOUR_MS;

const PAGE_OBJECTS_MAX = 1000;

/** Objects as files below one directory. */
export function openFileObjects(dir: string, pageObjectsMax = PAGE_OBJECTS_MAX): ObjectStore {
  const unfinishedDir = join(dir, UNFINISHED_DIR);
  /** Writes in progress in this process; the same object may be written twice concurrently. */
  const writing = new Set<string>();

  /**
   * A crash leaves an unfinished file behind. The next write or delete
   * of that object removes it, or, an hour later, of any other.
   */
  async function removeUnfinished(prefix: string): Promise<void> {
    for (const name of (await readdir(unfinishedDir).catch(ignoreMissing)) ?? []) {
      const path = join(unfinishedDir, name);
      if (writing.has(path)) continue;
      const age = Date.now() - ((await stat(path).catch(ignoreMissing))?.mtimeMs ?? 0);
      if (name.startsWith(prefix) || age > UNFINISHED_KEPT_MS) await rm(path, { force: true });
    }
  }

  return {
    async put(key, body) {
      const path = pathOf(dir, key);
      const prefix = prefixOf(key);
      const temporary = join(unfinishedDir, `${prefix}${randomUUID()}`);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await mkdir(unfinishedDir, { recursive: true, mode: 0o700 });
      writing.add(temporary);
      try {
        await writeDurably(temporary, body);
        // A name that exists is a whole object: a crash leaves an unfinished file, never half an object.
        await rename(temporary, path);
      } catch (error) {
        // On a full disk, a failed write must give back the space it took.
        await rm(temporary, { force: true });
        throw error;
      } finally {
        writing.delete(temporary);
      }
      await syncDirectory(dirname(path));
      await removeUnfinished(prefix);
    },
    async get(key) {
      return readFile(pathOf(dir, key)).catch(ignoreMissing);
    },
    async delete(key) {
      await rm(pathOf(dir, key), { force: true });
      await removeUnfinished(prefixOf(key));
    },
    list: (folder) => pages(filesBelow(dir, folder), pageObjectsMax),
    close() {},
  };
}

async function* pages(objects: AsyncIterable<ListedObject>, max: number): AsyncGenerator<ListedObject[]> {
  let page: ListedObject[] = [];
  for await (const object of objects) {
    if (page.push(object) < max) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Sorted by key: a folder sorts as its name with a slash. */
async function* filesBelow(dir: string, folder: string): AsyncGenerator<ListedObject> {
  const entries = await readdir(pathOf(dir, folder), { withFileTypes: true }).catch(ignoreMissing);
  const names = (entries ?? []).map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`).sort();
  for (const name of names) {
    if (name.endsWith('/')) {
      yield* filesBelow(dir, `${folder}/${name.slice(0, -1)}`);
      continue;
    }
    const key = `${folder}/${name}`;
    const found = await stat(pathOf(dir, key)).catch(ignoreMissing);
    if (found?.isFile()) yield { key, bytes: found.size, modifiedAt: Math.floor(found.mtimeMs) };
  }
}

/** Of the unfinished files of a key. */
function prefixOf(key: string): string {
  return `${encodeURIComponent(key)}.`;
}

function pathOf(dir: string, key: string): string {
  assertObjectKey(key);
  return join(dir, key);
}

async function writeDurably(path: string, body: Uint8Array): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(body);
    await file.sync();
  } finally {
    await file.close();
  }
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
