import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../src/config.ts';
import type { Environment } from '../src/lib/environment.ts';
import { OperatorError } from '../src/lib/errors.ts';
import { PROJECT_DIR } from '../src/lib/places.ts';

const SECRETS = [
  'ANALYTICS_API_KEY',
  'ANALYTICS_MARKETING_API_KEY',
  'LEAD_CAPTURE_API_KEY',
  'CRM_CALLBACK_SECRET',
  'CRM_WEBHOOK_SECRET',
  'FLOW_SIGNING_SECRET',
  'ANALYTICS_ENGINE_API_TOKEN',
] as const;

/** The sentence with which the start is refused. */
function refusal(env: Environment): string {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error));
    return error.message;
  }
  return assert.fail(`Not refused: ${JSON.stringify(env)}`);
}

test('nothing has to be set', () => {
  const { isTrustedProxy, ...config } = readConfig({});
  assert.deepEqual(config, {
    port: 8787,
    host: undefined,
    dataDir: join(PROJECT_DIR, 'data'),
    publicUrl: undefined,
    database: { kind: 'sqlite' },
    redisUrl: undefined,
    objects: { kind: 'files' },
    edges: [],
    analyticsApiKey: undefined,
    marketingApiKey: undefined,
    leadCaptureApiKey: undefined,
    crmCallbackSecret: undefined,
    crmWebhookSecret: undefined,
    botLeadDetection: true,
    environment: 'production',
    analyticsCacheTtlSeconds: 604_800,
    analyticsRefreshCooldownSeconds: 1800,
    engine: undefined,
    flow: { webhookUrl: undefined, signingSecret: undefined, allowPrivateNetwork: false },
    isForwarding: true,
    demo: true,
    trackRateLimitPerMinute: 600,
    captureRateLimitPerMinute: 60,
    legacyLeadRoutes: true,
    drainMs: 5000,
    paths: { tracker: '/t.js', form: '/f.js', recorder: '/r.js', track: '/track' },
    securityContact: 'mailto:security@localhost',
    logLevel: 'info',
    misspelledVariables: [],
    shortSecrets: [],
  });
});

test('TRUSTED_PROXIES: loopback, linklocal and uniquelocal by default', () => {
  const { isTrustedProxy } = readConfig({});
  for (const ip of [
    '127.0.0.1',
    '::1',
    '169.254.1.1',
    'fe80::1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.0.1',
    'fd00::1',
  ]) {
    assert.equal(isTrustedProxy(ip), true, ip);
  }
  for (const ip of ['203.0.113.1', '2001:db8::1', '172.32.0.1']) assert.equal(isTrustedProxy(ip), false, ip);
});

test('TRUSTED_PROXIES: CIDRs, addresses and names; set to nothing trusts no one', () => {
  const { isTrustedProxy } = readConfig({ TRUSTED_PROXIES: '203.0.113.0/24, 2001:db8::/32, loopback' });
  assert.deepEqual(['203.0.113.9', '2001:db8:1::1', '127.0.0.1', '10.0.0.1'].map(isTrustedProxy), [
    true,
    true,
    true,
    false,
  ]);
  assert.equal(readConfig({ TRUSTED_PROXIES: '' }).isTrustedProxy('127.0.0.1'), false);
});

