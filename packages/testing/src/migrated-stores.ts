import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDatabase } from './postgres-server.ts';

/**
 * Databases with all tables, copied from those that `npm test` has made for the run: a copy is far cheaper than the
 * migrations. Without a template, as when a file is run by hand, the service migrates an empty database.
 */

/** Puts one where a service with this data directory looks for it. */
export async function copySqliteTemplate(dataDir: string): Promise<void> {
  const template = process.env.TEST_SQLITE_TEMPLATE;
  if (template === undefined) return;
  const file = join(dataDir, 'leadtrail.db');
  await copyFile(template, file);
  await chmod(file, 0o600);
}

/** A test may have a server of its own, on which it has made a template or none. */
export function createMigratedDatabase(serverUrl: string, ownTemplate?: string): Promise<string> {
  const { TEST_POSTGRES_URL, TEST_POSTGRES_TEMPLATE } = process.env;
  return createDatabase(serverUrl, serverUrl === TEST_POSTGRES_URL ? TEST_POSTGRES_TEMPLATE : ownTemplate);
}
