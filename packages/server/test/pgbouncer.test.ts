import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { row } from '@leadtrail/testing/database';
import { assertCaptured, sendForm, setUpSite } from '@leadtrail/testing/enquiries';
import { createMigratedDatabase } from '@leadtrail/testing/migrated-stores';
import { type PgBouncer, startPgBouncer } from '@leadtrail/testing/pgbouncer';
import { dropDatabase } from '@leadtrail/testing/postgres-server';
import { ask } from '@leadtrail/testing/questions';
import { postgresUrl, startService } from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';

const LEADS = 60;

describe('behind PgBouncer in transaction mode', () => {
  let database: string;
  let bouncer: PgBouncer;
  before(async () => {
    database = await createMigratedDatabase(postgresUrl());
    bouncer = await startPgBouncer(database);
  });
  after(async () => {
    await bouncer?.stop();
    if (database) await dropDatabase(database);
  });

  test('leads, visits, lists and questions work, and the totals equal a recount', async () => {
    const env = { DATABASE_POOLER: 'on' };
    const service = await startService('postgres', { databaseUrl: bouncer.url, env });
    try {
      await setUpSite(service);
      await startSession(service, { visitor_id: 'visitor-1' });
      await service.settled();
      await Promise.all(
        Array.from({ length: LEADS }, (_, i) =>
          assertCaptured(sendForm(service, { EMAIL: `p${i}@example.com`, PHONE: '' })),
        ),
      );
      const { n } = await row<{ n: number }>(service, 'select count(*) as n from leads');
      assert.equal(n, LEADS);
      const list = await service.get<{ total: number }>('/analytics/leads');
      assert.equal(list.total, LEADS);
      const { totals } = await ask(service, { metrics: ['visits', 'leads'], period: 'all' });
      assert.deepEqual(totals.metrics, [1, LEADS]);
      assert.deepEqual(await service.app.store.recount(), []);
    } finally {
      await service.close();
    }
  });
});
