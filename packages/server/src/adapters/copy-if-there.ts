import { copyFileSync } from 'node:fs';

/** False: the file does not exist, or was removed just now. */
export function copyIfThere(file: string, target: string): boolean {
  try {
    copyFileSync(file, target);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
