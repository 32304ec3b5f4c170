import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Auth, Endpoint } from '@leadtrail/contract/endpoint';
import { endpoints } from '@leadtrail/contract/endpoints';
import { call } from '@leadtrail/testing/analytics-calls';
import { WEBHOOK_SECRET } from '@leadtrail/testing/callbacks';
import { INTEGRATION_KEY, SITE_KEY, setUpSite } from '@leadtrail/testing/enquiries';
import { SECRETS } from '@leadtrail/testing/every-endpoint';
import { allowRecording } from '@leadtrail/testing/recordings';
import { ADMIN_KEY, MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';

/** Every endpoint with every credential, in every place it could be sent: what is let in follows from the contract. */

const ALL = Object.entries(endpoints) as [string, Endpoint][];

/** A shared link has to be made first. */
let sharedToken = '';

const CREDENTIALS = {
  none: null,
  wrong: 'a-key-that-nobody-has',
  marketing: MARKETING_KEY,
  admin: ADMIN_KEY,
  integration: INTEGRATION_KEY,
  callback: SECRETS.CRM_CALLBACK_SECRET,
  webhook: WEBHOOK_SECRET,
  get shared() {
    return sharedToken;
  },
} as const;
type Credential = keyof typeof CREDENTIALS;

/** Where a key may stand, and where it must not count. */
const PLACES = {
  'X-API-Key': (key: string) => ({ headers: { 'x-api-key': key } }),
  Bearer: (key: string) => ({ headers: { authorization: `Bearer ${key}` } }),
  Basic: (key: string) => ({ headers: { authorization: `Basic ${btoa(`admin:${key}`)}` } }),
  Authorization: (key: string) => ({ headers: { authorization: key } }),
  Cookie: (key: string) => ({ headers: { cookie: `api_key=${key}; x-api-key=${key}` } }),
  'X-Auth-Token': (key: string) => ({ headers: { 'x-auth-token': key, 'api-key': key } }),
  query: (key: string) => ({ query: `?api_key=${key}&key=${key}&x-api-key=${key}` }),
} as const satisfies Record<string, (key: string) => { headers?: Record<string, string>; query?: string }>;
type Place = keyof typeof PLACES;

type Expected = 'let in' | 401 | 403;

const AT_ONCE = 8;

const LET_IN: Readonly<Record<Exclude<Auth, 'public'>, readonly Credential[]>> = {
  shared: ['shared', 'marketing', 'admin'],
  marketing: ['marketing', 'admin'],
  admin: ['admin'],
  callback: ['callback'],
  'crm-webhook': ['webhook'],
};

function expectedOf({ auth, form }: Endpoint, credential: Credential, place: Place): Expected {
  if (form !== undefined) return expectedOfCapture(credential, place);
  if (auth === 'public') return 'let in';
  const isSeen = credential !== 'none' && (place === 'X-API-Key' || place === 'Bearer');
  if (isSeen && LET_IN[auth].includes(credential)) return 'let in';
  const isKnown = credential === 'shared' || credential === 'marketing';
  return isSeen && isKnown && (auth === 'admin' || auth === 'marketing') ? 403 : 401;
}

/** A lead without site and form needs the key of an integration, in the one header that is looked at. */
function expectedOfCapture(credential: Credential, place: Place): Expected {
  if (credential === 'none' || place !== 'X-API-Key') return 403;
  return credential === 'integration' ? 'let in' : 401;
}

onBothStores('every endpoint and every credential', (kind) => {
  const service = useService(kind, { env: { ...SECRETS, CRM_WEBHOOK_SECRET: WEBHOOK_SECRET } });
  let client = 0;

  /** Each from an address of its own, so that no limit is reached. */
  async function statusOf(declared: Endpoint, credential: Credential, place: Place): Promise<number> {
    client += 1;
    const key = CREDENTIALS[credential];
    const { headers = {}, query = '' }: { headers?: Record<string, string>; query?: string } =
      key === null ? {} : PLACES[place](key);
    // Of something that is not there, so that nothing changes.
    const path = declared.path.replaceAll(/:\w+/g, '999999');
    const response = await fetch(service.url + path + query, {
      method: declared.method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': `100.64.${client >> 8}.${client & 255}`,
        ...(declared.method === 'GET' ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(declared.method === 'GET' ? {} : { body: '{}' }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  async function assertTable(
    places: readonly Place[],
    credentialsOf: (declared: Endpoint) => readonly Credential[],
  ): Promise<void> {
    const wrong: string[] = [];
    const assertOne = async ([name, declared]: [string, Endpoint]) => {
      for (const credential of credentialsOf(declared)) {
        for (const place of places) {
          const expected = expectedOf(declared, credential, place);
          const status = await statusOf(declared, credential, place);
          const isRight =
            expected === 'let in' ? status < 500 && status !== 401 && status !== 403 : status === expected;
          if (!isRight) wrong.push(`${name} with ${credential} in ${place}: ${status}, not ${expected}`);
        }
      }
    };
    const left = ALL.values();
    const some = async () => {
      for (const each of left) await assertOne(each);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, some));
    assert.deepEqual(wrong, []);
  }

  before(async () => {
    assert.ok(ALL.length > 80);
    await allowRecording(service);
    await setUpSite(service);
    const { body } = await call<{ token: string }>(service, 'POST', '/analytics/shared-links', {
      body: { name: 'Client', sites: [SITE_KEY] },
    });
    sharedToken = body.token;
  });

  test('in the headers that count', () =>
    assertTable(['X-API-Key', 'Bearer'], () => Object.keys(CREDENTIALS) as Credential[]));

  test('a key that would be let in counts nowhere else', () =>
    assertTable(['Basic', 'Authorization', 'Cookie', 'X-Auth-Token', 'query'], ({ auth, form }) => {
      if (form !== undefined) return ['integration'];
      return auth === 'public' ? ['admin'] : LET_IN[auth];
    }));
});

describe('who may do what', () => {
  const authOf = (wanted: (declared: Endpoint) => boolean) =>
    ALL.filter(([, declared]) => wanted(declared)).map(([, { method, path }]) => `${method} ${path}`);

  /** The marketing key reads, and moves leads from stage to stage. */
  const MARKETING = [
    'GET /analytics/blocked-ip-leads',
    'GET /analytics/blocked-ips',
    'GET /analytics/engagement',
    'GET /analytics/engine/by-engagement',
    'GET /analytics/engine/by-project',
    'GET /analytics/engine/by-source',
    'GET /analytics/engine/overview',
    'GET /analytics/engine/projects',
    'GET /analytics/engine/sources',
    'GET /analytics/engine/submissions-daily',
    'GET /analytics/flow-sends',
    'GET /analytics/geo',
    'GET /analytics/leads',
    'GET /analytics/leads/:id',
    'GET /analytics/leads/export',
    'GET /analytics/leads/recent-submissions',
    'GET /analytics/leads/submissions',
    'GET /analytics/live',
    'GET /analytics/names',
    'GET /analytics/overview',
    'GET /analytics/pages/top',
    'GET /analytics/realtime',
    'GET /analytics/sessions/daily',
    'GET /analytics/sources',
    'GET /analytics/storage',
    'GET /analytics/testing-leads',
    'GET /analytics/views',
    'GET /analytics/whitelisted-ips',
    'GET /replay/:session_id',
    'GET /replay/sessions',
    'PATCH /analytics/leads/:id',
    'POST /analytics/leads/bulk',
    'POST /analytics/query/leads',
    'POST /analytics/query/submissions',
    'POST /analytics/query/visits',
  ];
  const PUBLIC = [
    'GET /docs',
    'GET /docs/:guide',
    'GET /forms/config',
    'GET /healthz',
    'GET /livez',
    'GET /openapi.json',
    'GET /readyz',
    'POST /',
    'POST /lead',
    'POST /lead.capture',
    'POST /track/events',
    'POST /track/replay',
    'POST /track/session/end',
    'POST /track/session/start',
  ];

  test('the marketing key may do this and nothing else', () => {
    const marketing = authOf(({ auth }) => auth === 'marketing');
    assert.deepEqual(marketing.sort(), MARKETING);
  });

  test('a shared link may do this and nothing else', () => {
    assert.deepEqual(authOf(({ auth }) => auth === 'shared').sort(), [
      'GET /analytics/query/fields',
      'GET /analytics/whoami',
      'POST /analytics/query',
    ]);
  });

  test('without a key there is this and nothing else', () => {
    assert.deepEqual(authOf(({ auth }) => auth === 'public').sort(), PUBLIC);
  });

  test('the callbacks and the webhook have secrets of their own', () => {
    assert.deepEqual(authOf(({ auth }) => auth === 'callback' || auth === 'crm-webhook').sort(), [
      'POST /lead.capture/crm-callback',
      'POST /lead.capture/flow-callback',
      'POST /webhooks/crm/lead',
    ]);
  });

  test('everything else wants the admin key', () => {
    const admin = authOf(({ auth }) => auth === 'admin');
    for (const each of [
      'GET /metrics',
      'GET /analytics/dropdown-options',
      'POST /analytics/erase',
      'GET /analytics/settings',
      'GET /analytics/retention',
      'POST /analytics/leads/:id/merge',
      'POST /analytics/leads/:id/forward',
      'POST /analytics/blocked-ip-leads/:id/accept',
      'POST /analytics/refresh',
    ]) {
      assert.ok(admin.includes(each), each);
    }
  });
});
