import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { row, rows } from '@leadtrail/testing/database';
import { assertCaptured, sendForm, setUpSite } from '@leadtrail/testing/enquiries';
import { createMigratedDatabase } from '@leadtrail/testing/migrated-stores';
import { type PgBouncer, startPgBouncer } from '@leadtrail/testing/pgbouncer';
import { dropDatabase } from '@leadtrail/testing/postgres-server';
import { ask } from '@leadtrail/testing/questions';
import { postgresUrl, startService } from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';

const LEADS = 60;
const STARTS = 8;

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

  test('processes start while another one works, and leave no session locked', async () => {
    const env = { DATABASE_POOLER: 'on' };
    const working = await startService('postgres', { databaseUrl: bouncer.url, env });
    let isOver = false;
    const load = async () => {
      for (let i = 0; !isOver; i += 1) {
        if (i % 10 === 0) await startSession(working, { visitor_id: `busy-${i}` });
        await working.get('/analytics/realtime');
      }
    };
    const loads = Promise.all(Array.from({ length: 16 }, load));
    try {
      for (let start = 0; start < STARTS; start += 1) {
        const another = await startService('postgres', { databaseUrl: bouncer.url, env });
        await another.get('/analytics/overview');
        await another.close();
        const held = await rows(
          { database: { kind: 'postgres', url: database } },
          `select 1 from pg_locks where locktype = 'advisory' and virtualtransaction like '%/0'
            and database = (select oid from pg_database where datname = current_database())`,
        );
        assert.deepEqual(held, []);
      }
    } finally {
      isOver = true;
      await loads.finally(working.close);
    }
  });
});
