import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openJsonLog } from '../src/adapters/json-log.ts';
import { LOG_LEVELS } from '../src/config.ts';
import { anEvent, aStart } from './support/builders.ts';
import { ADMIN_KEY, MARKETING_KEY, onBothStores, startService } from './support/service.ts';
import { endSession, runJob, sendEvents, startSession } from './support/visits.ts';

function logTo(level: (typeof LOG_LEVELS)[number]) {
  const written: string[] = [];
  return { log: openJsonLog(level, (line) => written.push(line)), written };
}

test('a log line is one JSON object on one line, whatever its values hold', () => {
  const { log, written } = logTo('info');
  const fields = { reason: 'a\nb\r\nc\u2028d', quote: '"}\n{"level":"fake"', count: 3, ok: true, none: null };
  log.error('it\nbroke', { ...fields, absent: undefined });
  assert.equal(written.length, 1);
  const [line = ''] = written;
  assert.ok(line.endsWith('\n'));
  assert.ok(!line.slice(0, -1).includes('\n') && !line.includes('\r'));
  const { time, ...rest } = JSON.parse(line);
  assert.deepEqual(rest, { level: 'error', message: 'it\nbroke', ...fields });
  assert.equal(new Date(time).toISOString(), time);
});

test('LOG_LEVEL: everything from that level up is written', () => {
  for (const [i, level] of LOG_LEVELS.entries()) {
    const { log, written } = logTo(level);
    for (const each of LOG_LEVELS) log[each](each);
    assert.deepEqual(
      written.map((line) => JSON.parse(line).level),
      LOG_LEVELS.slice(i),
    );
  }
});

onBothStores('what the service logs about requests', (kind) => {
  test('is structured, and holds no visitor, page, referrer, body or key', async (t) => {
    const { log, written } = logTo('debug');
    const service = await startService(kind, { overrides: { log } });
    t.after(() => service.close());
    const secrets = {
      visitor_id: 'visitor-anna',
      fingerprint_id: 'fingerprint-anna',
      page: 'https://example.com/prices?email=anna@example.org',
      referrer: 'https://search.example/?q=private-illness',
    };
    const { session_id } = await startSession(service, {
      ...secrets,
      device_info: { user_agent: 'agent-of-anna' },
    });
    await sendEvents(service, session_id, [
      anEvent({ page: secrets.page, event_id: 'event-anna', data: { email: 'anna@example.org' } }),
    ]);
    await endSession(service, session_id, { exit_page: secrets.page });
    await service.post('/track/session/start', { ...aStart(secrets), page: 'not-a-url-of-anna' });
    await service.post('/track/session/start', '{"email": "anna@example.org"');
    await service.settled();
    await runJob(service, 'end-idle-sessions');
    await runJob(service, 'archive-sessions');
    await service.get('/analytics/overview?email=anna@example.org');
    await fetch(`${service.url}/analytics/overview`, { headers: { 'x-api-key': 'wrong-key-of-anna' } });
    await fetch(`${service.url}/nothing/anna@example.org?token=private`, {
      headers: { authorization: `Bearer ${MARKETING_KEY}`, referer: secrets.page },
    });
    await service.close();

    const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>);
    const requests = lines.filter((line) => line.message === 'request');
    assert.ok(requests.some((line) => line.endpoint === 'overview' && line.status === 200));
    assert.ok(requests.some((line) => line.endpoint === 'overview' && line.status === 401));
    for (const line of requests) {
      assert.deepEqual(Object.keys(line).sort(), [
        'endpoint',
        'level',
        'message',
        'ms',
        'request_id',
        'status',
        'time',
      ]);
    }
    const all = written.join('');
    for (const word of [
      'anna',
      'private',
      'prices',
      'search.example',
      session_id,
      ADMIN_KEY,
      MARKETING_KEY,
    ]) {
      assert.ok(!all.includes(word), word);
    }
  });
});
