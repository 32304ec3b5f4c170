import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { dropDatabase } from '@leadtrail/testing/postgres-server';
import { postgresUrl, startService, type TestService } from '@leadtrail/testing/service';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { startSession } from '@leadtrail/testing/visits';
import { Client } from 'pg';

/** A copy of the database that is never brought up to date stands for a replica that lags. */

const ONLY_IN_REPLICA = 777;

describe('with DATABASE_READ_URL', () => {
  let place: Place & { kind: 'postgres' };
  let replicaUrl: string;
  let service: TestService;
  beforeEach(async () => {
    place = (await newPlace('postgres', postgresUrl)) as Place & { kind: 'postgres' };
    const first = await start();
    await startSession(first);
    await first.settled();
    await first.close();
    replicaUrl = `${place.databaseUrl}_replica`;
    await onServer(`create database ${nameOf(replicaUrl)} template ${nameOf(place.databaseUrl)}`);
    await run(replicaUrl, `update counters set value = ${ONLY_IN_REPLICA} where name = 'sessions'`);
    service = await start({ DATABASE_READ_URL: replicaUrl });
  });
  afterEach(async () => {
    await service.close();
    await dropDatabase(replicaUrl);
    await removePlace(place);
  });

  const start = (env: Record<string, string> = {}) =>
    startService('postgres', {
      dataDir: place.dataDir,
      databaseUrl: place.databaseUrl,
      env: { ANALYTICS_CACHE_TTL_SECONDS: '0', ...env },
    });
  const sessions = async () =>
    (await service.get<{ total_sessions: number }>('/analytics/overview')).total_sessions;

  test('statistics come from the replica where it has all that they show', async () => {
    assert.equal(await sessions(), ONLY_IN_REPLICA);
    // What it lacks is shown elsewhere.
    const body = { internal_teams: ['Sales'] };
    await service.app.store.saveSettings(body);
    assert.equal(await sessions(), ONLY_IN_REPLICA);
  });

  test('what was written last is never missing', async () => {
    await startSession(service);
    await service.settled();
    assert.equal(await sessions(), 2);
  });

  test('without the replica they come from the primary', async () => {
    await dropDatabase(replicaUrl);
    assert.equal(await sessions(), 1);
  });
});

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

const onServer = (sql: string) => run(postgresUrl(), sql);

async function run(connectionString: string, sql: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
