import { readFile } from 'node:fs/promises';

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
