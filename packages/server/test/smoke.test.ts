import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothStores, useService } from './support/service.ts';

onBothStores('smoke', (kind) => {
  const service = useService(kind);

  test('a session is counted and the totals equal a recount', async () => {
    const r = await service.post('/track/session/start', {
      fingerprint_id: 'a',
      page: 'https://example.com/x',
    });
    assert.equal(r.status, 200);
    const { session_id } = (await r.json()) as { session_id: string };
    await service.post('/track/events', {
      session_id,
      events: [
        { type: 'page_view', page: 'https://example.com/y', event_id: '1' },
        { type: 'page_view', page: 'https://example.com/y', event_id: '1' },
      ],
    });
    await service.post('/track/session/end', { session_id });
    await service.settled();
    const o = await service.get<{ total_events: number }>('/analytics/overview');
    assert.equal(o.total_events, 2);
    assert.deepEqual(await service.app.store.recount(), []);
  });
});
