import { globSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The files of columnar copies. Each process has its own, claimed by a lock that ends with the process. */

export type CopyPlace = { file: string; spillFolder: string; release(): void };

const PLACES_MAX = 64;
const FOLDER_MODE = 0o700;

export function claimPlace(folder: string): CopyPlace {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  for (let n = 1; n <= PLACES_MAX; n += 1) {
    const release = lock(lockFile(folder, String(n)));
    if (release === undefined) continue;
    return { file: copyFile(folder, String(n)), spillFolder: spillFolder(folder, String(n)), release };
  }
  throw new Error(`More than ${PLACES_MAX} processes have a copy in ${folder}.`);
}

/** Deletes copies of processes that are gone, and those whose process has not had a question yet. */
export function removeUnclaimed(folder: string): void {
  for (const path of globSync(join(folder, '*.lock'))) {
    const name = basename(path, '.lock');
    const release = lock(path);
    if (release === undefined) continue;
    removeCopy(copyFile(folder, name), spillFolder(folder, name));
    release();
  }
}

export function removeCopy(file: string, spillFolder: string): void {
  for (const path of [
    file,
    `${file}.wal`,
    `${file}.tmp`,
    newFile(file),
    `${newFile(file)}.wal`,
    spillFolder,
  ]) {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Where a copy is rewritten before the new file replaces the old one. */
export function newFile(file: string): string {
  return `${file}.new`;
}

function copyFile(folder: string, name: string): string {
  return join(folder, `${name}.duckdb`);
}

function spillFolder(folder: string, name: string): string {
  return join(folder, `${name}.spill`);
}

function lockFile(folder: string, name: string): string {
  return join(folder, `${name}.lock`);
}

/**
 * SQLite's lock excludes other processes as well as other connections of this one. Undefined: it is taken.
 */
function lock(path: string): (() => void) | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('begin exclusive');
    return () => database.close();
  } catch {
    database.close();
    return undefined;
  }
}