test('everything can be set', () => {
  const { isTrustedProxy, ...config } = readConfig({
    PORT: '80',
    HOST: '::1',
    DATA_DIR: '/var/lib/leadtrail',
    PUBLIC_URL: 'https://leads.example/base//',
    DATABASE_URL: 'postgres://user:password@host/db',
    DATABASE_READ_URL: 'postgresql://user:password@replica/db',
    DATABASE_CONNECTIONS: '40',
    DATABASE_POOLER: 'on',
    REDIS_URL: 'rediss://user:pass%25word@host:6380/2',
    S3_ENDPOINT: 'https://objects.example:9000',
    S3_BUCKET: 'leads',
    S3_REGION: 'eu-central-1',
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret',
    EDGE: ' Plain,cloudflare,',
    ANALYTICS_API_KEY: 'admin-key-of-some-length',
    ANALYTICS_MARKETING_API_KEY: 'marketing',
    LEAD_CAPTURE_API_KEY: 'capture',
    CRM_CALLBACK_SECRET: 'callback',
    CRM_WEBHOOK_SECRET: 'webhook',
    BOT_LEAD_DETECTION: 'on',
    ENVIRONMENT: 'staging',
    ANALYTICS_CACHE_TTL_SECONDS: '60',
    ANALYTICS_REFRESH_COOLDOWN_SECONDS: '0',
    EDGE_ACCOUNT_ID: 'account',
    ANALYTICS_ENGINE_API_TOKEN: 'token',
    FLOW_WEBHOOK_URL: 'http://flow.example/hook',
    FLOW_SIGNING_SECRET: 'signing',
    FLOW_ALLOW_PRIVATE_NETWORK: '1',
    FORWARDING: 'no',
    TRACK_RATE_LIMIT_PER_MINUTE: '0',
    CAPTURE_RATE_LIMIT_PER_MINUTE: '5',
    LEGACY_LEAD_ROUTES: 'off',
    DRAIN_SECONDS: '0',
    TRACKER_SCRIPT_PATH: '/a/stories.js',
    FORM_SCRIPT_PATH: '/enquiry.js',
    RECORDER_SCRIPT_PATH: '/film.js',
    TRACK_PATH: '/a/b-c',
    SECURITY_CONTACT: 'https://leads.example/security',
    LOG_LEVEL: 'DEBUG',
  });
  assert.deepEqual(config, {
    port: 80,
    host: '::1',
    dataDir: '/var/lib/leadtrail',
    publicUrl: 'https://leads.example/base',
    database: {
      kind: 'postgres',
      url: 'postgres://user:password@host/db',
      readUrl: 'postgresql://user:password@replica/db',
      connections: 40,
      isPooled: true,
    },
    redisUrl: 'rediss://user:pass%25word@host:6380/2',
    objects: {
      kind: 's3',
      bucket: 'leads',
      address: 'https://objects.example:9000/leads',
      region: 'eu-central-1',
      accessKeyId: 'key',
      secretAccessKey: 'secret',
    },
    edges: ['cloudflare', 'plain'],
    analyticsApiKey: 'admin-key-of-some-length',
    marketingApiKey: 'marketing',
    leadCaptureApiKey: 'capture',
    crmCallbackSecret: 'callback',
    crmWebhookSecret: 'webhook',
    botLeadDetection: true,
    environment: 'staging',
    analyticsCacheTtlSeconds: 60,
    analyticsRefreshCooldownSeconds: 0,
    engine: { accountId: 'account', apiToken: 'token' },
    flow: { webhookUrl: 'http://flow.example/hook', signingSecret: 'signing', allowPrivateNetwork: true },
    isForwarding: false,
    demo: false,
    trackRateLimitPerMinute: 0,
    captureRateLimitPerMinute: 5,
    legacyLeadRoutes: false,
    drainMs: 0,
    paths: { tracker: '/a/stories.js', form: '/enquiry.js', recorder: '/film.js', track: '/a/b-c' },
    securityContact: 'https://leads.example/security',
    logLevel: 'debug',
    misspelledVariables: [],
    shortSecrets: [
      'ANALYTICS_MARKETING_API_KEY',
      'LEAD_CAPTURE_API_KEY',
      'CRM_CALLBACK_SECRET',
      'CRM_WEBHOOK_SECRET',
      'FLOW_SIGNING_SECRET',
    ],
  });
});

test('secrets of sixteen characters are not warned of', () => {
  const env = { FLOW_SIGNING_SECRET: 's'.repeat(16), CRM_WEBHOOK_SECRET: 's'.repeat(15) };
  assert.deepEqual(readConfig(env).shortSecrets, ['CRM_WEBHOOK_SECRET']);
});

test('an empty secret is no secret', () => {
  for (const empty of ['', '   ', '\n']) {
    const config = readConfig(Object.fromEntries(SECRETS.map((name) => [name, empty])));
    assert.equal(config.analyticsApiKey, undefined);
    assert.equal(config.marketingApiKey, undefined);
    assert.equal(config.leadCaptureApiKey, undefined);
    assert.equal(config.crmCallbackSecret, undefined);
    assert.equal(config.crmWebhookSecret, undefined);
    assert.equal(config.flow.signingSecret, undefined);
    assert.equal(config.engine, undefined);
  }
});

test('other variables set to nothing have their default', () => {
  const { isTrustedProxy, ...config } = readConfig({
    PORT: '',
    HOST: '',
    DATA_DIR: '',
    DATABASE_URL: '',
    REDIS_URL: '',
    S3_ENDPOINT: '',
    S3_BUCKET: '',
    S3_REGION: '',
    S3_ACCESS_KEY_ID: '',
    S3_SECRET_ACCESS_KEY: '',
    BOT_LEAD_DETECTION: '',
    LEGACY_LEAD_ROUTES: '',
    LOG_LEVEL: '',
  });
  const { isTrustedProxy: _byDefault, ...defaults } = readConfig({});
  assert.deepEqual(config, defaults);
});

