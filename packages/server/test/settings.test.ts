import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import type { Settings as SettingsSchema } from '@leadtrail/contract/settings';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { CRM_CALLBACK, report } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { patch } from '@leadtrail/testing/management';
import { useProcesses } from '@leadtrail/testing/processes';
import { MARKETING_KEY, onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import { seeded } from '@leadtrail/testing/torture/random';
import type { z } from 'zod';
import { openMemoryCache } from '../src/adapters/memory-cache.ts';
import type { Overrides } from '../src/app/open-parts.ts';
import { unavailable } from '../src/lib/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../src/lib/utc-time.ts';
import { SETTINGS_VERSION } from '../src/ports/cache.ts';

type Settings = z.output<typeof SettingsSchema>;

const SETTINGS = '/analytics/settings';
const CACHED_MS = MINUTE_MS;
/** How long a reading of them is waited for where there are others. */
const PATIENCE_MS = 200;
const SAVES = 100;

const DEFAULTS: Settings = {
  flow_enabled: false,
  flow_webhook_url: null,
  flow_webhook_url_refused: false,
  flow_signing_secret_set: false,
  flow_send_follow_ups: 'new_details',
  flow_risk_max: null,
  flow_send_stage_changes: false,
  crm_callback_secret_set: false,
  crm_webhook_secret_set: false,
  crm_stage_map: [],
  crm_value_fields: ['value', 'amount'],
  bot_lead_detection: false,
  callbacks_require_signature: false,
  internal_teams: [],
  duplicate_window_minutes: 60,
  analytics_refresh_cooldown_seconds: 1800,
  lead_drought_enabled: false,
  lead_drought_hours: 24,
  lead_drought_webhook_url: null,
  lead_drought_webhook_url_refused: false,
  archive_retention_days: 90,
  replay_retention_days: 30,
  session_retention_days: null,
  lead_retention_days: null,
  lead_retention_stages: ['lost', 'fake'],
  set_aside_retention_days: null,
  flow_send_body_retention_days: null,
  unmatched_event_retention_days: 30,
  replay_storage_mb: 5120,
  redacted_parameters: [],
  replay_sample_rate: 0,
  attribution_days: 90,
  portal_domains: [],
  blocked_email_domains: [],
  blocked_phones: [],
  blocked_words: [],
  disposable_email_domains: [],
  timezone: 'UTC',
  currency: 'EUR',
};

/** Every setting, each with another value than it has by default. */
const CHANGES = {
  flow_enabled: true,
  flow_webhook_url: 'https://flows.example/hook?key=1',
  flow_risk_max: 60,
  flow_send_stage_changes: true,
  crm_stage_map: [{ field: 'deal.stage', value: 'Closed won', stage: 'won' as const }],
  crm_value_fields: ['deal.amount'],
  bot_lead_detection: true,
  callbacks_require_signature: true,
  internal_teams: ['Inside Sales', 'Partners'],
  duplicate_window_minutes: 5,
  analytics_refresh_cooldown_seconds: 0,
  lead_drought_enabled: true,
  lead_drought_hours: 1.5,
  lead_drought_webhook_url: 'http://alerts.example/',
  archive_retention_days: 0,
  replay_retention_days: 36_500,
  session_retention_days: 400,
  lead_retention_days: 365,
  lead_retention_stages: ['fake', 'lost', 'new'],
  set_aside_retention_days: 90,
  flow_send_body_retention_days: 30,
  unmatched_event_retention_days: null,
  replay_storage_mb: 0,
  redacted_parameters: ['member_id'],
  replay_sample_rate: 0.25,
  attribution_days: 30,
  portal_domains: ['homes.example', 'immo.example'],
  blocked_email_domains: ['spam.example'],
  blocked_phones: ['+49 30 1234567'],
  blocked_words: ['casino'],
  disposable_email_domains: ['throwaway.example'],
  timezone: 'Europe/Berlin',
  currency: 'INR',
};
const SECRETS = {
  flow_signing_secret: 'whsec_signing-0123456789',
  crm_callback_secret: 'callback-0123456789',
  crm_webhook_secret: 'webhook-0123456789',
};
const SECRETS_SET = {
  flow_signing_secret_set: true,
  crm_callback_secret_set: true,
  crm_webhook_secret_set: true,
};

const shown = (service: TestService) => service.get<Settings>(SETTINGS);

/** Saves a change, which has to be taken, and answers with what holds then. */
async function save(service: TestService, change: object): Promise<Settings> {
  const { status, body } = await patch<Settings>(service, SETTINGS, change);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(await shown(service), body);
  return body;
}

onBothStores('the settings', (kind) => {
  const clock = aClock();
  const service = useService(kind, { env: CAPTURE_ENV, overrides: { now: clock.now } });
  beforeEach(async () => {
    await rows(service, 'delete from settings');
    // Whatever is remembered of them is older now.
    clock.advance(CACHED_MS);
  });

  test('GET shows each of them, by default', async () => {
    assert.deepEqual(await shown(service), DEFAULTS);
  });

  test('PATCH saves all of them and answers with what holds then', async () => {
    assert.deepEqual(await save(service, { ...CHANGES, ...SECRETS }), {
      ...DEFAULTS,
      ...CHANGES,
      ...SECRETS_SET,
    });
  });

  test('PATCH keeps what is left out', async () => {
    let expected = DEFAULTS;
    for (const [name, value] of Object.entries(CHANGES)) {
      expected = { ...expected, [name]: value };
      if (name === 'flow_enabled') continue;
      assert.partialDeepStrictEqual(await save(service, { [name]: value }), { [name]: value });
    }
    assert.deepEqual(await shown(service), { ...expected, flow_enabled: true });
    assert.deepEqual(await save(service, {}), { ...expected, flow_enabled: true });
  });

  test('PATCH leaves alone what is no setting', async () => {
    const sent = { unknown: 1, name: 'x', flow_signing_secret_set: true, constructor: 1, status: 'won' };
    assert.deepEqual(await save(service, sent), DEFAULTS);
    assert.deepEqual(await rows(service, 'select * from settings'), []);
  });

  describe('secrets', () => {
    test('can be written, but never be read: only whether they are set', async () => {
      const answers = [await save(service, SECRETS), await shown(service)];
      assert.deepEqual(answers[0], { ...DEFAULTS, ...SECRETS_SET });
      assert.equal((await patch(service, SETTINGS, { ...SECRETS, flow_enabled: 'no' })).status, 400);
      const told = JSON.stringify([answers, service.logged]);
      for (const secret of Object.values(SECRETS)) assert.ok(!told.includes(secret));
    });

    for (const [name, value] of Object.entries(SECRETS)) {
      test(`${name} is set by itself, and no longer when it is null, empty or blank`, async () => {
        for (const nothing of [null, '', ' \t']) {
          assert.deepEqual(await save(service, { [name]: value }), { ...DEFAULTS, [`${name}_set`]: true });
          assert.deepEqual(await save(service, { [name]: nothing }), DEFAULTS);
        }
      });
    }

    test('crm_webhook_secret is not set when only the callback secret is', async () => {
      const { crm_webhook_secret_set } = await save(service, { crm_callback_secret: 'callback' });
      assert.equal(crm_webhook_secret_set, false);
    });
  });

  describe('flow_enabled', () => {
    test('is true by default once a target URL is saved, and can be switched off', async () => {
      const flow_webhook_url = 'https://flows.example/';
      assert.equal((await save(service, { flow_webhook_url })).flow_enabled, true);
      assert.equal((await save(service, { flow_enabled: false })).flow_enabled, false);
      assert.equal((await save(service, { flow_webhook_url: 'https://other.example/' })).flow_enabled, false);
      assert.equal((await save(service, { flow_enabled: null })).flow_enabled, true);
      assert.equal((await save(service, { flow_webhook_url: '' })).flow_enabled, false);
    });

    test('decides whether a new lead is to be forwarded', async () => {
      const pending = async (EMAIL: string) => {
        await rows(service, 'delete from flow_sends');
        await sendFromServer(service, { EMAIL, PHONE: '' });
        return (await rows(service, 'select * from flow_sends')).length;
      };
      assert.equal(await pending('without-a-target@example.org'), 0);
      await save(service, { flow_enabled: true });
      assert.equal(await pending('still-without-a-target@example.org'), 0);
      await save(service, { flow_enabled: false, flow_webhook_url: 'http://127.0.0.1:9/' });
      assert.equal(await pending('switched-off@example.org'), 0);
      await save(service, { flow_enabled: null });
      assert.equal(await pending('switched-on@example.org'), 1);
    });
  });

  describe('400', () => {
    async function assertRefused(body: unknown, path?: string): Promise<Refusal> {
      const answer = await patch(service, SETTINGS, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      if (path !== undefined) {
        assert.ok(answer.body.error.includes(path), answer.body.error);
        const { details = [] } = answer.body;
        assert.deepEqual(new Set(details.map((detail) => detail.path.split('.')[0])), new Set([path]));
        for (const { message } of details) assert.match(message, /^must |^is /);
      }
      return answer.body;
    }

    for (const [name, values] of Object.entries({
      flow_enabled: ['true', 1, 0, {}, []],
      flow_webhook_url: [5, true, {}, ['https://flows.example/']],
      flow_signing_secret: [5, false, {}, ['secret']],
      crm_callback_secret: [5, false, {}, ['secret']],
      crm_webhook_secret: [5, false, {}, ['secret']],
      internal_teams: ['Sales', null, {}, [5], [''], [' '], [null]],
      redacted_parameters: ['member_id', null, {}, [5], [''], [' '], [null], ['x'.repeat(65)]],
      duplicate_window_minutes: ['60', null, 1.5, -1, true, 1e300],
      analytics_refresh_cooldown_seconds: ['60', null, 1.5, -1, [], 1e300],
      lead_drought_enabled: ['true', null, 1],
      lead_drought_hours: ['24', null, 0, -1, 1e300],
      lead_drought_webhook_url: [5, true, {}],
      session_retention_days: ['90', 1.5, true, -1, 36_501],
      lead_retention_days: ['90', 1.5, true, -1],
      lead_retention_stages: ['lost', ['gone'], null],
      set_aside_retention_days: ['90', 1.5, -1],
      flow_send_body_retention_days: ['90', 1.5, -1],
      unmatched_event_retention_days: ['90', 1.5, -1],
      archive_retention_days: ['90', null, 1.5, true, 1e300],
      replay_retention_days: ['30', null, 1.5, true, 1e300],
      attribution_days: ['30', null, 1.5, true, 0, -1, 3651],
      blocked_email_domains: ['spam.example', null, {}, [5], [''], ['spam'], [null]],
      blocked_phones: ['+4930123456', null, [5], [''], ['12'], [null]],
      blocked_words: ['casino', null, [5], [''], ['x'], ['x'.repeat(101)], [null]],
      disposable_email_domains: ['spam.example', null, [5], [''], [null]],
      portal_domains: ['immo.example', null, {}, [5], [''], ['a b.example'], ['portal'], [null]],
    })) {
      test(`${name} of the wrong type, with details`, async () => {
        for (const value of values) await assertRefused({ [name]: value }, name);
      });
    }

    test('a negative number of days', async () => {
      for (const name of ['archive_retention_days', 'replay_retention_days']) {
        const { details } = await assertRefused({ [name]: -1 }, name);
        assert.deepEqual(details, [{ path: name, message: 'must be at least 0' }]);
      }
    });

    test('a drought of no hours', async () => {
      const { details } = await assertRefused({ lead_drought_hours: 0 }, 'lead_drought_hours');
      assert.deepEqual(details, [{ path: 'lead_drought_hours', message: 'must be more than 0' }]);
    });

    test('a URL that is not http or https', async () => {
      for (const name of ['flow_webhook_url', 'lead_drought_webhook_url']) {
        for (const url of [
          'ftp://flows.example/',
          'javascript:alert(1)',
          'file:///etc/passwd',
          '//flows.example',
          'flows.example/hook',
          'https://',
          'https://a b/',
          ' ',
        ]) {
          const { details } = await assertRefused({ [name]: url }, name);
          assert.deepEqual(details, [{ path: name, message: 'must be an http or https URL' }]);
        }
        await assertRefused({ [name]: `https://flows.example/${'x'.repeat(2048)}` }, name);
      }
    });

    test('invalid JSON, or what is no object', async () => {
      for (const body of ['', '{', 'null', '[]', '"text"', '7']) await assertRefused(body);
    });

    test('of one setting saves none of the others', async () => {
      const { details } = await assertRefused({ ...CHANGES, internal_teams: 5, archive_retention_days: -1 });
      assert.deepEqual(details?.map(({ path }) => path).sort(), ['archive_retention_days', 'internal_teams']);
      assert.deepEqual(await shown(service), DEFAULTS);
    });
  });

  test('403 for the marketing key, 401 without a key, for reading and for writing', async () => {
    for (const method of ['GET', 'PATCH'] as const) {
      const body = method === 'PATCH' ? { duplicate_window_minutes: 1 } : undefined;
      const status = async (key: string | null) =>
        (await call(service, method, SETTINGS, { body, key })).status;
      assert.equal(await status(MARKETING_KEY), 403);
      assert.equal(await status(null), 401);
      assert.equal(await status('wrong'), 401);
    }
    assert.deepEqual(await shown(service), DEFAULTS);
  });

  test('405 with Allow for other methods', async () => {
    const answer = await call(service, 'DELETE', SETTINGS);
    assert.equal(answer.status, 405);
    assert.match(answer.headers.get('allow') ?? '', /GET.*PATCH/);
  });
});

onBothStores('with an environment that sets them', (kind) => {
  const service = useService(kind, {
    env: {
      FLOW_WEBHOOK_URL: 'http://127.0.0.1:9/environment',
      FLOW_SIGNING_SECRET: 'whsec_environment',
      CRM_CALLBACK_SECRET: 'environment-callback',
      CRM_WEBHOOK_SECRET: 'environment-webhook',
      ANALYTICS_REFRESH_COOLDOWN_SECONDS: '7',
    },
  });
  const FROM_ENVIRONMENT: Settings = {
    ...DEFAULTS,
    ...SECRETS_SET,
    flow_enabled: true,
    flow_webhook_url: 'http://127.0.0.1:9/environment',
    analytics_refresh_cooldown_seconds: 7,
  };

  test('the settings show the environment’s values, flow_enabled being true with its URL', async () => {
    assert.deepEqual(await shown(service), FROM_ENVIRONMENT);
  });

  test('saved values override them, and null or nothing takes a secret or URL back to them', async () => {
    for (const nothing of [null, '']) {
      const saved = await save(service, { ...SECRETS, flow_webhook_url: 'https://flows.example/saved' });
      assert.deepEqual(saved, { ...FROM_ENVIRONMENT, flow_webhook_url: 'https://flows.example/saved' });
      const takenBack = Object.fromEntries(Object.keys(SECRETS).map((name) => [name, nothing]));
      assert.deepEqual(await save(service, { ...takenBack, flow_webhook_url: nothing }), FROM_ENVIRONMENT);
    }
    const { analytics_refresh_cooldown_seconds } = await save(service, {
      analytics_refresh_cooldown_seconds: 0,
    });
    assert.equal(analytics_refresh_cooldown_seconds, 0);
  });

  test('an address in the own network may be saved, and is said to be refused unless it is the environment’s', async () => {
    const inside = 'http://10.0.0.1/hook';
    const saved = await save(service, {
      flow_webhook_url: inside,
      lead_drought_webhook_url: 'http://n8n:5678/',
    });
    assert.deepEqual([saved.flow_webhook_url, saved.flow_webhook_url_refused], [inside, true]);
    assert.equal(saved.lead_drought_webhook_url_refused, true);
    const back = await save(service, { flow_webhook_url: null, lead_drought_webhook_url: null });
    assert.deepEqual([back.flow_webhook_url_refused, back.lead_drought_webhook_url_refused], [false, false]);
  });

  test('forwarding can be switched off although the environment has a URL', async () => {
    const { flow_enabled, flow_webhook_url } = await save(service, { flow_enabled: false });
    assert.deepEqual([flow_enabled, flow_webhook_url], [false, FROM_ENVIRONMENT.flow_webhook_url]);
  });
});

onBothStores('the cache of the settings', (kind) => {
  const { clock, process, start } = useProcesses(kind, { CRM_CALLBACK_SECRET: 'first' });

  /** Whether a secret opens the callbacks: then it is the body that is refused. */
  async function opens(service: TestService, secret: string): Promise<boolean> {
    const { status } = await report(service, CRM_CALLBACK, {}, { 'x-api-key': secret });
    assert.ok(status === 400 || status === 401, String(status));
    return status === 400;
  }

  test('lasts 60 seconds: the process that saves sees a change at once, another one by then', async () => {
    const [one, other] = [await process(), await process()];
    for (const service of [one, other]) assert.ok(await opens(service, 'first'));

    await save(one, { crm_callback_secret: 'second' });
    assert.ok(await opens(one, 'second'));
    assert.ok(!(await opens(one, 'first')));
    clock.advance(CACHED_MS);
    assert.ok(await opens(other, 'second'));
    assert.ok(!(await opens(other, 'first')));

    // The other way round, and GET shows what is saved at any time.
    await save(other, { crm_callback_secret: null });
    assert.deepEqual(await shown(one), await shown(other));
    clock.advance(CACHED_MS);
    assert.ok(await opens(one, 'first'));
    assert.ok(!(await opens(one, 'second')));
  });

  test('spares all reads but one a minute, until something is saved', async () => {
    let reads = 0;
    const service = await process({
      store: (store) => ({
        ...store,
        readSettings() {
          reads += 1;
          return store.readSettings();
        },
      }),
    });
    const readsOf = async (work: () => Promise<unknown>) => {
      const before = reads;
      await work();
      return reads - before;
    };
    const askOften = () => Promise.all(Array.from({ length: 20 }, () => opens(service, 'first')));
    await opens(service, 'first');
    assert.equal(await readsOf(askOften), 0);
    clock.advance(CACHED_MS - 1);
    assert.equal(await readsOf(askOften), 0);
    clock.advance(1);
    assert.equal(await readsOf(askOften), 1);
    assert.equal(await readsOf(() => patch(service, SETTINGS, { crm_callback_secret: 'second' })), 1);
    assert.equal(await readsOf(askOften), 0);

    // A clock that is set back does not make it last.
    clock.advance(-HOUR_MS);
    assert.equal(await readsOf(askOften), 1);
  });

  test('while the store is away those of before hold, and nothing of it is remembered', async () => {
    let isAway = false;
    const service = await process({
      store: (store) => ({
        ...store,
        readSettings: () =>
          isAway ? Promise.reject(unavailable('The store is away.')) : store.readSettings(),
      }),
    });
    assert.ok(await opens(service, 'first'));
    isAway = true;
    assert.ok(await opens(service, 'first'));
    clock.advance(CACHED_MS);
    assert.ok(await opens(service, 'first'));
    await service.app.store.saveSettings({ crm_callback_secret: 'second' });
    isAway = false;
    assert.ok(await opens(service, 'second'));
    assert.ok(!(await opens(service, 'first')));
  });

  test('that processes share: they are never older than what was saved before they were asked for', async () => {
    const random = seeded(8);
    const aWhile = () => (random.chance(0.2) ? sleep(random.between(1, 20)) : nextRound());
    const cache = openMemoryCache({ now: Date.now });
    const around: Overrides['around'] = {
      cache: () => cache,
      // However long a reading takes, and wherever it is overtaken.
      store: (store) => ({
        ...store,
        async readSettings() {
          await aWhile();
          const read = await store.readSettings();
          await aWhile();
          return read;
        },
      }),
    };
    const overrides = { around };
    const services = [await start({ overrides }), await start({ overrides })] as const;
    let saved = 0;
    const looks: Promise<void>[] = [];
    async function look({ app }: TestService): Promise<void> {
      const [atLeast, startedAt] = [saved, performance.now()];
      const { duplicateWindowMinutes: found } = await app.settings.current();
      // Nobody waits for long: then those of before are given.
      if (atLeast === 0 || performance.now() - startedAt >= PATIENCE_MS) return;
      assert.ok(found >= atLeast, `${found} after ${atLeast} was saved`);
    }
    // Again and again, whether or not the look before has come to its end.
    const looking = setInterval(() => looks.push(...services.map(look)), 1);
    try {
      for (let next = 1; next <= SAVES; next += 1) {
        await random.pick(services).app.settings.save({ duplicate_window_minutes: next });
        saved = next;
        if (random.chance(0.1)) await cache.delete(SETTINGS_VERSION);
        await aWhile();
      }
    } finally {
      clearInterval(looking);
      await Promise.all(looks);
    }
  });

  test('503 when the store has been away from the beginning', async () => {
    const service = await start({
      overrides: {
        around: {
          store: (store) => ({
            ...store,
            readSettings: () => Promise.reject(unavailable('The store is away.')),
          }),
        },
      },
    });
    assert.equal((await report(service, CRM_CALLBACK, {}, { 'x-api-key': 'first' })).status, 503);
  });
});
