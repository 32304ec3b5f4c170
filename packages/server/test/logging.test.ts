import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { test } from 'node:test';
import { LEAD_BYTES_MAX } from '@leadtrail/contract/limits';
import { call } from '@leadtrail/testing/analytics-calls';
import { anEvent, aStart } from '@leadtrail/testing/builders';
import {
  CALLBACK_SECRET,
  CRM_CALLBACK,
  CRM_WEBHOOK,
  FLOW_CALLBACK,
  report,
} from '@leadtrail/testing/callbacks';
import { row, rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV, sendForm, sendFromServer, setUpSite } from '@leadtrail/testing/enquiries';
import { startReceiver } from '@leadtrail/testing/receiver';
import {
  ADMIN_KEY,
  MARKETING_KEY,
  onBothStores,
  startService,
  type TestService,
} from '@leadtrail/testing/service';
import { endSession, runJob, sendEvents, startSession } from '@leadtrail/testing/visits';
import { openJsonLog } from '../src/adapters/json-log.ts';
import { LOG_LEVELS } from '../src/config.ts';

function logTo(level: (typeof LOG_LEVELS)[number]) {
  const written: string[] = [];
  return { log: openJsonLog(level, (line) => written.push(line)), written };
}

test('37: a log line is one JSON object on one line, whatever its values hold', () => {
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

test('of warnings that say the same only a few are written in a minute, and the next one says how many were not', () => {
  const written: string[] = [];
  let now = 0;
  const log = openJsonLog(
    'info',
    (line) => written.push(line),
    () => now,
  );
  for (let i = 0; i < 100; i += 1) {
    log.error('request failed', {
      endpoint: 'startSession',
      request_id: String(i),
      reason: 'The disk is full.',
    });
    log.info('migration', { step: '0001' });
  }
  log.error('request failed', { endpoint: 'startSession', reason: 'Another reason.' });
  const errors = () => written.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
  assert.deepEqual(
    errors().map(({ request_id }) => request_id),
    ['0', '1', '2', '3', '4', undefined],
  );
  assert.equal(written.length - errors().length, 100);
  now = 60_000;
  for (let i = 0; i < 2; i += 1)
    log.error('request failed', { endpoint: 'startSession', reason: 'The disk is full.' });
  assert.deepEqual(
    errors()
      .slice(-2)
      .map(({ not_logged }) => not_logged),
    [95, undefined],
  );
});

onBothStores('37: what the service logs about a lead', (kind) => {
  const NAME = 'Annabel Quist';
  const EMAIL = 'annabel.quist@private.example';
  const PHONE = '151 2345 6789';
  const PERSONAL = [/annabel/i, /quist/i, /private\.example/i, /151 ?2345 ?6789/];
  const person = { FIRSTNAME: NAME, EMAIL, PHONE, COUNTRYCODE: '+49', USER_MESSAGE: `I am\n${NAME}` };
  const told = { name: NAME, email: EMAIL, phone: PHONE };

  test('is one JSON line each, without e-mail, phone or name, whatever goes wrong on its way', async (t) => {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const { log, written } = logTo('debug');
    const service = await startService(kind, {
      env: { ...CAPTURE_ENV, CRM_CALLBACK_SECRET: CALLBACK_SECRET, FLOW_WEBHOOK_URL: receiver.url },
      overrides: { log },
    });
    t.after(() => service.close());
    await setUpSite(service);

    receiver.answer((response) => void response.writeHead(410).end(`No more of\n${NAME}, ${EMAIL}`));
    await sendForm(service, person);
    await service.app.forwarding.settled();
    await sendFromServer(service, { ...person, PROJECT: 'Another' });
    await sendFromServer(service, person, { headers: { 'x-api-key': EMAIL } });
    await sendForm(service, { ...person, siteKey: EMAIL });
    await service.post('/lead.capture', `{"EMAIL": "${EMAIL}"`);
    await service.post('/lead.capture', { ...person, filler: 'x'.repeat(LEAD_BYTES_MAX) });
    await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '198.51.100.9', reason: NAME } });
    await sendForm(service, person, { ip: '198.51.100.9' });

    const { lead_id } = await row(service, "select lead_id from leads where project_name = 'Another'");
    const sends = await service.get<{ flow_sends: { flow_send_public_id: string }[] }>(
      '/analytics/flow-sends',
    );
    const flow_send_public_id = sends.flow_sends[0]?.flow_send_public_id;
    const flow_execution_url = `https://flow.example/${encodeURIComponent(EMAIL)}`;
    await report(service, CRM_CALLBACK, { lead_id, crm_lead_id: NAME });
    await report(service, CRM_CALLBACK, { lead_id: EMAIL, crm_lead_id: NAME });
    await report(service, FLOW_CALLBACK, { flow_send_public_id, flow_execution_url, ...told });
    await report(service, FLOW_CALLBACK, {
      flow_send_public_id: randomUUIDv7(),
      flow_execution_url,
      ...told,
    });
    await report(service, CRM_WEBHOOK, { crm_lead_id: NAME, event_type: 'call', ...told });
    await report(service, CRM_WEBHOOK, { crm_lead_id: EMAIL, event_type: 'a\n{"level":"fake"}', ...told });
    await call(service, 'GET', `/analytics/blocked-ip-leads?q=${encodeURIComponent(EMAIL)}`);
    await call(service, 'GET', `/analytics/nothing/${encodeURIComponent(EMAIL)}`);

    await breakLeads(service);
    assert.equal((await sendForm(service, { ...person, PROJECT: 'Broken' })).status, 500);
    await service.close();

    const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const line of written) assert.equal(line.indexOf('\n'), line.length - 1, line);
    for (const message of ['lead not forwarded', 'CRM event of an unknown lead', 'request failed']) {
      assert.ok(
        lines.some((line) => line.message === message),
        message,
      );
    }
    for (const pattern of PERSONAL) assert.doesNotMatch(written.join(''), pattern);
  });
});

/** From now on the store refuses every lead; PostgreSQL quotes the whole row when it says why. */
async function breakLeads(service: TestService): Promise<void> {
  await rows(
    service,
    service.database.kind === 'postgres'
      ? 'alter table leads add constraint broken check (lead_id < 0) not valid'
      : "create trigger broken before insert on leads begin select raise(abort, 'broken'); end",
  );
}

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
