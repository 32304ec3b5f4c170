import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { NOON } from '@leadtrail/testing/builders';
import {
  BODY_BYTES_MAX,
  CALLBACK_SECRET,
  CRM_CALLBACK,
  CRM_WEBHOOK,
  capture,
  type Headers,
  headersWith,
  headersWithout,
  padded,
  report,
  tellCrmId,
  WEBHOOK_SECRET,
} from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV, INTEGRATION_KEY } from '@leadtrail/testing/enquiries';
import { patch } from '@leadtrail/testing/management';
import { onBothStores, startService, type TestService, useService } from '@leadtrail/testing/service';
import { runJob } from '@leadtrail/testing/visits';
import { JOBS } from '../src/jobs/schedule.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/lib/utc-time.ts';

const UNMATCHED_KEPT_MS = 30 * DAY_MS;
const ENV = { ...CAPTURE_ENV, CRM_CALLBACK_SECRET: CALLBACK_SECRET, CRM_WEBHOOK_SECRET: WEBHOOK_SECRET };
const NO_MATCH = { ok: true, stored: false, reason: 'No lead or submission has this crm_lead_id yet.' };

type Activity = {
  lead_id: number;
  crm_lead_id: string;
  event_type: string;
  payload: string;
  received_at: number;
};

const COLUMNS = 'crm_lead_id, event_type, payload, received_at';
const activity = (service: TestService) =>
  rows<Activity>(service, `select lead_id, ${COLUMNS} from crm_activity order by id`);
const unmatched = (service: TestService) =>
  rows<Omit<Activity, 'lead_id'>>(service, `select ${COLUMNS} from unmatched_crm_events order by id`);

const send = (service: TestService, body: unknown, headers: Headers = { 'x-api-key': WEBHOOK_SECRET }) =>
  report<Record<string, unknown>>(service, CRM_WEBHOOK, body, headers);

