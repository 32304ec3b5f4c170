import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileReason, OperatorError } from '../lib/errors.ts';
import type { Log } from '../ports/log.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const PERMISSIONS = 0o777;

/**
 * Makes a folder private to the service's user, and tightens the permissions of what
 * is in it: left by an earlier version, a backup or another umask. The folder named
 * `large` is searched only if it was itself accessible: other users cannot get into
 * a private one, and looking at each of its files would slow down every start.
 */
export function openPrivateFolder(folder: string, { large, log }: { large: string; log: Log }): void {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  const closed: string[] = [];
  const failed: string[] = [];

  function close(path: string, mode: number, wanted: number): boolean {
    if ((mode & PERMISSIONS) === wanted) return false;
    try {
      chmodSync(path, wanted);
      closed.push(path);
    } catch (error) {
      failed.push(`${path}: ${(error as Error).message}`);
    }
    return true;
  }

  function search(inside: string): void {
    for (const name of readdirSync(inside)) {
      const path = join(inside, name);
      // Another process may have removed it in the meantime.
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found?.isFile()) close(path, found.mode, FILE_MODE);
      if (!found?.isDirectory()) continue;
      const wasOpen = close(path, found.mode, FOLDER_MODE);
      if (wasOpen || path !== join(folder, large)) search(path);
    }
  }

  close(folder, statSync(folder).mode, FOLDER_MODE);
  search(folder);
  if (closed.length > 0)
    log.warn('files were open to other users and are closed now', { files: closed.length });
  if (failed.length > 0)
    log.warn('files are open to other users', { files: failed.length, reason: failed[0] });
}

/** Explains an error of the folder itself, or of a file in it that has no explanation of its own. */
export function explainDataDir(error: unknown, folder: string): unknown {
  const { path = folder, message } = error as NodeJS.ErrnoException;
  const reason = fileReason(error);
  if (reason === undefined || !path.startsWith(folder)) return error;
  return new OperatorError(`DATA_DIR=${folder} cannot be used: ${reason} (${message}).`, { cause: error });
}
