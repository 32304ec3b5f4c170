import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EDGE_NAMES, type EdgeName } from './domain/edges.ts';
import { bucketAddress } from './lib/bucket-address.ts';
import { isDatabaseUrl, isRedisUrl } from './lib/connection-url.ts';
import { editDistance } from './lib/edit-distance.ts';
import { type Environment, readVariables, type Variables } from './lib/environment.ts';
import { fileReason, OperatorError } from './lib/errors.ts';
import { type NetworkMatcher, parseNetworks } from './lib/ip-address.ts';
import { PROJECT_DIR } from './lib/places.ts';
import { SECOND_MS } from './lib/utc-time.ts';

/** Everything that can be set from outside. This is the only file that knows the environment variables. */
export type Config = {
  port: number;
  host: string | undefined;
  dataDir: string;
  publicUrl: string | undefined;
  database:
    | { kind: 'sqlite' }
    | {
        kind: 'postgres';
        url: string;
        readUrl: string | undefined;
        connections: number;
        /** Whether a pooler such as PgBouncer is in front of it. */
        isPooled: boolean;
      };
  redisUrl: string | undefined;
  objects:
    | { kind: 'files' }
    | {
        kind: 's3';
        bucket: string;
        /** The URL that keys of objects are appended to. */
        address: string;
        region: string | undefined;
        accessKeyId: string;
        secretAccessKey: string;
      };
  isTrustedProxy: NetworkMatcher;
  /** CDNs whose own headers are believed, if they come from trusted peers. */
  edges: readonly EdgeName[];
  /** Undefined: generated at the first start and kept in the data directory. */
  analyticsApiKey: string | undefined;
  marketingApiKey: string | undefined;
  leadCaptureApiKey: string | undefined;
  crmCallbackSecret: string | undefined;
  crmWebhookSecret: string | undefined;
  botLeadDetection: boolean;
  environment: string;
  analyticsCacheTtlSeconds: number;
  analyticsRefreshCooldownSeconds: number;
  engine: { accountId: string; apiToken: string } | undefined;
  flow: { webhookUrl: string | undefined; signingSecret: string | undefined; allowPrivateNetwork: boolean };
  /**
   * Off: nothing is sent to the automation platform, for example by a
   * copy of the service made for inspection.
   */
  isForwarding: boolean;
  /** Whether to create a site, form and page for trying things out; only with generated keys. */
  demo: boolean;
  trackRateLimitPerMinute: number;
  captureRateLimitPerMinute: number;
  legacyLeadRoutes: boolean;
  /** How long requests are still taken after the service has reported that it is not ready. */
  drainMs: number;
  /** Additional paths of the browser scripts and the tracking endpoints. */
  paths: { tracker: string; form: string; recorder: string; track: string };
  /** URI for vulnerability reports. */
  securityContact: string;
  logLevel: LogLevel;
  /** Variables that are set but never read, each with the name that was probably meant. */
  misspelledVariables: readonly { name: string; meant: string }[];
  /** Names of keys and secrets short enough to be guessed. */
  shortSecrets: readonly string[];
};

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Shorter ones can be guessed: a short admin key is refused, others cause a warning. */
export const SECRET_CHARS_MIN = 16;
const SECRETS = [
  'ANALYTICS_MARKETING_API_KEY',
  'LEAD_CAPTURE_API_KEY',
  'CRM_CALLBACK_SECRET',
  'CRM_WEBHOOK_SECRET',
  'FLOW_SIGNING_SECRET',
] as const;

/** Variables that are already set win; a missing file sets nothing. */
export function loadEnvFile(file = join(PROJECT_DIR, '.env')): void {
  try {
    // `loadEnvFile` reports any unreadable file as missing; reading it gives the real error.
    readFileSync(file);
    process.loadEnvFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    const reason = fileReason(error) ?? (error as Error).message;
    throw new OperatorError(`${file} cannot be read: ${reason}.`, { cause: error });
  }
}

/** Always sent in a header, unlike secrets for signatures. */
const KEYS = ['ANALYTICS_API_KEY', 'ANALYTICS_MARKETING_API_KEY', 'LEAD_CAPTURE_API_KEY'];
/** Node reads headers as Latin-1. */
const IN_NO_HEADER = /[^\x20-\x7e\x80-\xff]/;

