import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import type { Overrides } from '../../server/src/app/open-parts.ts';
import { type App, buildApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config.ts';
import type { Environment } from '../../server/src/lib/environment.ts';
import { capturingLog, type LoggedLine } from './captured-log.ts';
import { fetchDescribed } from './checked-answers.ts';
import { copySqliteTemplate, createMigratedDatabase } from './migrated-stores.ts';
import { dropDatabase } from './postgres-server.ts';
import { assertSilent, watchStderr } from './stderr.ts';

/** The real service with real stores in a temporary directory, reached over HTTP. */

// As main.ts does it.
process.umask(0o077);

export const ADMIN_KEY = 'admin-key-for-tests';
export const MARKETING_KEY = 'marketing-key-for-tests';

const POSTGRES_MS_MAX = 20_000;

export const STORE_KINDS = ['sqlite', 'postgres'] as const;
export type StoreKind = (typeof STORE_KINDS)[number];

/** Declares the same tests once for each relational store. */
export function onBothStores(title: string, declare: (kind: StoreKind) => void): void {
  for (const kind of STORE_KINDS) describe(`${title} (${kind})`, () => declare(kind));
}

/**
 * Declares tests of what happens in a browser, to which the store makes no difference: about half of such suites run on
 * each, by their titles. What is stored is tested on both without a browser.
 */
export function onEitherStore(title: string, declare: (kind: StoreKind) => void): void {
  const kind = STORE_KINDS[title.length % STORE_KINDS.length] as StoreKind;
  describe(`${title} (${kind})`, () => declare(kind));
}

export type TestService = {
  url: string;
  app: App;
  /** Where its relational store is, for tests that look at rows. */
  database: { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };
  /** Lines logged so far. */
  logged: LoggedLine[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** A GET with the admin key, as JSON. */
  get<T = unknown>(path: string, headers?: Record<string, string>): Promise<T>;
  /** Resolves when everything accepted so far has been processed. */
  settled(): Promise<void>;
  /** Fails if the service has written to stderr. */
  close(): Promise<void>;
};

export type ServiceOptions = {
  env?: Environment;
  overrides?: Overrides;
  dataDir?: string;
  databaseUrl?: string;
  /** Lines that the service is expected to write to stderr. */
  stderr?: RegExp;
};

/** A service for all tests of the surrounding suite; it is there once they run. */
export function useService(kind: StoreKind, options: ServiceOptions = {}): TestService {
  const service = {} as TestService;
  before(async () => void Object.assign(service, await startService(kind, options)));
  after(() => service.close?.());
  return service;
}

/** For tests that start and stop services themselves. */
export async function startService(kind: StoreKind, options: ServiceOptions = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'leadtrail-test-')));
  const ownDatabase = kind === 'postgres' && options.databaseUrl === undefined;
  const databaseUrl = ownDatabase ? await createMigratedDatabase(postgresUrl()) : options.databaseUrl;
  if (kind === 'sqlite' && options.dataDir === undefined) await copySqliteTemplate(dataDir);
  const logged: TestService['logged'] = [];
  const stderr = watchStderr();
  const app = await buildApp(
    readConfig({
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      ANALYTICS_API_KEY: ADMIN_KEY,
      ANALYTICS_MARKETING_API_KEY: MARKETING_KEY,
      TRACK_RATE_LIMIT_PER_MINUTE: '0',
      CAPTURE_RATE_LIMIT_PER_MINUTE: '0',
      // Tests place their clients with the headers of these.
      EDGE: 'cloudflare,plain',
      ...(kind === 'postgres' ? { DATABASE_URL: databaseUrl } : {}),
      ...options.env,
    }),
    {
      log: capturingLog(logged),
      schedule: false,
      postgresMsMax: POSTGRES_MS_MAX,
      wrongKeysPerMinute: Number.POSITIVE_INFINITY,
      ...options.overrides,
    },
  );
  const url = `http://127.0.0.1:${await app.listen()}`;

  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= app.close().then(async () => {
      if (ownDatabase && databaseUrl !== undefined) await dropDatabase(databaseUrl);
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
      assertSilent(stderr(), options.stderr);
    });
    return closed;
  };

  return {
    url,
    app,
    database:
      databaseUrl === undefined
        ? { kind: 'sqlite', file: join(dataDir, 'leadtrail.db') }
        : { kind: 'postgres', url: databaseUrl },
    logged,
    post: (path, body, headers = {}) =>
      fetchDescribed(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async get<T>(path: string, headers: Record<string, string> = {}): Promise<T> {
      const response = await fetchDescribed(url + path, { headers: { 'x-api-key': ADMIN_KEY, ...headers } });
      if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as T;
    },
    async settled() {
      await Promise.all([app.ingest.settled(), app.loggedLeads.settled()]);
    },
    close,
  };
}

export function postgresUrl(): string {
  const url = process.env.TEST_POSTGRES_URL;
  if (url === undefined)
    throw new Error('Run the tests with `npm test`: it starts the PostgreSQL they need.');
  return url;
}
