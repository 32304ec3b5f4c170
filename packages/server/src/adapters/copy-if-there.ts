import { copyFileSync } from 'node:fs';

/** False: there is no such file, or it was removed just now. */
export function copyIfThere(file: string, target: string): boolean {
  try {
    copyFileSync(file, target);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
