import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { FlowSend } from '@leadtrail/contract/deliveries';
import {
  BODY_BYTES_MAX,
  CALLBACK_SECRET,
  type CapturedLead,
  CRM_CALLBACK,
  type CrmIdAnswer,
  capture,
  FLOW_CALLBACK,
  headersWith,
  headersWithout,
  padded,
  report,
  tellCrmId,
  WEBHOOK_SECRET,
} from '@leadtrail/testing/callbacks';
import { row } from '@leadtrail/testing/database';
import { CAPTURE_ENV, INTEGRATION_KEY } from '@leadtrail/testing/enquiries';
import { patch } from '@leadtrail/testing/management';
import { answering, type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { onBothStores, startService, type TestService, useService } from '@leadtrail/testing/service';
import { within } from '@leadtrail/testing/torture/service-process';

const ENV = { ...CAPTURE_ENV, CRM_CALLBACK_SECRET: CALLBACK_SECRET, CRM_WEBHOOK_SECRET: WEBHOOK_SECRET };
const UNREADABLE = ['', '{', '{"crm_lead_id": "x"', 'crm_lead_id=x', 'null', '[]', '"text"', '7'];

onBothStores('POST /lead.capture/crm-callback', (kind) => {
  const service = useService(kind, { env: ENV });
  let lead: CapturedLead;
  beforeEach(async () => {
    lead = await capture(service);
  });

  /** The CRM ids that a lead and its submission have. */
  const stored = async (of = lead) =>
    row(
      service,
      `select leads.crm_lead_id as lead, submissions.crm_lead_id as submission
      from leads join submissions on submissions.submission_id = ${of.lead_submission_id}
      where leads.lead_id = ${of.lead_id}`,
    );

  async function assertRefused(body: unknown, path?: string, message = /./): Promise<void> {
    const answer = await report(service, CRM_CALLBACK, body);
    const about = `${JSON.stringify(body)} ${JSON.stringify(answer.body)}`;
    assert.equal(answer.status, 400, about);
    assert.equal(typeof answer.body.error, 'string');
    if (path !== undefined)
      assert.ok(
        answer.body.details?.some((detail) => detail.path === path && message.test(detail.message)),
        about,
      );
    assert.deepEqual(await stored(), { lead: null, submission: null }, about);
  }

  describe('identifiers', () => {
    for (const key of ['lead_public_id', 'lead_id'] as const) {
      test(`${key} updates the lead's CRM id`, async () => {
        assert.deepEqual(await tellCrmId(service, { [key]: lead[key], crm_lead_id: 'crm-1' }), {
          ok: true,
          crm_lead_id: 'crm-1',
          updated_lead: true,
          updated_submission: false,
          lead_public_id: lead.lead_public_id,
          lead_submission_public_id: null,
          lead_id: lead.lead_id,
        });
        assert.deepEqual(await stored(), { lead: 'crm-1', submission: null });
      });
    }

    for (const key of ['lead_submission_public_id', 'lead_submission_id'] as const) {
      test(`${key} updates the submission's CRM id`, async () => {
        assert.deepEqual(await tellCrmId(service, { [key]: lead[key], crm_lead_id: 'crm-2' }), {
          ok: true,
          crm_lead_id: 'crm-2',
          updated_lead: false,
          updated_submission: true,
          lead_public_id: null,
          lead_submission_public_id: lead.lead_submission_public_id,
          lead_id: null,
        });
        assert.deepEqual(await stored(), { lead: null, submission: 'crm-2' });
      });
    }

    for (const ofLead of ['lead_public_id', 'lead_id'] as const) {
      for (const ofSubmission of ['lead_submission_public_id', 'lead_submission_id'] as const) {
        test(`${ofLead} and ${ofSubmission} together update both records`, async () => {
          const body = {
            [ofLead]: lead[ofLead],
            [ofSubmission]: lead[ofSubmission],
            crm_lead_id: 'crm-3',
          };
          assert.deepEqual(await tellCrmId(service, body), {
            ok: true,
            crm_lead_id: 'crm-3',
            updated_lead: true,
            updated_submission: true,
            lead_public_id: lead.lead_public_id,
            lead_submission_public_id: lead.lead_submission_public_id,
            lead_id: lead.lead_id,
          });
          assert.deepEqual(await stored(), { lead: 'crm-3', submission: 'crm-3' });
        });
      }
    }

    test('the older form of lead_id and crm_lead_id still answers with ok, lead_id and crm_lead_id', async () => {
      const answer = await tellCrmId(service, { lead_id: lead.lead_id, crm_lead_id: 'crm-4' });
      assert.partialDeepStrictEqual(answer, { ok: true, lead_id: lead.lead_id, crm_lead_id: 'crm-4' });
    });

    test('a UUID in upper case is the same UUID', async () => {
      const answer = await tellCrmId(service, {
        lead_public_id: lead.lead_public_id.toUpperCase(),
        lead_submission_public_id: lead.lead_submission_public_id.toUpperCase(),
        crm_lead_id: 'crm-5',
      });
      assert.equal(answer.lead_public_id, lead.lead_public_id);
      assert.equal(answer.lead_submission_public_id, lead.lead_submission_public_id);
      assert.deepEqual(await stored(), { lead: 'crm-5', submission: 'crm-5' });
    });

    test('an identifier that is null is one that was not sent', async () => {
      const none = {
        lead_public_id: null,
        lead_id: null,
        lead_submission_public_id: null,
        lead_submission_id: null,
      };
      await assertRefused({ ...none, crm_lead_id: 'crm-6' });
      const answer = await tellCrmId(service, { ...none, lead_id: lead.lead_id, crm_lead_id: 'crm-6' });
      assert.deepEqual([answer.updated_lead, answer.updated_submission], [true, false]);
    });

    test('no other lead or submission is touched', async () => {
      const other = await capture(service);
      await tellCrmId(service, {
        lead_id: lead.lead_id,
        lead_submission_id: lead.lead_submission_id,
        crm_lead_id: 'crm-7',
      });
      assert.deepEqual(await stored(other), { lead: null, submission: null });
    });

    test('a later callback replaces the id', async () => {
      for (const crm_lead_id of ['crm-8', 'crm-9', 'crm-9']) {
        await tellCrmId(service, { lead_id: lead.lead_id, crm_lead_id });
        assert.equal((await stored()).lead, crm_lead_id);
      }
    });

    test('crm_lead_id may be a number, which is kept as its text', async () => {
      const answer = await tellCrmId(service, { lead_id: lead.lead_id, crm_lead_id: 42 });
      assert.equal(answer.crm_lead_id, '42');
      assert.equal((await stored()).lead, '42');
    });

    test('crm_lead_id counts without the blanks around it', async () => {
      const answer = await tellCrmId(service, { lead_id: lead.lead_id, crm_lead_id: ' crm 10\n' });
      assert.equal(answer.crm_lead_id, 'crm 10');
      assert.equal((await stored()).lead, 'crm 10');
    });
  });

  describe('404', () => {
    const unknown = { lead_public_id: randomUUIDv7(), lead_submission_id: Number.MAX_SAFE_INTEGER };

    test('no lead or submission with the given id', async () => {
      for (const body of [
        { lead_public_id: randomUUIDv7() },
        { lead_id: Number.MAX_SAFE_INTEGER },
        { lead_submission_public_id: randomUUIDv7() },
        { lead_submission_id: Number.MAX_SAFE_INTEGER },
        // The id of a submission is not that of a lead.
        { lead_public_id: lead.lead_submission_public_id },
        { lead_submission_public_id: lead.lead_public_id },
        unknown,
      ]) {
        const answer = await report(service, CRM_CALLBACK, { ...body, crm_lead_id: 'crm-11' });
        assert.equal(answer.status, 404, JSON.stringify(body));
        assert.deepEqual(Object.keys(answer.body), ['error', 'code']);
      }
      assert.deepEqual(await stored(), { lead: null, submission: null });
    });

    test('a UUID of any version is well-formed, so it is unknown', async () => {
      for (const id of [
        '00000000-0000-0000-0000-000000000000',
        '11111111-1111-1111-1111-111111111111',
        'ffffffff-ffff-ffff-ffff-ffffffffffff',
        'AAAAAAAA-AAAA-9AAA-0AAA-AAAAAAAAAAAA',
      ]) {
        for (const key of ['lead_public_id', 'lead_submission_public_id']) {
          const { status } = await report(service, CRM_CALLBACK, { [key]: id, crm_lead_id: 'crm-12' });
          assert.equal(status, 404, `${key} ${id}`);
        }
      }
    });

    test('is not answered when one of the two is found: that one is updated, the other boolean is false', async () => {
      const { lead_id, lead_submission_id } = lead;
      const onlyLead = await tellCrmId(service, {
        lead_id,
        lead_submission_id: unknown.lead_submission_id,
        crm_lead_id: 'crm-13',
      });
      assert.partialDeepStrictEqual(onlyLead, {
        updated_lead: true,
        updated_submission: false,
        lead_public_id: lead.lead_public_id,
        lead_submission_public_id: null,
      });
      assert.deepEqual(await stored(), { lead: 'crm-13', submission: null });

      const onlySubmission = await tellCrmId(service, {
        lead_public_id: unknown.lead_public_id,
        lead_submission_id,
        crm_lead_id: 'crm-14',
      });
      assert.partialDeepStrictEqual(onlySubmission, {
        updated_lead: false,
        updated_submission: true,
        lead_public_id: null,
        lead_submission_public_id: lead.lead_submission_public_id,
      });
      assert.deepEqual(await stored(), { lead: 'crm-13', submission: 'crm-14' });
    });
  });

  describe('400', () => {
    test('invalid JSON', async () => {
      for (const body of UNREADABLE) await assertRefused(body);
    });

    test('missing or empty crm_lead_id, or one that is neither a text nor a number that keeps its digits', async () => {
      const { lead_id } = lead;
      await assertRefused({ lead_id }, 'crm_lead_id', /is required/);
      for (const crm_lead_id of [null, '', ' ', '\n\t', 2 ** 53, true, ['crm'], { id: 'crm' }]) {
        await assertRefused({ lead_id, crm_lead_id }, 'crm_lead_id');
      }
    });

    test('no lead or submission identifier', async () => {
      await assertRefused({ crm_lead_id: 'crm-15' }, 'lead_public_id');
      await assertRefused(
        { crm_lead_id: 'crm-15', id: lead.lead_id, leadId: lead.lead_id },
        'lead_public_id',
      );
    });

    test('both ids of one pair, even when they belong together', async () => {
      const { lead_id, lead_public_id, lead_submission_id, lead_submission_public_id } = lead;
      const crm_lead_id = 'crm-16';
      await assertRefused({ lead_id, lead_public_id, crm_lead_id }, 'lead_id');
      await assertRefused(
        { lead_submission_id, lead_submission_public_id, crm_lead_id },
        'lead_submission_id',
      );
      await assertRefused({ lead_id, lead_submission_id, lead_submission_public_id, crm_lead_id });
      await assertRefused({ lead_id, lead_public_id, lead_submission_id, crm_lead_id });
    });

    test('a malformed id, whatever else is sent with it', async () => {
      const { lead_id, lead_submission_id } = lead;
      const texts = ['', 'lead', lead.lead_public_id.slice(1), `${lead.lead_public_id}0`, '%', lead_id, {}];
      const numbers = [0, -1, 1.5, 2 ** 53, 1e300, String(lead_id), '', true, [lead_id]];
      for (const id of texts) {
        await assertRefused({ lead_public_id: id, lead_submission_id, crm_lead_id: 'x' }, 'lead_public_id');
        await assertRefused(
          { lead_id, lead_submission_public_id: id, crm_lead_id: 'x' },
          'lead_submission_public_id',
        );
      }
      for (const id of numbers) {
        await assertRefused({ lead_id: id, lead_submission_id, crm_lead_id: 'x' }, 'lead_id');
        await assertRefused({ lead_id, lead_submission_id: id, crm_lead_id: 'x' }, 'lead_submission_id');
      }
      await assertRefused('{"lead_id": 1e999, "crm_lead_id": "x"}', 'lead_id');
    });
  });

  test('413 for a body over 256 KiB, and not for one of just that size', async () => {
    const body = { lead_id: lead.lead_id, crm_lead_id: 'crm-17' };
    const over = await report(service, CRM_CALLBACK, padded(body, BODY_BYTES_MAX + 1));
    assert.equal(over.status, 413);
    assert.equal(typeof over.body.error, 'string');
    assert.equal((await stored()).lead, null);
    const just = await report<CrmIdAnswer>(service, CRM_CALLBACK, padded(body, BODY_BYTES_MAX));
    assert.equal(just.status, 200);
  });
});

onBothStores('POST /lead.capture/flow-callback', (kind) => {
  let receiver: Receiver;
  let service: TestService;
  before(async () => {
    receiver = await startReceiver();
    service = await startService(kind, { env: { ...ENV, FLOW_WEBHOOK_URL: receiver.url } });
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });
  beforeEach(() => receiver.reset());

  const forwarded = () => within('Forwarding', service.app.forwarding.settled());
  const URL_OF_EXECUTION = 'https://flows.example/execution/42?tab=log#end';

  /** A lead that has been forwarded. */
  async function sentLead(): Promise<string> {
    await capture(service);
    await forwarded();
    const [{ body } = assert.fail()] = receiver.received;
    return JSON.parse(body).flow_send_public_id;
  }

  async function shown(id: string): Promise<FlowSend> {
    const { flow_sends } = await service.get<{ flow_sends: FlowSend[] }>('/analytics/flow-sends');
    return flow_sends.find((send) => send.flow_send_public_id === id) ?? assert.fail();
  }

  test('the whole body is stored on the send, and the dashboard shows a link to the execution', async () => {
    const flow_send_public_id = await sentLead();
    const before = await shown(flow_send_public_id);
    assert.equal(before.callback, null);
    const callback = {
      flow_send_public_id,
      flow_execution_url: URL_OF_EXECUTION,
      flow_execution_id: 'execution-42',
      flow_execution_status: 'success',
      steps: [{ name: 'Größe “x”', ok: true, took: 1.25, error: null }, []],
      empty: {},
    };
    const answer = await report<object>(service, FLOW_CALLBACK, callback);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      ok: true,
      flow_send_public_id,
      flow_execution_url: URL_OF_EXECUTION,
      flow_execution_status: 'success',
    });
    assert.deepEqual(await shown(flow_send_public_id), {
      ...before,
      flow_execution_url: URL_OF_EXECUTION,
      flow_execution_id: 'execution-42',
      flow_execution_status: 'success',
      callback,
    });
  });

  test('flow_execution_id and flow_execution_status need not be sent', async () => {
    const flow_send_public_id = await sentLead();
    for (const more of [{}, { flow_execution_id: null, flow_execution_status: null }]) {
      const callback = { flow_send_public_id, flow_execution_url: URL_OF_EXECUTION, ...more };
      const answer = await report<object>(service, FLOW_CALLBACK, callback);
      assert.deepEqual(answer.body, {
        ok: true,
        flow_send_public_id,
        flow_execution_url: URL_OF_EXECUTION,
        flow_execution_status: null,
      });
      const send = await shown(flow_send_public_id);
      assert.deepEqual([send.flow_execution_id, send.flow_execution_status], [null, null]);
      assert.deepEqual(send.callback, callback);
    }
  });

  test('a later callback replaces the earlier one, and no other send is touched', async () => {
    const other = await sentLead();
    receiver.reset();
    const flow_send_public_id = await sentLead();
    for (const flow_execution_status of ['running', 'error']) {
      const callback = {
        flow_send_public_id,
        flow_execution_url: URL_OF_EXECUTION,
        flow_execution_id: 7,
        flow_execution_status,
      };
      assert.equal((await report(service, FLOW_CALLBACK, callback)).status, 200);
      const send = await shown(flow_send_public_id);
      assert.deepEqual([send.flow_execution_id, send.flow_execution_status], ['7', flow_execution_status]);
      assert.deepEqual(send.callback, callback);
    }
    assert.equal((await shown(other)).callback, null);
  });

  test('may come before the send’s own answer did, and stays when that comes', async () => {
    let early: object = {};
    receiver.answer(async (response) => {
      const { flow_send_public_id } = JSON.parse(receiver.received.at(-1)?.body ?? '');
      const callback = { flow_send_public_id, flow_execution_url: URL_OF_EXECUTION, early: true };
      const { status } = await report(service, FLOW_CALLBACK, callback);
      early = { callback: status, send: (await shown(flow_send_public_id)).status };
      answering(200)(response);
    });
    const flow_send_public_id = await sentLead();
    assert.deepEqual(early, { callback: 200, send: 'pending' });
    const send = await shown(flow_send_public_id);
    assert.deepEqual([send.status, send.attempts], ['delivered', 1]);
    assert.deepEqual(send.callback, {
      flow_send_public_id,
      flow_execution_url: URL_OF_EXECUTION,
      early: true,
    });
  });

  test('a UUID in upper case is the same UUID', async () => {
    const id = await sentLead();
    const callback = { flow_send_public_id: id.toUpperCase(), flow_execution_url: URL_OF_EXECUTION };
    assert.equal((await report(service, FLOW_CALLBACK, callback)).status, 200);
    assert.deepEqual((await shown(id)).callback, callback);
  });

  test('400 for a missing or invalid flow_send_public_id', async () => {
    const id = await sentLead();
    for (const flow_send_public_id of [undefined, null, '', 'send', id.slice(1), `${id} `, 42, [id], {}]) {
      const body = { flow_send_public_id, flow_execution_url: URL_OF_EXECUTION };
      const answer = await report(service, FLOW_CALLBACK, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.equal(answer.body.details?.[0]?.path, 'flow_send_public_id');
    }
    assert.equal((await shown(id)).callback, null);
  });

  test('400 for a missing or invalid flow_execution_url', async () => {
    const flow_send_public_id = await sentLead();
    for (const flow_execution_url of [
      undefined,
      null,
      '',
      'execution-42',
      'flows.example/42',
      '//flows.example/42',
      'https://',
      'http:flows.example',
      'ftp://flows.example/42',
      'javascript:alert(1)',
      ' https://flows.example',
      42,
      {},
    ]) {
      const body = { flow_send_public_id, flow_execution_url };
      const answer = await report(service, FLOW_CALLBACK, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.equal(answer.body.details?.[0]?.path, 'flow_execution_url');
    }
    assert.equal((await shown(flow_send_public_id)).callback, null);
  });

  test('400 for invalid JSON', async () => {
    for (const body of UNREADABLE)
      assert.equal((await report(service, FLOW_CALLBACK, body)).status, 400, body);
  });

  test('404 when there is no send with that id', async () => {
    for (const flow_send_public_id of [randomUUIDv7(), '11111111-1111-1111-1111-111111111111']) {
      const body = { flow_send_public_id, flow_execution_url: URL_OF_EXECUTION };
      const answer = await report(service, FLOW_CALLBACK, body);
      assert.equal(answer.status, 404, flow_send_public_id);
      assert.deepEqual(Object.keys(answer.body), ['error', 'code']);
    }
  });

  test('413 for a body over 256 KiB', async () => {
    const body = { flow_send_public_id: randomUUIDv7(), flow_execution_url: URL_OF_EXECUTION };
    assert.equal((await report(service, FLOW_CALLBACK, padded(body, BODY_BYTES_MAX + 1))).status, 413);
    assert.equal((await report(service, FLOW_CALLBACK, padded(body, BODY_BYTES_MAX))).status, 404);
  });
});

onBothStores('the callback secret', (kind) => {
  const service = useService(kind, { env: ENV });
  const saved = (crm_callback_secret: string | null) =>
    patch(service, '/analytics/settings', { crm_callback_secret });

  for (const path of [CRM_CALLBACK, FLOW_CALLBACK]) {
    /** With the secret, it is the body that is refused. */
    const status = async (headers: Record<string, string>, body: unknown = {}) =>
      (await report(service, path, body, headers)).status;

    test(`${path} takes it in Authorization or X-API-Key; of both the first valid one counts`, async () => {
      for (const headers of headersWith(CALLBACK_SECRET)) {
        assert.equal(await status(headers), 400, JSON.stringify(headers));
      }
    });

    test(`${path} answers 401 when it is missing or wrong, a prefix of it or any other key`, async () => {
      for (const headers of headersWithout(CALLBACK_SECRET, [INTEGRATION_KEY, WEBHOOK_SECRET])) {
        const answer = await report(service, path, {}, headers);
        assert.equal(answer.status, 401, JSON.stringify(headers));
        assert.deepEqual(Object.keys(answer.body), ['error', 'code']);
        assert.ok(!JSON.stringify(answer.body).includes(CALLBACK_SECRET));
      }
    });

    test(`${path} checks it before the body`, async () => {
      const wrong = { 'x-api-key': 'wrong' };
      for (const body of [...UNREADABLE, padded({}, BODY_BYTES_MAX + 1)]) {
        assert.equal(await status(wrong, body), 401, body.slice(0, 40));
      }
    });

    test(`${path} takes the one saved in the settings instead of the environment's, at once`, async () => {
      const fromEnvironment = { 'x-api-key': CALLBACK_SECRET };
      const fromSettings = { 'x-api-key': 'saved-secret' };
      await saved('saved-secret');
      assert.deepEqual([await status(fromSettings), await status(fromEnvironment)], [400, 401]);
      await saved(null);
      assert.deepEqual([await status(fromSettings), await status(fromEnvironment)], [401, 400]);
    });
  }
});

onBothStores('without a callback secret', (kind) => {
  for (const [what, env] of [
    ['none is configured', {}],
    ['an empty one is configured', { CRM_CALLBACK_SECRET: '' }],
    ['a blank one is configured', { CRM_CALLBACK_SECRET: ' ', CRM_WEBHOOK_SECRET: WEBHOOK_SECRET }],
  ] as const) {
    test(`503 when ${what}, whatever is sent, until one is saved`, async (t) => {
      const service = await startService(kind, { env });
      t.after(() => service.close());
      for (const path of [CRM_CALLBACK, FLOW_CALLBACK]) {
        for (const headers of [...headersWithout(' '), ...headersWith(WEBHOOK_SECRET)]) {
          const answer = await report(service, path, '{', headers);
          assert.equal(answer.status, 503, `${path} ${JSON.stringify(headers)}`);
          assert.deepEqual(Object.keys(answer.body), ['error', 'code']);
        }
        await patch(service, '/analytics/settings', { crm_callback_secret: CALLBACK_SECRET });
        assert.equal((await report(service, path, {})).status, 400);
        await patch(service, '/analytics/settings', { crm_callback_secret: '' });
        assert.equal((await report(service, path, {})).status, 503);
      }
      // Anybody can call, and nothing has failed.
      assert.equal(
        service.logged.find(({ level }) => level === 'error'),
        undefined,
      );
    });
  }
});
