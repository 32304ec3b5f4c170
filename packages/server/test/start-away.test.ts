import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { anEvent } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV, sendForm, setUpSite } from '@leadtrail/testing/enquiries';
import { patch } from '@leadtrail/testing/management';
import { createMigratedDatabase } from '@leadtrail/testing/migrated-stores';
import { dropDatabase } from '@leadtrail/testing/postgres-server';
import { onBothStores, postgresUrl, startService, type TestService } from '@leadtrail/testing/service';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';
import { unavailable } from '../src/lib/errors.ts';

/** What a service knew before it was restarted; its store cannot be asked. */

onBothStores('a service that starts while the store is away', (kind) => {
  let dataDir: string;
  let databaseUrl: string | undefined;
  let service: TestService;
  const away = () => Promise.reject(unavailable('The store is away.'));
  const start = async ({ isAway }: { isAway: boolean }) => {
    service = await startService(kind, {
      dataDir,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      env: { ...CAPTURE_ENV, CAPTURE_RATE_LIMIT_PER_MINUTE: '3' },
      overrides: {
        now: aClock().now,
        around: {
          store: (store) =>
            isAway ? { ...store, ipRule: away, readSettings: away, senderSnapshot: away } : store,
        },
      },
    });
  };
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
    if (kind === 'postgres') databaseUrl = await createMigratedDatabase(postgresUrl());
    await start({ isAway: false });
    await setUpSite(service);
    await patch(service, '/analytics/settings', { redacted_parameters: ['member'] });
    await call(service, 'POST', '/analytics/whitelisted-ips', { body: { ip: '198.51.100.0/24' } });
    await service.app.senders.refresh();
    await service.close();
    await start({ isAway: true });
  });
  after(async () => {
    await service.close();
    if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
    await rm(dataDir, { recursive: true, force: true });
  });

  test('stores addresses without the values of private parameters', async () => {
    const page = 'https://example.com/?member=planted&rooms=3';
    const { session_id } = await startSession(service, { page, referrer: page });
    await sendEvents(service, session_id, [anEvent({ page })]);
    await endSession(service, session_id, { exit_page: page });
    await service.settled();
    const kept = 'https://example.com/?member=&rooms=3';
    assert.deepEqual(await rows(service, 'select entry_page, exit_page, referrer from sessions'), [
      { entry_page: kept, exit_page: kept, referrer: kept },
    ]);
    const events = await rows(service, 'select page from events where page is not null');
    assert.ok(events.length > 0);
    assert.doesNotMatch(JSON.stringify(events), /planted/);
  });

  test('does not limit whitelisted addresses', async () => {
    const statuses = async (ip: string) => {
      const answers: number[] = [];
      for (let i = 0; i < 4; i += 1) {
        const { status } = await sendForm(service, { EMAIL: `${i}@example.org` }, { ip });
        answers.push(status);
      }
      return answers;
    };
    assert.deepEqual(await statuses('198.51.100.77'), [301, 301, 301, 301]);
    assert.deepEqual(await statuses('203.0.113.77'), [301, 301, 301, 429]);
  });
});