test('the demo is there where the service makes its keys, and can be switched off', () => {
  assert.equal(readConfig({ DEMO_SITE: 'on' }).demo, true);
  assert.equal(readConfig({ DEMO_SITE: 'off' }).demo, false);
  assert.equal(readConfig({ DEMO_SITE: 'on', ANALYTICS_API_KEY: 'sixteen-letters!' }).demo, false);
});

test('the engine exists when both its variables are set', () => {
  assert.equal(readConfig({ EDGE_ACCOUNT_ID: 'account' }).engine, undefined);
  assert.equal(readConfig({ ANALYTICS_ENGINE_API_TOKEN: 'token' }).engine, undefined);
});

test('DATABASE_URL has a host or a socket, with or without user, port, database and parameters', () => {
  for (const url of [
    'postgres://host',
    'postgres://user@host:5432/leadtrail',
    'postgres://user:p%2Fs%23s%25w%40d@[::1]:5432/leadtrail?sslmode=verify-full&sslrootcert=/etc/ca.pem',
    'postgres://user:p@ssword@host/leadtrail',
    'postgres:///leadtrail?host=/var/run/postgresql',
    'postgresql://user@/leadtrail?host=/var/run/postgresql',
    'postgresql://user:password@%2Fvar%2Frun%2Fpostgresql/leadtrail',
  ]) {
    const { database } = readConfig({ DATABASE_URL: url, DATABASE_READ_URL: url });
    assert.ok(database.kind === 'postgres', url);
    assert.deepEqual([database.url, database.readUrl], [url, url]);
  }
});

test('REDIS_URL is a host, with or without encryption, password, port and number', () => {
  for (const url of [
    'redis://host',
    'redis://host:6379/',
    'rediss://:password@[::1]:6380/15',
    'redis://a:b@c',
  ]) {
    assert.equal(readConfig({ REDIS_URL: url }).redisUrl, url);
  }
});

test('flags are true/1/on/yes or false/0/off/no, in any case', () => {
  for (const [name, read] of [
    ['BOT_LEAD_DETECTION', (env: Environment) => readConfig(env).botLeadDetection],
    ['FLOW_ALLOW_PRIVATE_NETWORK', (env: Environment) => readConfig(env).flow.allowPrivateNetwork],
    ['FORWARDING', (env: Environment) => readConfig(env).isForwarding],
    ['LEGACY_LEAD_ROUTES', (env: Environment) => readConfig(env).legacyLeadRoutes],
  ] as const) {
    for (const on of ['true', '1', 'on', 'yes', 'TRUE', ' On ']) assert.equal(read({ [name]: on }), true, on);
    for (const off of ['false', '0', 'off', 'no', 'Off']) assert.equal(read({ [name]: off }), false, off);
  }
});

const S3 = { S3_BUCKET: 'leads', S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'hunter2' };

test('S3: the region may be left out where there is an endpoint, and the endpoint where it is AWS', () => {
  const objects = (env: Environment) => {
    const config = readConfig({ ...S3, ...env }).objects;
    return config.kind === 's3' ? [config.address, config.region] : config.kind;
  };
  assert.deepEqual(objects({ S3_ENDPOINT: 'http://minio:9000' }), ['http://minio:9000/leads', undefined]);
  assert.deepEqual(objects({ S3_REGION: 'eu-west-1' }), [
    'https://leads.s3.eu-west-1.amazonaws.com',
    'eu-west-1',
  ]);
  const r2 = 'https://account.r2.cloudflarestorage.com';
  assert.deepEqual(objects({ S3_ENDPOINT: r2, S3_REGION: 'auto' }), [`${r2}/leads`, 'auto']);
});

const LIKE_A_DATABASE =
  'must be like postgres://user:password@host:5432/leadtrail, with special characters in the password percent-encoded, such as % as %25, / as %2F and # as %23.';