export function readConfig(env: Environment): Config {
  const read = readVariables(env);
  const analyticsApiKey = read.text('ANALYTICS_API_KEY');
  const marketingApiKey = read.text('ANALYTICS_MARKETING_API_KEY');
  if (analyticsApiKey !== undefined && analyticsApiKey.length < SECRET_CHARS_MIN) {
    throw new OperatorError(`ANALYTICS_API_KEY must have at least ${SECRET_CHARS_MIN} characters.`);
  }
  if (marketingApiKey !== undefined && marketingApiKey === analyticsApiKey) {
    throw new OperatorError('ANALYTICS_MARKETING_API_KEY must differ from ANALYTICS_API_KEY.');
  }
  if (marketingApiKey !== undefined && analyticsApiKey === undefined) {
    throw new OperatorError('ANALYTICS_MARKETING_API_KEY needs ANALYTICS_API_KEY to be set as well.');
  }

  for (const name of KEYS) {
    if (IN_NO_HEADER.test(read.text(name) ?? ''))
      throw new OperatorError(`${name} has characters that no header can carry: use printable ASCII.`);
  }

  return {
    port: read.integer('PORT', 8787, { min: 0, max: 65_535 }),
    host: read.text('HOST'),
    dataDir: resolve(read.text('DATA_DIR') ?? join(PROJECT_DIR, 'data')),
    publicUrl: readPublicUrl(read),
    database: readDatabase(read),
    redisUrl: readRedis(read),
    objects: readObjects(read),
    isTrustedProxy: readTrustedProxies(read),
    edges: read.someOf('EDGE', EDGE_NAMES),
    analyticsApiKey,
    marketingApiKey,
    leadCaptureApiKey: read.text('LEAD_CAPTURE_API_KEY'),
    crmCallbackSecret: read.text('CRM_CALLBACK_SECRET'),
    crmWebhookSecret: read.text('CRM_WEBHOOK_SECRET'),
    botLeadDetection: read.flag('BOT_LEAD_DETECTION', analyticsApiKey === undefined),
    environment: read.text('ENVIRONMENT') ?? 'production',
    analyticsCacheTtlSeconds: read.integer('ANALYTICS_CACHE_TTL_SECONDS', 604_800, { min: 0 }),
    analyticsRefreshCooldownSeconds: read.integer('ANALYTICS_REFRESH_COOLDOWN_SECONDS', 1800, { min: 0 }),
    engine: readEngine(read),
    flow: {
      webhookUrl: read.url('FLOW_WEBHOOK_URL', ['http:', 'https:']),
      signingSecret: read.text('FLOW_SIGNING_SECRET'),
      allowPrivateNetwork: read.flag('FLOW_ALLOW_PRIVATE_NETWORK', false),
    },
    isForwarding: read.flag('FORWARDING', true),
    demo: read.flag('DEMO_SITE', true) && analyticsApiKey === undefined,
    trackRateLimitPerMinute: read.integer('TRACK_RATE_LIMIT_PER_MINUTE', 600, { min: 0 }),
    captureRateLimitPerMinute: read.integer('CAPTURE_RATE_LIMIT_PER_MINUTE', 60, { min: 0 }),
    legacyLeadRoutes: read.flag('LEGACY_LEAD_ROUTES', true),
    drainMs: read.integer('DRAIN_SECONDS', 5, { min: 0, max: 300 }) * SECOND_MS,
    paths: readPaths(read),
    securityContact: readSecurityContact(read),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    // Last, when all variables have been read.
    misspelledVariables: misspelledVariables(env, read),
    shortSecrets: SECRETS.filter((name) => (read.text(name)?.length ?? SECRET_CHARS_MIN) < SECRET_CHARS_MIN),
  };
}

/** Variables that nothing reads, but whose names resemble one that is read. */
function misspelledVariables(env: Environment, { asked }: Variables): Config['misspelledVariables'] {
  const known = [...asked, ...OBJECT_STORE_VARIABLES].filter((name) => name.length >= GUESSED_CHARS_MIN);
  return Object.keys(env)
    .filter((name) => !asked.has(name) && name.length >= GUESSED_CHARS_MIN)
    .flatMap((name) => {
      const meant = known.find((each) => each !== name && editDistance(each, name) <= TYPOS_MAX);
      return meant === undefined ? [] : [{ name, meant }];
    });
}

/** Shorter names resemble too many others. */
const GUESSED_CHARS_MIN = 6;
const TYPOS_MAX = 2;

/** Maximum, not counting those for migrations and questions. */
const POSTGRES_CONNECTIONS = 22;

function readDatabase(read: Variables): Config['database'] {
  const url = readDatabaseUrl(read, 'DATABASE_URL');
  const readUrl = readDatabaseUrl(read, 'DATABASE_READ_URL');
  if (url === undefined && readUrl !== undefined) {
    throw new OperatorError('DATABASE_READ_URL is the replica of DATABASE_URL, which is not set.');
  }
  const connections = read.integer('DATABASE_CONNECTIONS', POSTGRES_CONNECTIONS, { min: 4, max: 500 });
  const isPooled = read.flag('DATABASE_POOLER', false);
  return url === undefined ? { kind: 'sqlite' } : { kind: 'postgres', url, readUrl, connections, isPooled };
}

