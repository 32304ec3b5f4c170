import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copySqliteTemplate, createMigratedDatabase } from '@leadtrail/testing/migrated-stores';
import { dropDatabase } from '@leadtrail/testing/postgres-server';
import type { StoreKind } from '@leadtrail/testing/service';

/** Where one installation keeps everything, over any number of starts. */
export type Place = { dataDir: string } & (
  | { kind: 'sqlite'; databaseUrl?: undefined }
  | { kind: 'postgres'; databaseUrl: string }
);

/** The URL is that of a PostgreSQL server, in which the place gets a database of its own. */
export async function newPlace(
  kind: StoreKind,
  serverUrl: () => string,
  ownTemplate?: string,
): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-place-'));
  if (kind === 'postgres') {
    return { kind, dataDir, databaseUrl: await createMigratedDatabase(serverUrl(), ownTemplate) };
  }
  await copySqliteTemplate(dataDir);
  return { kind, dataDir };
}

export async function removePlace(place: Place): Promise<void> {
  if (place.kind === 'postgres') await dropDatabase(place.databaseUrl);
  await rm(place.dataDir, { recursive: true, force: true });
}