const REFUSED: [string, Environment][] = [
  ['PORT must be a whole number from 0 to 65535, not "http".', { PORT: 'http' }],
  ['PORT must be a whole number from 0 to 65535, not "65536".', { PORT: '65536' }],
  ['PORT must be a whole number from 0 to 65535, not "-1".', { PORT: '-1' }],
  ['PORT must be a whole number from 0 to 65535, not "80.5".', { PORT: '80.5' }],
  [
    'TRACK_RATE_LIMIT_PER_MINUTE must be a whole number from 0 to 9007199254740991, not "lots".',
    { TRACK_RATE_LIMIT_PER_MINUTE: 'lots' },
  ],
  ['BOT_LEAD_DETECTION must be on or off, not "maybe".', { BOT_LEAD_DETECTION: 'maybe' }],
  [
    'TRACK_PATH must be a path such as /track, of letters, digits and -._~, not "stories".',
    { TRACK_PATH: 'stories' },
  ],
  [
    'FORM_SCRIPT_PATH must be a path such as /f.js, of letters, digits and -._~, not "/a b.js".',
    { FORM_SCRIPT_PATH: '/a b.js' },
  ],
  [
    'TRACKER_SCRIPT_PATH cannot be /analytics/x.js, which is in use.',
    { TRACKER_SCRIPT_PATH: '/analytics/x.js' },
  ],
  [
    'FORM_SCRIPT_PATH cannot be /x.js, which is in use.',
    { TRACKER_SCRIPT_PATH: '/x.js', FORM_SCRIPT_PATH: '/x.js' },
  ],
  ['LOG_LEVEL must be one of debug, info, warn, error.', { LOG_LEVEL: 'loud' }],
  ['PUBLIC_URL must be a URL starting with http:// or https://.', { PUBLIC_URL: 'leads.example' }],
  ...['https://user:pw@leads.example', 'https://leads.example/?q=1', 'https://leads.example/#h'].map(
    (PUBLIC_URL): [string, Environment] => [
      'PUBLIC_URL must not have a user, a password, a query or a fragment in it.',
      { PUBLIC_URL },
    ],
  ),
  ...['ANALYTICS_API_KEY', 'LEAD_CAPTURE_API_KEY'].map((name): [string, Environment] => [
    `${name} has characters that no header can carry: use printable ASCII.`,
    { [name]: 'a key with ✓ in it' },
  ]),
  [
    'DATABASE_URL must be a URL starting with postgres:// or postgresql://.',
    { DATABASE_URL: 'mysql://user:hunter2@host/db' },
  ],
  [
    'REDIS_URL must be a URL starting with redis:// or rediss://.',
    { REDIS_URL: 'http://user:hunter2@host:6379' },
  ],
  ...['redis://:hunter2@host/cache', 'redis://:hunter2%@host', 'redis:///hunter2', 'redis:hunter2'].map(
    (url): [string, Environment] => [
      'REDIS_URL must be like redis://user:password@host:6379/0, with a % in the password written as %25.',
      { REDIS_URL: url },
    ],
  ),
  ['FLOW_WEBHOOK_URL must be a URL starting with http:// or https://.', { FLOW_WEBHOOK_URL: 'ftp://a' }],
  ...[
    'postgres://lt:p@s/s:w#d@127.0.0.1:54510/hunter2',
    'postgres://lt:p@s/sw@127.0.0.1/hunter2',
    'postgres://lt:p%zzhunter2@127.0.0.1/leadtrail',
    'postgresql://lt:p/hunter2@127.0.0.1/leadtrail',
    'postgres://lt:1/hunter2@127.0.0.1',
    'postgres://lt:1?hunter2@127.0.0.1/leadtrail',
    'postgres://lt:1#hunter2@127.0.0.1/leadtrail',
  ].flatMap((url): [string, Environment][] => [
    [`DATABASE_URL ${LIKE_A_DATABASE}`, { DATABASE_URL: url }],
    [`DATABASE_READ_URL ${LIKE_A_DATABASE}`, { DATABASE_URL: 'postgres://host/db', DATABASE_READ_URL: url }],
  ]),
  [
    'DATABASE_READ_URL is the replica of DATABASE_URL, which is not set.',
    { DATABASE_READ_URL: 'postgres://user:hunter2@replica/db' },
  ],
  ['S3_ENDPOINT must be a URL starting with http:// or https://.', { S3_ENDPOINT: 's3.example' }],
  ['S3_ENDPOINT is set, but an object store needs S3_BUCKET too.', { S3_ENDPOINT: 'http://minio:9000' }],
  ['S3_REGION is set, but an object store needs S3_BUCKET too.', { S3_REGION: 'eu-west-1' }],
  ['S3_BUCKET is set, but an object store needs S3_ACCESS_KEY_ID too.', { S3_BUCKET: 'leads' }],
  [
    'S3_BUCKET is set, but an object store needs S3_SECRET_ACCESS_KEY too.',
    { ...S3, S3_SECRET_ACCESS_KEY: '' },
  ],
  [
    'S3_SECRET_ACCESS_KEY is set, but an object store needs S3_BUCKET too.',
    { S3_SECRET_ACCESS_KEY: 'hunter2' },
  ],
  ['S3_BUCKET needs S3_ENDPOINT, or S3_REGION for an AWS bucket.', S3],
  ['S3_BUCKET is not the name of a bucket.', { ...S3, S3_REGION: 'eu-west-1', S3_BUCKET: 'a/b' }],
  ['S3_REGION is not the name of a region.', { ...S3, S3_REGION: 'evil.example/' }],
  [
    'S3_ENDPOINT must not hold a user or a password.',
    { ...S3, S3_ENDPOINT: 'https://user:hunter2@objects.example' },
  ],
  [
    'S3_ENDPOINT must end with the host, or with the bucket after it.',
    { ...S3, S3_ENDPOINT: 'https://objects.example/store' },
  ],
  [
    'S3_ACCESS_KEY_ID must not have spaces or other invisible characters in it.',
    { ...S3, S3_REGION: 'eu-west-1', S3_ACCESS_KEY_ID: 'hunter2\nhunter2' },
  ],
  [
    'SECURITY_CONTACT must be a URL starting with mailto: or https://.',
    { SECURITY_CONTACT: 'me@example.org' },
  ],
  ['ANALYTICS_API_KEY must have at least 16 characters.', { ANALYTICS_API_KEY: 'fifteen-letters' }],
  [
    'EDGE must be a comma-separated list of cloudflare, vercel, cloudfront, appengine, plain, not "akamai".',
    { EDGE: 'cloudflare, akamai' },
  ],
  [
    'ANALYTICS_MARKETING_API_KEY must differ from ANALYTICS_API_KEY.',
    { ANALYTICS_API_KEY: 'hunter2-hunter2-hunter2', ANALYTICS_MARKETING_API_KEY: 'hunter2-hunter2-hunter2' },
  ],
  [
    'ANALYTICS_MARKETING_API_KEY needs ANALYTICS_API_KEY to be set as well.',
    { ANALYTICS_MARKETING_API_KEY: 'hunter2' },
  ],
  [
    'TRUSTED_PROXIES: "proxy" is not an IP address, a CIDR range or one of the names loopback, linklocal, uniquelocal.',
    { TRUSTED_PROXIES: '10.0.0.0/8, proxy' },
  ],
];
for (const [sentence, env] of REFUSED) {
  test(`a start is refused with one sentence: ${sentence}`, () => assert.equal(refusal(env), sentence));
}

