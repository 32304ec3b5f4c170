import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { createDatabase, dropDatabase, type PostgresServer, startPostgres } from '../src/postgres-server.ts';

let serverUrl = process.env.TEST_POSTGRES_URL ?? '';
let ownServer: PostgresServer | undefined;

before(async () => {
  if (serverUrl !== '') return;
  ownServer = await startPostgres();
  serverUrl = ownServer.url;
});

after(() => ownServer?.stop());

test('a test database of its own is created, has trigram search and is dropped', async () => {
  const url = await createDatabase(serverUrl);
  const client = new Client({ connectionString: url });
  // Dropping ends this connection from the other side, which is what is wanted here.
  client.on('error', () => {});
  await client.connect();

  await client.query('CREATE EXTENSION pg_trgm');
  const { rows } = await client.query("SELECT similarity('leadtrail', 'leadtrial') > 0.3 AS similar");
  assert.deepEqual(rows, [{ similar: true }]);

  await dropDatabase(url);
  await assert.rejects(new Client({ connectionString: url }).connect(), { code: '3D000' });
});

test('two test databases do not see each other', async () => {
  const [first, second] = await Promise.all([createDatabase(serverUrl), createDatabase(serverUrl)]);
  assert.notEqual(first, second);

  await query(first, 'CREATE TABLE only_here (id integer)');
  await assert.rejects(query(second, 'SELECT * FROM only_here'), { code: '42P01' });

  await Promise.all([dropDatabase(first), dropDatabase(second)]);
});

async function query(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