/** An event that has to be taken, and what is said about it. */
async function told(service: TestService, body: object): Promise<unknown> {
  const answer = await send(service, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

onBothStores('POST /webhooks/crm/lead', (kind) => {
  const clock = aClock();
  let failure: Error | undefined;
  const service = useService(kind, {
    env: ENV,
    overrides: {
      now: clock.now,
      around: {
        store: (store) => ({
          ...store,
          recordCrmEvent: (event) =>
            failure === undefined ? store.recordCrmEvent(event) : Promise.reject(failure),
        }),
      },
    },
  });
  beforeEach(async () => {
    failure = undefined;
    clock.set(NOON);
    await rows(service, 'delete from crm_activity; delete from unmatched_crm_events');
    service.logged.length = 0;
  });

  describe('the lead of an event', () => {
    test('is the one with the CRM id: the full body is stored as its activity', async () => {
      const { lead_id } = await capture(service);
      await capture(service);
      await tellCrmId(service, { lead_id, crm_lead_id: 'crm-1' });
      const event = {
        stage: { name: 'Größe “x”', tags: ['a', null, 1.5, true], empty: {} },
        crm_lead_id: 'crm-1',
        event_type: 'status_changed',
        lead_id: 999,
      };
      clock.advance(HOUR_MS);
      assert.deepEqual(await told(service, event), { ok: true, stored: true, lead_id });
      const [stored, ...others] = await activity(service);
      assert.deepEqual(others, []);
      assert.deepEqual(
        { ...stored, payload: JSON.parse(stored?.payload ?? '') },
        {
          lead_id,
          crm_lead_id: 'crm-1',
          event_type: 'status_changed',
          payload: event,
          received_at: NOON + HOUR_MS,
        },
      );
      assert.deepEqual(await unmatched(service), []);
    });

    test('is that of a submission with the CRM id when no lead has it', async () => {
      const { lead_id, lead_submission_id } = await capture(service);
      await tellCrmId(service, { lead_submission_id, crm_lead_id: 'crm-2' });
      assert.deepEqual(await told(service, { crm_lead_id: 'crm-2' }), { ok: true, stored: true, lead_id });
      assert.deepEqual(
        (await activity(service)).map((each) => each.lead_id),
        [lead_id],
      );
    });

    test('is looked for among the leads first, then among the submissions', async () => {
      const byLead = await capture(service);
      clock.advance(MINUTE_MS);
      const bySubmission = await capture(service);
      const crm_lead_id = 'crm-3';
      await tellCrmId(service, { lead_submission_id: bySubmission.lead_submission_id, crm_lead_id });
      assert.partialDeepStrictEqual(await told(service, { crm_lead_id }), { lead_id: bySubmission.lead_id });
      await tellCrmId(service, { lead_id: byLead.lead_id, crm_lead_id });
      assert.partialDeepStrictEqual(await told(service, { crm_lead_id, step: 2 }), {
        lead_id: byLead.lead_id,
      });
    });

    test('is that of the most recent submission by submission time, not by number', async () => {
      const crm_lead_id = 'crm-4';
      const submitted = async (at: number) => {
        clock.set(at);
        const lead = await capture(service);
        await tellCrmId(service, { lead_submission_id: lead.lead_submission_id, crm_lead_id });
        return lead;
      };
      await submitted(NOON);
      const latest = await submitted(NOON + HOUR_MS);
      const lastNumber = await submitted(NOON + MINUTE_MS);
      assert.ok(lastNumber.lead_submission_id > latest.lead_submission_id);
      assert.partialDeepStrictEqual(await told(service, { crm_lead_id }), { lead_id: latest.lead_id });

      const later = await submitted(NOON + 2 * HOUR_MS);
      assert.partialDeepStrictEqual(await told(service, { crm_lead_id, step: 2 }), {
        lead_id: later.lead_id,
      });
    });

    test('is the one that has the id now: an id that was replaced matches no more', async () => {
      const { lead_id } = await capture(service);
      await tellCrmId(service, { lead_id, crm_lead_id: 'crm-old' });
      await tellCrmId(service, { lead_id, crm_lead_id: 'crm-new' });
      assert.deepEqual(await told(service, { crm_lead_id: 'crm-old' }), NO_MATCH);
      assert.partialDeepStrictEqual(await told(service, { crm_lead_id: 'crm-new' }), { lead_id });
    });

    test('is not one whose CRM id is only similar', async () => {
      const { lead_id } = await capture(service);
      await tellCrmId(service, { lead_id, crm_lead_id: 'crm-5' });
      for (const crm_lead_id of ['CRM-5', 'crm-5x', 'crm-', '%', 'crm_5', "' or '1'='1"]) {
        assert.deepEqual(await told(service, { crm_lead_id }), NO_MATCH, crm_lead_id);
      }
      assert.partialDeepStrictEqual(await told(service, { crm_lead_id: ' crm-5 ' }), { lead_id });
    });
  });

  describe('an event', () => {
    test('without event_type is of the type updated', async () => {
      const { lead_id } = await capture(service);
      await tellCrmId(service, { lead_id, crm_lead_id: 'crm-6' });
      for (const sent of [{}, { event_type: null }, { event_type: '' }, { event_type: ' ' }]) {
        await told(service, { crm_lead_id: 'crm-6', ...sent });
      }
      for (const event_type of ['created', 'updated', 'status_changed', 'anything else']) {
        await told(service, { crm_lead_id: 'crm-6', event_type });
      }
      assert.deepEqual(
        (await activity(service)).map((each) => each.event_type),
        [...Array(4).fill('updated'), 'created', 'updated', 'status_changed', 'anything else'],
      );
    });

    test('is stored in order, and within an hour once however often the same body comes', async () => {
      const { lead_id } = await capture(service);
      await tellCrmId(service, { lead_id, crm_lead_id: 'crm-7' });
      const sent: [step: number, at: number][] = [
        [1, NOON],
        [2, NOON + MINUTE_MS],
        [2, NOON + HOUR_MS],
        [1, NOON + HOUR_MS],
        [2, NOON + HOUR_MS + MINUTE_MS],
      ];
      for (const [step, at] of sent) {
        clock.set(at);
        const answer = await told(service, { crm_lead_id: 'crm-7', step });
        assert.deepEqual(answer, { ok: true, stored: true, lead_id });
      }
      const stored = sent.toSpliced(2, 1);
      assert.deepEqual(
        (await activity(service)).map(({ payload, received_at }) => [JSON.parse(payload).step, received_at]),
        stored,
      );
    });

    test('is another one after others came in between: a stage may be reached again', async () => {
      const { lead_id } = await capture(service);
      await tellCrmId(service, { lead_id, crm_lead_id: 'crm-29' });
      for (const step of ['A', 'B', 'A', 'A']) await told(service, { crm_lead_id: 'crm-29', step });
      for (const step of ['A', 'B', 'A', 'A']) await told(service, { crm_lead_id: 'crm-none', step });
      for (const stored of [await activity(service), await unmatched(service)]) {
        assert.deepEqual(
          stored.map(({ payload }) => JSON.parse(payload).step),
          ['A', 'B', 'A'],
        );
      }
    });

    test('is another one once its id belongs to another lead', async () => {
      const [one, two] = [await capture(service), await capture(service)];
      const event = { crm_lead_id: 'crm-28', step: 1 };
      for (const { lead_id, lead_submission_id } of [one, two]) {
        await tellCrmId(service, { lead_submission_id, crm_lead_id: 'crm-28' });
        assert.deepEqual(await told(service, event), { ok: true, stored: true, lead_id });
        assert.deepEqual(await told(service, event), { ok: true, stored: true, lead_id });
      }
      assert.deepEqual(
        (await activity(service)).map(({ lead_id }) => lead_id),
        [one.lead_id, two.lead_id],
      );
    });

    test('with an event_id is stored once for its lead, whenever and with whatever it comes again', async () => {
      const [one, two] = [await capture(service), await capture(service)];
      await tellCrmId(service, { lead_id: one.lead_id, crm_lead_id: 'crm-16' });
      await tellCrmId(service, { lead_id: two.lead_id, crm_lead_id: 'crm-17' });
      for (const event_id of ['e-1', 7]) {
        for (const attempt of [1, 2]) {
          for (const [crm_lead_id, { lead_id }] of [
            ['crm-16', one],
            ['crm-17', two],
          ] as const) {
            const answer = await told(service, { crm_lead_id, event_id, attempt });
            assert.deepEqual(answer, { ok: true, stored: true, lead_id });
          }
          clock.advance(30 * DAY_MS);
        }
      }
      assert.deepEqual(
        (await activity(service)).map(({ lead_id, payload }) => [lead_id, JSON.parse(payload).event_id]),
        [
          [one.lead_id, 'e-1'],
          [two.lead_id, 'e-1'],
          [one.lead_id, 7],
          [two.lead_id, 7],
        ],
      );
    });

    test('with an event_id that is none goes by its body', async () => {
      for (const event_id of [null, '', ' ', {}, [1], true]) {
        const event = { crm_lead_id: 'crm-18', event_id };
        assert.deepEqual([await told(service, event), await told(service, event)], [NO_MATCH, NO_MATCH]);
      }
      assert.equal((await unmatched(service)).length, 6);
    });

    test('delivered ten times at once is stored once', async () => {
      const { lead_id } = await capture(service);
      await tellCrmId(service, { lead_id, crm_lead_id: 'crm-19' });
      for (const crm_lead_id of ['crm-19', 'crm-unknown']) {
        await Promise.all(Array.from({ length: 10 }, () => told(service, { crm_lead_id, event_id: 1 })));
      }
      assert.equal((await activity(service)).length, 1);
      assert.equal((await unmatched(service)).length, 1);
    });

    test('with NUL and lone surrogates is stored with U+FFFD instead, on both stores', async () => {
      const { lead_id } = await capture(service);
      await tellCrmId(service, { lead_id, crm_lead_id: 'crm-8' });
      const body = String.raw`{"crm_lead_id": "crm-8", "event_type": "a\u0000", "note": "\ud800 \u0000 \ud83d\ude00"}`;
      assert.equal((await send(service, body)).status, 200);
      const [stored = assert.fail()] = await activity(service);
      assert.equal(stored.event_type, 'a\uFFFD');
      assert.equal(JSON.parse(stored.payload).note, '\uFFFD \uFFFD 😀');
    });
  });

  describe('an event of an unknown lead', () => {
    test('is answered with 200, stored false and the reason, so that the CRM does not retry', async () => {
      await capture(service);
      const event = { crm_lead_id: 'crm-9', event_type: 'created', stage: 'won' };
      assert.deepEqual(await told(service, event), NO_MATCH);
      assert.deepEqual(await activity(service), []);
      assert.deepEqual(
        (await unmatched(service)).map((each) => ({ ...each, payload: JSON.parse(each.payload) })),
        [{ crm_lead_id: 'crm-9', event_type: 'created', payload: event, received_at: NOON }],
      );
    });

    test('is logged, without personal data', async () => {
      await told(service, {
        crm_lead_id: 'anna@example.org',
        event_type: 'created',
        name: 'Anna Karenina',
        contact: { email: 'anna@example.org', phone: '+49 228 123456' },
      });
      const lines = service.logged.filter(({ message }) => message === 'CRM event of an unknown lead');
      assert.deepEqual(lines, [{ level: 'info', message: 'CRM event of an unknown lead', fields: {} }]);
      assert.doesNotMatch(JSON.stringify(service.logged), /anna|karenina|\+49 228/i);
    });

    for (const key of [
      'lead_public_id',
      'lead_id',
      'lead_submission_public_id',
      'lead_submission_id',
    ] as const) {
      test(`is attached when a later callback brings its CRM id with ${key}, in order and with its own time`, async () => {
        const crm_lead_id = `crm-${key}`;
        const lead = await capture(service);
        for (const step of [1, 2, 3]) {
          await told(service, { crm_lead_id, event_type: `step-${step}`, step });
          await told(service, { crm_lead_id: `other-${step}` });
          clock.advance(MINUTE_MS);
        }
        const waiting = await unmatched(service);
        await tellCrmId(service, { [key]: lead[key], crm_lead_id });

        const expected = waiting
          .filter((event) => event.crm_lead_id === crm_lead_id)
          .map((event) => ({ lead_id: lead.lead_id, ...event }));
        assert.deepEqual(
          expected.map(({ received_at }) => received_at),
          [NOON, NOON + MINUTE_MS, NOON + 2 * MINUTE_MS],
        );
        assert.deepEqual(await activity(service), expected);
        assert.deepEqual(
          (await unmatched(service)).map((event) => event.crm_lead_id),
          ['other-1', 'other-2', 'other-3'],
        );

        // They are attached once, and what comes now comes after them.
        await tellCrmId(service, { [key]: lead[key], crm_lead_id });
        await told(service, { crm_lead_id, event_type: 'step-4' });
        assert.deepEqual(
          (await activity(service)).map(({ event_type }) => event_type),
          ['step-1', 'step-2', 'step-3', 'step-4'],
        );
      });
    }

    test('is kept once however often it comes, and known again once it has found its lead', async () => {
      const { lead_id } = await capture(service);
      const events = [{ crm_lead_id: 'crm-20', event_id: 'e' }, { crm_lead_id: 'crm-20' }];
      for (const event of [...events, ...events]) assert.deepEqual(await told(service, event), NO_MATCH);
      assert.equal((await unmatched(service)).length, 2);
      await tellCrmId(service, { lead_id, crm_lead_id: 'crm-20' });
      for (const event of events) {
        assert.deepEqual(await told(service, event), { ok: true, stored: true, lead_id });
      }
      assert.equal((await activity(service)).length, 2);
    });

    test('goes to the lead when a callback names a lead and a submission', async () => {
      const [one, two] = [await capture(service), await capture(service)];
      const crm_lead_id = 'crm-11';
      await told(service, { crm_lead_id });
      await tellCrmId(service, {
        lead_id: one.lead_id,
        lead_submission_id: two.lead_submission_id,
        crm_lead_id,
      });
      assert.deepEqual(
        (await activity(service)).map(({ lead_id }) => lead_id),
        [one.lead_id],
      );
    });

    test('goes on waiting when a callback finds no lead', async () => {
      await told(service, { crm_lead_id: 'crm-12' });
      const body = { lead_public_id: randomUUIDv7(), crm_lead_id: 'crm-12' };
      assert.equal((await report(service, CRM_CALLBACK, body)).status, 404);
      assert.equal((await unmatched(service)).length, 1);
      assert.deepEqual(await activity(service), []);
    });

    test('is kept for 30 days', async () => {
      const { lead_id } = await capture(service);
      await told(service, { crm_lead_id: 'crm-13', step: 1 });
      clock.advance(1);
      await told(service, { crm_lead_id: 'crm-13', step: 2 });
      await tellCrmId(service, { lead_id, crm_lead_id: 'crm-known' });
      await told(service, { crm_lead_id: 'crm-known' });
      const steps = async () => (await unmatched(service)).map(({ payload }) => JSON.parse(payload).step);

      await runJob(service, 'clean-up-crm-events', NOON + UNMATCHED_KEPT_MS);
      assert.deepEqual(await steps(), [1, 2]);
      await runJob(service, 'clean-up-crm-events', NOON + UNMATCHED_KEPT_MS + 1);
      assert.deepEqual(await steps(), [2]);
      await runJob(service, 'clean-up-crm-events', NOON + UNMATCHED_KEPT_MS + 2);
      assert.deepEqual(await steps(), []);
      // What has been matched stays.
      assert.equal((await activity(service)).length, 1);
    });
  });

  test('20 events and the callback at once: every event becomes activity exactly once', async () => {
    for (const key of ['lead_public_id', 'lead_submission_public_id'] as const) {
      for (let round = 0; round < 3; round += 1) {
        const lead = await capture(service);
        const crm_lead_id = `crm-${key}-${round}`;
        const events = Array.from({ length: 20 }, (_, step) => () => told(service, { crm_lead_id, step }));
        const tell = () => tellCrmId(service, { [key]: lead[key], crm_lead_id });
        // The callback once first, once in the middle and once last.
        await Promise.all(events.toSpliced(round * 10, 0, tell).map((begin) => begin()));

        const stored = (await activity(service)).filter((each) => each.crm_lead_id === crm_lead_id);
        const steps = stored.map(({ payload }) => JSON.parse(payload).step as number);
        assert.deepEqual(
          steps.toSorted((a, b) => a - b),
          Array.from(events.keys()),
        );
        assert.ok(stored.every(({ lead_id }) => lead_id === lead.lead_id));
        assert.deepEqual(await unmatched(service), []);
      }
    }
  });

  describe('errors', () => {
    test('400 for invalid JSON', async () => {
      for (const body of ['', '{', '{"crm_lead_id": "x"', 'crm_lead_id=x', 'null', '[]', '"text"', '7']) {
        assert.equal((await send(service, body)).status, 400, body);
      }
    });

    test('400 for a missing or invalid crm_lead_id', async () => {
      for (const crm_lead_id of [undefined, null, '', ' ', 2 ** 53, true, ['crm'], { id: 'crm' }]) {
        const answer = await send(service, { crm_lead_id, event_type: 'created' });
        assert.equal(answer.status, 400, JSON.stringify(crm_lead_id));
        assert.partialDeepStrictEqual(answer.body, { details: [{ path: 'crm_lead_id' }] });
      }
      assert.deepEqual(await unmatched(service), []);
    });

    test('401 when the secret is missing or wrong, before the body is looked at', async () => {
      for (const headers of headersWithout(WEBHOOK_SECRET, [INTEGRATION_KEY, CALLBACK_SECRET])) {
        const answer = await send(service, '{', headers);
        assert.equal(answer.status, 401, JSON.stringify(headers));
        assert.deepEqual(Object.keys(answer.body), ['error', 'code']);
      }
      for (const headers of headersWith(WEBHOOK_SECRET)) {
        assert.equal((await send(service, '{', headers)).status, 400, JSON.stringify(headers));
      }
    });

    test('413 for a body over 256 KiB', async () => {
      const event = { crm_lead_id: 'crm-14' };
      assert.equal((await send(service, padded(event, BODY_BYTES_MAX + 1))).status, 413);
      assert.deepEqual(await unmatched(service), []);
      assert.equal((await send(service, padded(event, BODY_BYTES_MAX))).status, 200);
    });

    test('500 for a database error while inserting, of which nothing is told', async () => {
      failure = new Error('insert into crm_activity: relation "crm_activity" does not exist');
      const answer = await send(service, { crm_lead_id: 'crm-15' });
      assert.equal(answer.status, 500);
      assert.deepEqual(Object.keys(answer.body), ['error', 'code']);
      assert.doesNotMatch(JSON.stringify(answer.body), /crm|insert|relation|stack/i);
      assert.ok(
        service.logged.some(({ level, fields }) => level === 'error' && fields.endpoint === 'crmEvent'),
      );
    });
  });
});

onBothStores('the secret of the CRM webhook', (kind) => {
  /** With the secret, it is the body that is refused. */
  const status = async (service: TestService, path: string, secret: string) =>
    (await report(service, path, {}, { 'x-api-key': secret })).status;

  async function assertSecrets(
    service: TestService,
    { webhook, callback }: { webhook: string; callback: string },
    all: readonly string[],
  ): Promise<void> {
    for (const secret of all) {
      assert.equal(await status(service, CRM_WEBHOOK, secret), secret === webhook ? 400 : 401, secret);
      assert.equal(await status(service, CRM_CALLBACK, secret), secret === callback ? 400 : 401, secret);
    }
  }

  test('is its own, and the callback secret when it has none; what is saved comes first, at once', async (t) => {
    const service = await startService(kind, { env: { CRM_CALLBACK_SECRET: 'env-callback' } });
    t.after(() => service.close());
    const all = ['env-callback', 'saved-callback', 'saved-webhook'];
    const save = (change: object) => patch(service, '/analytics/settings', change);

    await assertSecrets(service, { webhook: 'env-callback', callback: 'env-callback' }, all);
    await save({ crm_callback_secret: 'saved-callback' });
    await assertSecrets(service, { webhook: 'saved-callback', callback: 'saved-callback' }, all);
    await save({ crm_webhook_secret: 'saved-webhook' });
    await assertSecrets(service, { webhook: 'saved-webhook', callback: 'saved-callback' }, all);
    await save({ crm_callback_secret: '' });
    await assertSecrets(service, { webhook: 'saved-webhook', callback: 'env-callback' }, all);
    await save({ crm_webhook_secret: null });
    await assertSecrets(service, { webhook: 'env-callback', callback: 'env-callback' }, all);
  });

  test('of the environment is overridden by its own saved one, not by the saved callback secret', async (t) => {
    const service = await startService(kind, { env: ENV });
    t.after(() => service.close());
    const all = [CALLBACK_SECRET, WEBHOOK_SECRET, 'saved-callback', 'saved-webhook'];
    const save = (change: object) => patch(service, '/analytics/settings', change);

    await save({ crm_callback_secret: 'saved-callback' });
    await assertSecrets(service, { webhook: WEBHOOK_SECRET, callback: 'saved-callback' }, all);
    await save({ crm_webhook_secret: 'saved-webhook' });
    await assertSecrets(service, { webhook: 'saved-webhook', callback: 'saved-callback' }, all);
  });

  test('503 when neither secret is configured; an empty one is none', async (t) => {
    const service = await startService(kind, { env: { CRM_CALLBACK_SECRET: '', CRM_WEBHOOK_SECRET: ' ' } });
    t.after(() => service.close());
    for (const headers of [...headersWithout(' '), ...headersWith(WEBHOOK_SECRET)]) {
      assert.equal((await send(service, '{', headers)).status, 503, JSON.stringify(headers));
    }
    await patch(service, '/analytics/settings', { crm_webhook_secret: WEBHOOK_SECRET });
    assert.equal(await status(service, CRM_WEBHOOK, WEBHOOK_SECRET), 400);
    // Its own secret does not open the callbacks.
    assert.equal(await status(service, CRM_CALLBACK, WEBHOOK_SECRET), 503);
  });
});

test('unmatched events are cleaned up once an hour', () => {
  assert.equal(JOBS.find(({ name }) => name === 'clean-up-crm-events')?.cron, '0 * * * *');
});