test('every refusal is one sentence on one line that names its variable', () => {
  for (const [, env] of REFUSED) {
    const message = refusal(env);
    assert.match(message, /^[A-Z][A-Z0-9_]+\b[^\n]*\.$/);
    assert.ok(Object.keys(env).some((name) => message.includes(name)));
  }
});

test('no refusal repeats a secret', () => {
  const secret = 'hunter2';
  const urls = [
    'DATABASE_URL',
    'DATABASE_READ_URL',
    'FLOW_WEBHOOK_URL',
    'PUBLIC_URL',
    'REDIS_URL',
    'S3_ENDPOINT',
  ];
  const wrong = urls.map((name) => ({ [name]: `gopher://user:${secret}@host` }));
  const secrets = { ...Object.fromEntries(SECRETS.map((name) => [name, secret])), PORT: 'x' };
  const refused = REFUSED.map(([, env]) => env);
  for (const env of [...wrong, ...refused, secrets, { ...secrets, PORT: '1' }]) {
    assert.ok(!refusal(env).includes(secret), JSON.stringify(env));
  }
});

test('a variable that does not belong to the service is left alone', () => {
  assert.equal(readConfig({ PATH: '/bin', PORT_OFFSET: 'x', npm_config_port: '1' }).port, 8787);
});

test('a variable that resembles one is named with it, and others are left alone', () => {
  const env = {
    DATABSE_URL: 'x',
    S3_BUCKETS: 'x',
    LOG_LEVEL: 'info',
    PATH: '/bin',
    HOSTNAME: 'a',
    NODE_ENV: 'b',
  };
  assert.deepEqual(readConfig(env).misspelledVariables, [
    { name: 'DATABSE_URL', meant: 'DATABASE_URL' },
    { name: 'S3_BUCKETS', meant: 'S3_BUCKET' },
  ]);
});