/** Other addresses are made of it, and anyone may see them. */
function readPublicUrl(read: Variables): string | undefined {
  const url = read.url('PUBLIC_URL', ['http:', 'https:']);
  const { username, password, search, hash } = URL.parse(url ?? '') ?? {};
  if (username || password || search || hash)
    throw new OperatorError('PUBLIC_URL must not have a user, a password, a query or a fragment in it.');
  return url?.replace(/\/+$/, '');
}

function readDatabaseUrl(read: Variables, name: string): string | undefined {
  const url = read.text(name);
  if (url === undefined || !/^postgres(ql)?:\/\//i.test(url))
    return read.url(name, ['postgres:', 'postgresql:']);
  if (!isDatabaseUrl(url)) {
    throw new OperatorError(
      `${name} must be like postgres://user:password@host:5432/leadtrail, with special characters in the password percent-encoded, such as % as %25, / as %2F and # as %23.`,
    );
  }
  return url;
}

/** Scripts set them to '' to start a service without the configured object store. */
export const OBJECT_STORE_VARIABLES = [
  'S3_BUCKET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_ENDPOINT',
  'S3_REGION',
] as const;

function readObjects(read: Variables): Config['objects'] {
  const endpoint = read.url('S3_ENDPOINT', ['http:', 'https:']);
  const region = read.text('S3_REGION');
  const given = OBJECT_STORE_VARIABLES.find((name) => read.text(name) !== undefined);
  if (given === undefined) return { kind: 'files' };
  const needed = (name: string): string => {
    const value = read.text(name);
    if (value === undefined)
      throw new OperatorError(`${given} is set, but an object store needs ${name} too.`);
    return value;
  };
  const bucket = needed('S3_BUCKET');
  const accessKeyId = needed('S3_ACCESS_KEY_ID');
  const secretAccessKey = needed('S3_SECRET_ACCESS_KEY');
  if (!/^[!-~]+$/.test(accessKeyId)) {
    throw new OperatorError('S3_ACCESS_KEY_ID must not have spaces or other invisible characters in it.');
  }
  try {
    const address = bucketAddress({ bucket, endpoint, region });
    return { kind: 's3', bucket, address, region, accessKeyId, secretAccessKey };
  } catch (error) {
    throw new OperatorError((error as Error).message);
  }
}

function readRedis(read: Variables): string | undefined {
  const url = read.url('REDIS_URL', ['redis:', 'rediss:']);
  if (url !== undefined && !isRedisUrl(url)) {
    throw new OperatorError(
      'REDIS_URL must be like redis://user:password@host:6379/0, with a % in the password written as %25.',
    );
  }
  return url;
}

function readTrustedProxies(read: Variables): NetworkMatcher {
  try {
    return parseNetworks(read.raw('TRUSTED_PROXIES') ?? 'loopback,linklocal,uniquelocal');
  } catch (error) {
    throw new OperatorError(`TRUSTED_PROXIES: ${(error as Error).message}`);
  }
}

function readPaths(read: Variables): Config['paths'] {
  const given = new Set<string>();
  function free(name: string, byDefault: string): string {
    const path = read.path(name, byDefault);
    const [, start = ''] = path.split('/');
    if (RESERVED.has(start) || given.has(path))
      throw new OperatorError(`${name} cannot be ${path}, which is in use.`);
    given.add(path);
    return path;
  }
  return {
    tracker: free('TRACKER_SCRIPT_PATH', '/t.js'),
    form: free('FORM_SCRIPT_PATH', '/f.js'),
    recorder: free('RECORDER_SCRIPT_PATH', '/r.js'),
    track: free('TRACK_PATH', '/track'),
  };
}

/** First segments of the service's other paths. */
const RESERVED: ReadonlySet<string> = new Set([
  '.well-known',
  'analytics',
  'dashboard',
  'demo',
  'docs',
  'forms',
  'healthz',
  'lead',
  'lead.capture',
  'livez',
  'metrics',
  'openapi.json',
  'readyz',
  'replay',
  'webhooks',
]);

/** Default: the mailbox that RFC 2142 reserves for it. */
function readSecurityContact(read: Variables): string {
  const { hostname = 'localhost' } = URL.parse(read.text('PUBLIC_URL') ?? '') ?? {};
  return read.url('SECURITY_CONTACT', ['mailto:', 'https:']) ?? `mailto:security@${hostname}`;
}

function readEngine(read: Variables): Config['engine'] {
  const accountId = read.text('EDGE_ACCOUNT_ID');
  const apiToken = read.text('ANALYTICS_ENGINE_API_TOKEN');
  return accountId === undefined || apiToken === undefined ? undefined : { accountId, apiToken };
}
