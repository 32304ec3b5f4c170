import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { before, beforeEach, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import {
  CALLBACK_SECRET,
  CRM_CALLBACK,
  CRM_WEBHOOK,
  capture,
  type Headers,
  WEBHOOK_SECRET,
} from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { row, rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { useProcesses } from '@leadtrail/testing/processes';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';

const ENV = { ...CAPTURE_ENV, CRM_CALLBACK_SECRET: CALLBACK_SECRET, CRM_WEBHOOK_SECRET: WEBHOOK_SECRET };

type Signing = { secret?: string; id?: string; at: number };

/** As the standard has it, without the library that the service uses. */
function signed(body: unknown, { secret = CALLBACK_SECRET, id = randomUUID(), at }: Signing): Headers {
  const timestamp = Math.floor(at / SECOND_MS);
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;
  const text = `${id}.${timestamp}.${JSON.stringify(body)}`;
  const signature = createHmac('sha256', key).update(text).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
}

const post = async (service: TestService, path: string, body: unknown, headers: Headers) => {
  const response = await service.post(path, body, headers);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

onBothStores('signed callbacks', (kind) => {
  const clock = aClock();
  const service = useService(kind, { env: ENV, overrides: { now: clock.now } });
  const save = async (body: object) =>
    assert.equal((await call(service, 'PATCH', '/analytics/settings', { body })).status, 200);
  beforeEach(() => save({ callbacks_require_signature: false, crm_callback_secret: null }));

  const crmIdOf = async (leadId: number) =>
    (await row(service, `select crm_lead_id from leads where lead_id = ${leadId}`)).crm_lead_id;

  test('are taken without the secret in a header, at all three addresses', async () => {
    const lead = await capture(service);
    const report = { lead_id: lead.lead_id, crm_lead_id: 'crm-signed' };
    const told = await post(service, CRM_CALLBACK, report, signed(report, { at: clock.now() }));
    assert.equal(told.status, 200);
    assert.equal(await crmIdOf(lead.lead_id), 'crm-signed');
    const event = { crm_lead_id: 'crm-signed', event_type: 'called' };
    const secret = WEBHOOK_SECRET;
    const stored = await post(service, CRM_WEBHOOK, event, signed(event, { secret, at: clock.now() }));
    assert.deepEqual([stored.status, stored.body.stored], [200, true]);
    // The secret of the other address signs nothing here.
    assert.equal((await post(service, CRM_WEBHOOK, event, signed(event, { at: clock.now() }))).status, 401);
  });

  test('a secret with whsec_ is base64, as for what is sent', async () => {
    const secret = `whsec_${Buffer.from('a secret of more than 24 bytes').toString('base64')}`;
    await save({ crm_callback_secret: secret });
    const lead = await capture(service);
    const report = { lead_id: lead.lead_id, crm_lead_id: 'crm-base64' };
    const answer = await post(service, CRM_CALLBACK, report, signed(report, { secret, at: clock.now() }));
    assert.equal(answer.status, 200);
  });

  test('one of several signatures has to be right', async () => {
    const { lead_id } = await capture(service);
    const report = { lead_id, crm_lead_id: 'crm-several' };
    const headers = signed(report, { at: clock.now() });
    const several = `v1,${Buffer.alloc(32).toString('base64')} v2,x ${headers['webhook-signature']}`;
    const answer = await post(service, CRM_CALLBACK, report, { ...headers, 'webhook-signature': several });
    assert.equal(answer.status, 200);
  });

  describe('are refused with 401 and change nothing', () => {
    let leadId: number;
    const report = () => ({ lead_id: leadId, crm_lead_id: 'crm-forged' });
    before(async () => {
      leadId = (await capture(service)).lead_id;
    });
    const at = (ms: number) => signed(report(), { at: clock.now() + ms });
    const cases: [string, () => Headers][] = [
      ['with another secret', () => signed(report(), { secret: 'wrong', at: clock.now() })],
      ['with the signature of another body', () => signed({ ...report(), x: 1 }, { at: clock.now() })],
      ['with another id', () => ({ ...at(0), 'webhook-id': 'another' })],
      [
        'with another time',
        () => ({ ...at(0), 'webhook-timestamp': String(Math.floor(clock.now() / 1000) - 1) }),
      ],
      ['over five minutes old', () => at(-5 * MINUTE_MS - SECOND_MS)],
      ['over five minutes ahead', () => at(5 * MINUTE_MS + 2 * SECOND_MS)],
      ['without an id', () => ({ ...at(0), 'webhook-id': '' })],
      ['without a time', () => ({ ...at(0), 'webhook-timestamp': 'now' })],
      [
        'with another version',
        () => ({ ...at(0), 'webhook-signature': (at(0)['webhook-signature'] ?? '').replace('v1', 'v2') }),
      ],
      [
        'with a wrong signature, though the secret is in a header',
        () => ({
          ...signed(report(), { secret: 'wrong', at: clock.now() }),
          'x-api-key': CALLBACK_SECRET,
        }),
      ],
    ];
    for (const [what, headers] of cases) {
      test(what, async () => {
        const { status } = await post(service, CRM_CALLBACK, report(), headers());
        assert.equal(status, 401);
        assert.equal(await crmIdOf(leadId), null);
      });
    }
  });

  test('just within five minutes they are taken', async () => {
    const { lead_id } = await capture(service);
    for (const [i, ms] of [-5 * MINUTE_MS, 5 * MINUTE_MS].entries()) {
      const report = { lead_id, crm_lead_id: `crm-${i}` };
      const headers = signed(report, { at: clock.now() + ms });
      assert.equal((await post(service, CRM_CALLBACK, report, headers)).status, 200);
    }
  });

  test('sent again they get the same answer and are not applied again', async () => {
    const { lead_id } = await capture(service);
    const first = { lead_id, crm_lead_id: 'crm-first' };
    const headers = signed(first, { at: clock.now() });
    const answer = await post(service, CRM_CALLBACK, first, headers);
    const later = { lead_id, crm_lead_id: 'crm-later' };
    await post(service, CRM_CALLBACK, later, signed(later, { at: clock.now() }));
    assert.deepEqual(await post(service, CRM_CALLBACK, first, headers), answer);
    assert.equal(await crmIdOf(lead_id), 'crm-later');
  });

  test('twenty times at once they are applied once', async () => {
    const { lead_id } = await capture(service);
    await post(
      service,
      CRM_CALLBACK,
      { lead_id, crm_lead_id: 'crm-crowd' },
      { 'x-api-key': CALLBACK_SECRET },
    );
    const event = { crm_lead_id: 'crm-crowd', event_type: 'called' };
    const headers = signed(event, { secret: WEBHOOK_SECRET, at: clock.now() });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(service, CRM_WEBHOOK, event, headers)),
    );
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal((await rows(service, `select id from crm_activity where lead_id = ${lead_id}`)).length, 1);
  });

  test('one that found nothing works when it is sent again later', async () => {
    const { lead_id, lead_public_id } = await capture(service);
    const report = { lead_public_id, crm_lead_id: 'crm-late' };
    const headers = signed(report, { at: clock.now() });
    await rows(service, `update leads set lead_public_id = 'away' where lead_id = ${lead_id}`);
    assert.equal((await post(service, CRM_CALLBACK, report, headers)).status, 404);
    await rows(service, `update leads set lead_public_id = '${lead_public_id}' where lead_id = ${lead_id}`);
    assert.equal((await post(service, CRM_CALLBACK, report, headers)).status, 200);
  });

  test('ids are forgotten when the time they hold for is over', async () => {
    clock.advance(DAY_MS);
    await service.app.schedule.run('forget-callback-ids');
    clock.advance(DAY_MS);
    await service.app.schedule.run('forget-callback-ids');
    assert.deepEqual(await rows(service, 'select callback_id from callback_ids'), []);
  });

  test('where callbacks_require_signature is on, unsigned ones are 401, signed ones are taken', async () => {
    const { lead_id } = await capture(service);
    const report = { lead_id, crm_lead_id: 'crm-required' };
    const unsigned = () => post(service, CRM_CALLBACK, report, { 'x-api-key': CALLBACK_SECRET });
    assert.equal((await unsigned()).status, 200);
    await save({ callbacks_require_signature: true });
    assert.equal((await unsigned()).status, 401);
    assert.equal((await post(service, CRM_CALLBACK, report, {})).status, 401);
    assert.equal(
      (await post(service, CRM_CALLBACK, report, signed(report, { at: clock.now() }))).status,
      200,
    );
    await save({ callbacks_require_signature: false });
    assert.equal((await unsigned()).status, 200);
  });
});

onBothStores('a signed callback that two processes get, or one before and after a restart', (kind) => {
  const processes = useProcesses(kind, ENV);

  test('is applied once', async () => {
    const first = await processes.process();
    const lead = await capture(first);
    const known = { lead_id: lead.lead_id, crm_lead_id: 'crm-1' };
    const headers = signed(known, { at: processes.clock.now() });
    const answer = await post(first, CRM_CALLBACK, known, headers);
    assert.equal(answer.status, 200);
    await rows(first, "update leads set crm_lead_id = 'changed since'");
    for (const other of [await processes.process(), await processes.start()]) {
      assert.deepEqual(await post(other, CRM_CALLBACK, known, headers), answer);
    }
    assert.equal((await row(first, 'select crm_lead_id from leads')).crm_lead_id, 'changed since');
  });
});
