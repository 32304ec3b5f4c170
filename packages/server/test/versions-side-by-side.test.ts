import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aStart } from '@leadtrail/testing/builders';
import { row, rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { startService } from '@leadtrail/testing/service';
import { DAY_MS, HOUR_MS } from '../src/lib/utc-time.ts';

/** A process of an earlier version changes a lead without telling the index of what it does not know. */
const AS_EARLIER = "update lead_index set delivery = 'pending', search_text = 'old'";

test('what an earlier version writes beside this one is indexed again, for a day after the migration', async () => {
  const clock = { now: Date.now() };
  const service = await startService('postgres', { env: CAPTURE_ENV, overrides: { now: () => clock.now } });
  try {
    await assertCaptured(sendFromServer(service));
    await service.app.indexing.settled();
    const before = await row(service, 'select delivery, search_text from lead_index');
    const renewed = async () => {
      await rows(service, AS_EARLIER);
      assert.equal(await service.app.schedule.run('renew-leads-after-migration'), 'success');
      return (await row(service, 'select delivery, search_text from lead_index')) as typeof before;
    };

    assert.deepEqual(await renewed(), before);
    assert.deepEqual(await service.app.store.recount(), []);
    clock.now += HOUR_MS;
    assert.deepEqual(await renewed(), before);
    clock.now += DAY_MS;
    assert.deepEqual(await renewed(), { ...before, delivery: 'pending', search_text: 'old' });
  } finally {
    await service.close();
  }
});

test('a later version may add columns while this one runs: visits go on being taken in at once', async () => {
  const service = await startService('postgres');
  try {
    const visit = () => service.post('/track/session/start', aStart({ visitor_id: 'visitor-1' }));
    for (const table of ['visitors', 'fingerprints', 'sessions', 'answer_changes']) {
      for (const _ of ['stored', 'known', 'prepared']) {
        assert.equal((await visit()).status, 200);
        await service.settled();
      }
      await rows(service, `alter table ${table} add column of_a_later_version bigint`);
    }
    await visit();
    await service.settled();
    assert.equal((await service.get<{ total_sessions: number }>('/analytics/overview')).total_sessions, 13);
    assert.deepEqual(
      service.logged.filter(({ level }) => level === 'error'),
      [],
    );
  } finally {
    await service.close();
  }
});
