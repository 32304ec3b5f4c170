import { existsSync, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { openDuckdbAnswers } from '../adapters/duckdb-answers.ts';
import { openFileObjects } from '../adapters/file-objects.ts';
import type { CaptchaAddresses } from '../adapters/http-captcha.ts';
import { emptyInboxes } from '../adapters/inbox-folder.ts';
import { openIpDatabase } from '../adapters/ip-database.ts';
import { jsonFile } from '../adapters/json-file.ts';
import { openJsonLog } from '../adapters/json-log.ts';
import { type Keys, keysOf } from '../adapters/key-file.ts';
import { openMemoryCache } from '../adapters/memory-cache.ts';
import { ownDomains } from '../adapters/own-domains.ts';
import { explainDataDir, openPrivateFolder } from '../adapters/private-folder.ts';
import { openPrometheusMetrics } from '../adapters/prometheus-metrics.ts';
import type { Redis } from '../adapters/redis.ts';
import { openLeftoverInboxes, openSqliteInbox } from '../adapters/sqlite-inbox.ts';
import { openSqliteStore } from '../adapters/sqlite-store.ts';
import type { Config } from '../config.ts';
import { keyHash, keyPrefix } from '../domain/setup/integration-key.ts';
import {
  ANSWERS_DIR,
  DATABASE_FILE,
  INBOX_DIR,
  KEY_FILE,
  LEAD_LOG_DIR,
  OBJECTS_DIR,
  SENDERS_FILE,
} from '../lib/data-dir.ts';
import { reasonOf } from '../lib/errors.ts';
import { PROJECT_DIR } from '../lib/places.ts';
import type { Answers } from '../ports/answers.ts';
import type { Cache } from '../ports/cache.ts';
import type { Captcha } from '../ports/captcha.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Log } from '../ports/log.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { Webhook } from '../ports/webhook.ts';
import type { SenderSnapshot } from '../store/sender-snapshot.ts';
import type { Store } from '../store/store.ts';

/** Opens the adapters behind the ports. */

/** What tests may replace; everything else is always real. */
export type Overrides = {
  now?: () => number;
  random?: () => number;
  log?: Log;
  /** How long a request waits for PostgreSQL, so that a busy machine does not fail unrelated tests. */
  postgresMsMax?: number;
  /** How long a lead waits for its visit, for the same reason. */
  visitMsMax?: number;
  /** How many wrong keys a client may send within a minute. */
  wrongKeysPerMinute?: number;
  /** Endpoints of the captcha providers. */
  captchaAddresses?: CaptchaAddresses;
  /** Off: jobs run only when a test runs them. */
  schedule?: boolean;
  /** Wrap a part of the service, for example to fail at a chosen moment. */
  around?: {
    inbox?: (inbox: Inbox) => Inbox;
    leadLog?: (log: Inbox) => Inbox;
    store?: (store: Store) => Store;
    objects?: (objects: ObjectStore) => ObjectStore;
    cache?: (cache: Cache) => Cache;
    webhook?: (webhook: Webhook) => Webhook;
  };
};

export type Parts = Awaited<ReturnType<typeof openParts>>;

/** An answer may take two reads, and must still come within two seconds. */
const POSTGRES_MS_MAX = 1800;

/** More than anyone mistypes, and too few for guessing. */
const WRONG_KEYS_PER_MINUTE = 20;

/** After this long without an answer of the store, a lead goes to the lead log. */
const LEAD_MS_MAX = 1500;
/** How long a lead waits for the visit it came from. Usually 50 ms suffice; a backlog takes longer. */
const VISIT_MS_MAX = 300;

const { version: VERSION } = JSON.parse(readFileSync(join(PROJECT_DIR, 'package.json'), 'utf8')) as {
  version: string;
};

const IP_DATABASE = join(PROJECT_DIR, 'packages/server/build/ip-database.bin');

export async function openParts(config: Config, overrides: Overrides) {
  try {
    return await openAll(config, overrides);
  } catch (error) {
    throw explainDataDir(error, config.dataDir);
  }
}

async function openAll(config: Config, { around = {}, ...overrides }: Overrides) {
  const now = overrides.now ?? Date.now;
  const postgresMsMax = overrides.postgresMsMax ?? POSTGRES_MS_MAX;
  const random = overrides.random ?? Math.random;
  const log = overrides.log ?? openJsonLog(config.logLevel, (line) => process.stdout.write(line));
  openPrivateFolder(config.dataDir, { large: OBJECTS_DIR, log });
  const keyFile = join(config.dataDir, KEY_FILE);
  const keys = keysOf(config, keyFile);
  const inboxDir = join(config.dataDir, INBOX_DIR);
  const leadLogDir = join(config.dataDir, LEAD_LOG_DIR);
  const hasLostDatabase = lacksDatabase(config, { isFirstStart: keys.created || !existsSync(inboxDir) });

  const [openedStore, openedInbox, openedLeadLog] = await Promise.all([
    openStore(config, postgresMsMax, log),
    openSqliteInbox(inboxDir),
    openSqliteInbox(leadLogDir),
  ]);
  if (hasLostDatabase) {
    log.warn(`DATA_DIR has been used before, but has no ${DATABASE_FILE}: a new one was made`, {
      folder: config.dataDir,
    });
  }
  const openedObjects = await openObjects(config, log);
  const redis = await openRedis(config, keys, now, log);
  const openedCache = redis?.cache ?? openMemoryCache({ now });
  const openedWebhook = openWebhook();
  const metrics = openPrometheusMetrics({ version: VERSION, node: process.version });
  if (redis !== undefined) metrics.watchRedis(redis.isUp);
  const store = around.store?.(openedStore) ?? openedStore;
  metrics.watchPools(openedStore.pools);
  const opening = store.whenOpen();
  const settingUp = (opening ?? Promise.resolve()).then(() => setUp(store, config, keys, now()));
  // If the store is away, the service starts without it.
  if (opening === undefined) await settingUp;
  else settingUp.catch((error: Error) => log.error('initial setup failed', { reason: reasonOf(error) }));
  const openedAnswers = openAnswers(config, { store, inbox: openedInbox, now });

  return {
    now,
    random,
    log,
    keys,
    keyFile,
    metrics,
    wrongKeysPerMinute: overrides.wrongKeysPerMinute ?? WRONG_KEYS_PER_MINUTE,
    answerMsMax: config.database.kind === 'postgres' ? postgresMsMax : Number.POSITIVE_INFINITY,
    redis,
    store,
    inbox: around.inbox?.(openedInbox) ?? openedInbox,
    openLeftovers: () => openLeftoverInboxes(inboxDir),
    leadLog: around.leadLog?.(openedLeadLog) ?? openedLeadLog,
    openLeftoverLeadLogs: () => openLeftoverInboxes(leadLogDir),
    emptyInboxes: () => [inboxDir, leadLogDir].flatMap(emptyInboxes),
    leadMsMax: overrides.postgresMsMax ?? LEAD_MS_MAX,
    visitMsMax: overrides.visitMsMax ?? VISIT_MS_MAX,
    sendersFile: jsonFile<SenderSnapshot>(join(config.dataDir, SENDERS_FILE)),
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(config.dataDir);
      return bavail * bsize;
    },
    isStoreElsewhere: config.database.kind === 'postgres',
    objects: around.objects?.(openedObjects) ?? openedObjects,
    cache: around.cache?.(openedCache) ?? openedCache,
    webhook: around.webhook?.(openedWebhook) ?? openedWebhook,
    captcha: openCaptcha(overrides.captchaAddresses),
    answers: openedAnswers,
    ipDatabase: openIpDatabase(IP_DATABASE),
  };
}

/** The database was moved, or DATABASE_URL is missing from the environment. */
function lacksDatabase({ database, dataDir }: Config, { isFirstStart }: { isFirstStart: boolean }): boolean {
  return database.kind === 'sqlite' && !isFirstStart && !existsSync(join(dataDir, DATABASE_FILE));
}

async function openStore({ database, dataDir }: Config, postgresMsMax: number, log: Log): Promise<Store> {
  if (database.kind === 'sqlite') return openSqliteStore(join(dataDir, DATABASE_FILE));
  // Imported lazily: it takes more memory than the rest of this thread.
  const { openPostgresStore } = await import('../adapters/postgres-store.ts');
  return openPostgresStore(database, { requestMsMax: postgresMsMax, log });
}

async function openObjects({ objects, dataDir }: Config, log: Log): Promise<ObjectStore> {
  if (objects.kind === 'files') return openFileObjects(join(dataDir, OBJECTS_DIR));
  const { openS3Objects } = await import('../adapters/s3-objects.ts');
  return openS3Objects(objects, log);
}

async function openRedis(
  { redisUrl: url }: Config,
  { admin: adminKey }: Keys,
  now: () => number,
  log: Log,
): Promise<Redis | undefined> {
  if (url === undefined) return undefined;
  const redis = await import('../adapters/redis.ts');
  return redis.openRedis({ url, adminKey, now, log });
}

/** Imported with the first message: TLS takes memory even without a connection. */
function openWebhook(): Webhook {
  let opening: Promise<Webhook> | undefined;
  return {
    async send(...message) {
      opening ??= import('../adapters/http-webhook.ts').then(({ openHttpWebhook }) => openHttpWebhook());
      return (await opening).send(...message);
    },
    close: () => void opening?.then((webhook) => webhook.close()),
  };
}

/** Imported lazily for the same reason. */
function openCaptcha(addresses: CaptchaAddresses | undefined): Captcha {
  let opening: Promise<Captcha> | undefined;
  return {
    async verify(asked) {
      opening ??= import('../adapters/http-captcha.ts').then(({ openHttpCaptcha }) =>
        openHttpCaptcha(addresses),
      );
      return (await opening).verify(asked);
    },
    close: () => void opening?.then((captcha) => captcha.close()),
  };
}

/** A backlog this large means that more arrives than can be stored. */
const BUSY_RECORDS = 300;

/**
 * Its thread and DuckDB start with the first question, so that a service without questions pays for neither.
 */
function openAnswers(
  { database, dataDir }: Config,
  { store, inbox, now }: { store: Store; inbox: Inbox; now: () => number },
): Answers {
  const from =
    database.kind === 'sqlite' ? { kind: database.kind, file: join(dataDir, DATABASE_FILE) } : database;
  const isBusy = () => inbox.backlog().records > BUSY_RECORDS;
  return openDuckdbAnswers({
    place: { folder: join(dataDir, ANSWERS_DIR), store: from },
    store,
    now,
    isBusy,
  });
}

/** Stores what the configuration demands. */
async function setUp(store: Store, config: Config, keys: Keys, now: number): Promise<void> {
  if (config.leadCaptureApiKey !== undefined) {
    const key = config.leadCaptureApiKey;
    await store.upsertDefaultIntegration({ keyHash: keyHash(key), keyPrefix: keyPrefix(key), now });
  }
  // Only at the first start, so that a deleted demo site does not come back.
  if (!keys.created || !config.demo) return;
  await store.ensureDemoSite({ domains: ownDomains(config), now });
  await store.ensureDemoOptions();
}
