import { randomUUIDv7 } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { bundledFile, bundledFolder } from './adapters/bundled-file.ts';
import { openFileObjects } from './adapters/file-objects.ts';
import { openIpDatabase } from './adapters/ip-database.ts';
import { openJsonLog } from './adapters/json-log.ts';
import { KEY_FILE, type Keys, keysOf } from './adapters/key-file.ts';
import { openMemoryCache } from './adapters/memory-cache.ts';
import { ownDomains } from './adapters/own-domains.ts';
import { openPrometheusMetrics } from './adapters/prometheus-metrics.ts';
import type { Redis } from './adapters/redis.ts';
import { openLeftoverInboxes, openSqliteInbox } from './adapters/sqlite-inbox.ts';
import { openSqliteStore } from './adapters/sqlite-store.ts';
import { type Config, PROJECT_DIR } from './config.ts';
import { keyHash, keyPrefix } from './domain/setup/integration-key.ts';
import type { SettingDefaults } from './domain/setup/settings.ts';
import { type Adoption, makeAdoption } from './flows/adopt-inboxes.ts';
import { type AppSettings, makeAppSettings } from './flows/app-settings.ts';
import { makeEndSession } from './flows/end-session.ts';
import { type Forwarding, startForwarding } from './flows/forward-leads.ts';
import { type LeadIndexing, startLeadIndexing } from './flows/index-leads.ts';
import { type Ingest, startIngest } from './flows/ingest-tracking.ts';
import { makeSendTestLead } from './flows/send-test-lead.ts';
import { makeStartSession } from './flows/start-session.ts';
import { makeStoreReplay } from './flows/store-replay.ts';
import { makeTrackEvents } from './flows/track-events.ts';
import { makeViewLead } from './flows/view-lead.ts';
import { whenNeeded } from './flows/when-needed.ts';
import { makeAuthenticate, makeRequireSecret } from './http/authenticate.ts';
import { browserScripts } from './http/browser-scripts.ts';
import { makeClientGeo } from './http/client-geo.ts';
import { makeClientIp } from './http/client-ip.ts';
import { dashboardFiles } from './http/dashboard-files.ts';
import { demoPages } from './http/demo-pages.ts';
import { makeRateLimit, makeSharedRateLimit, type SharedRateLimit } from './http/rate-limit.ts';
import { makeResponseCache } from './http/response-cache.ts';
import { makeRouter } from './http/router.ts';
import { callbackRoutes } from './http/routes/callbacks.ts';
import { deliveryRoutes } from './http/routes/deliveries.ts';
import { dropdownOptionRoutes } from './http/routes/dropdown-options.ts';
import { engineRoutes } from './http/routes/engine.ts';
import { eraseRoutes } from './http/routes/erase.ts';
import { formsConfigRoutes } from './http/routes/forms-config.ts';
import { integrationRoutes } from './http/routes/integrations.ts';
import { ipListRoutes } from './http/routes/ip-lists.ts';
import { leadCaptureRoutes } from './http/routes/lead-capture.ts';
import { leadRoutes } from './http/routes/leads.ts';
import { refreshRoutes } from './http/routes/refresh.ts';
import { replayRoutes } from './http/routes/replay.ts';
import { serviceRoutes } from './http/routes/service.ts';
import { setAsideRoutes } from './http/routes/set-aside-leads.ts';
import { settingsRoutes } from './http/routes/settings.ts';
import { siteRoutes } from './http/routes/sites.ts';
import { statisticsRoutes } from './http/routes/statistics.ts';
import { trackingRoutes } from './http/routes/tracking.ts';
import { closeServer, listen, openServer } from './http/server.ts';
import type { WebFiles } from './http/web-files.ts';
import { makeWhitelistCheck } from './http/whitelist-check.ts';
import { JOBS, openSchedule, type Schedule } from './jobs/schedule.ts';
import { inOnePiece } from './lib/one-piece.ts';
import { SECOND_MS } from './lib/utc-time.ts';
import type { Cache } from './ports/cache.ts';
import type { Inbox } from './ports/inbox.ts';
import type { Log } from './ports/log.ts';
import type { ObjectStore } from './ports/objects.ts';
import type { SharedCounter } from './ports/shared-counter.ts';
import type { Webhook } from './ports/webhook.ts';
import type { Store } from './store/store.ts';

/** What tests put in the place of the real thing; everything else is always real. */
export type Overrides = {
  now?: () => number;
  random?: () => number;
  log?: Log;
  /** Off: jobs run only when a test runs them. */
  schedule?: boolean;
  /** Stand between the service and one of its parts, for example to fail at a chosen moment. */
  around?: {
    inbox?: (inbox: Inbox) => Inbox;
    store?: (store: Store) => Store;
    objects?: (objects: ObjectStore) => ObjectStore;
    cache?: (cache: Cache) => Cache;
    webhook?: (webhook: Webhook) => Webhook;
  };
};

export type App = {
  server: Server;
  store: Store;
  inbox: Inbox;
  objects: ObjectStore;
  cache: Cache;
  webhook: Webhook;
  ingest: Ingest;
  adoption: Adoption;
  forwarding: Forwarding;
  indexing: LeadIndexing;
  settings: AppSettings;
  schedule: Schedule;
  log: Log;
  now: () => number;
  adminKey: string;
  /** Only when this start made the keys: where they are kept. */
  newKeyFile: string | undefined;
  listen(): Promise<number>;
  close(): Promise<void>;
};

const IP_DATABASE = join(PROJECT_DIR, 'packages/server/build/ip-database.bin');

const BROWSER_SCRIPTS = join(PROJECT_DIR, 'packages/tracker/build');
const DASHBOARD = join(PROJECT_DIR, 'packages/dashboard/build');
const DEMO_PAGES = join(PROJECT_DIR, 'packages/server/pages/demo');

const CLOSE_INGEST_MS = 4000;
const CLOSE_OBJECTS_MS = 3000;
/** Its connections give up after as long; an answer takes two readings. */
const POSTGRES_ANSWER_MS_MAX = 1800;

/** Puts the service together. The only place that knows which adapter stands behind which port. */
export async function buildApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const now = overrides.now ?? Date.now;
  const log = overrides.log ?? openJsonLog(config.logLevel, (line) => process.stdout.write(line));
  const { around = {} } = overrides;
  mkdirSync(config.dataDir, { recursive: true });
  const keyFile = join(config.dataDir, KEY_FILE);
  const keys = keysOf(config, keyFile);
  const inboxDir = join(config.dataDir, 'inbox');

  const [openedStore, openedInbox] = await Promise.all([openStore(config), openSqliteInbox(inboxDir)]);
  const store = around.store?.(openedStore) ?? openedStore;
  const inbox = around.inbox?.(openedInbox) ?? openedInbox;
  const openedObjects = await openObjects(config, log);
  const objects = around.objects?.(openedObjects) ?? openedObjects;
  const redis = await openRedisWhereSet(config, keys, now, log);
  const openedCache = redis?.cache ?? openMemoryCache({ now });
  const cache = around.cache?.(openedCache) ?? openedCache;
  const ipDatabase = openIpDatabase(IP_DATABASE);
  const locate = makeClientGeo(ipDatabase);
  const settings = makeAppSettings({ store, cache, defaults: settingDefaults(config, keys), newId });
  await setUp(store, config, now());
  // Sets the flags that follow from them. Where it fails, the next who asks for the settings does.
  await settings.latest().catch((error: Error) => log.warn('settings not read', { reason: error.message }));

  const metrics = openPrometheusMetrics();
  if (redis !== undefined) metrics.watchRedis(redis.isUp);
  const ingestFrom = (source: Inbox) => startIngest({ inbox: source, store, now, log, metrics });
  const ingest = ingestFrom(inbox);
  const openLeftovers = () => openLeftoverInboxes(inboxDir);
  const adoption = makeAdoption({ openLeftovers, startIngest: ingestFrom });
  await adoption.run();
  const openedWebhook = webhookWhenNeeded();
  const webhook = around.webhook?.(openedWebhook) ?? openedWebhook;
  const random = overrides.random ?? Math.random;
  const forwarding = startForwarding({ store, settings, webhook, now, random, log, metrics });
  const indexing = startLeadIndexing({ store, log });
  metrics.watchInboxes(() => [inbox.backlog(), adoption.backlog()]);
  const schedule = openSchedule(
    JOBS,
    { store, inbox, objects, cache, settings, webhook, adoption, log, metrics, now },
    { timers: overrides.schedule !== false },
  );

  // Loaded lazily: libphonenumber metadata is heavy.
  const captureLead = whenNeeded(async () => {
    const { makeCaptureLead } = await import('./flows/capture-lead.ts');
    return makeCaptureLead({
      store,
      settings,
      metrics,
      now,
      newId,
      locate,
      isTrustedProxy: config.isTrustedProxy,
      botLeadDetection: config.botLeadDetection,
      environment: config.environment,
      onPendingSend: forwarding.nudge,
      onStored: indexing.nudge,
    });
  });
  const erasePerson = whenNeeded(async () => {
    const { makeErasePerson } = await import('./flows/erase-person.ts');
    return makeErasePerson({ store, inbox, objects, adoption, log, now, newId });
  });

  const sendTestLead = makeSendTestLead({ settings, webhook, environment: config.environment, now, newId });

  let draining = false;
  const isDraining = () => draining;
  const newRequestId = makeRequestIds();
  const router = makeRouter(
    {
      ...trackingRoutes({
        startSession: makeStartSession({
          inbox,
          now,
          newId,
          locate,
          isHosting: ipDatabase.isHosting,
        }),
        trackEvents: makeTrackEvents({ inbox, now, newId }),
        endSession: makeEndSession({ inbox, now }),
      }),
      ...replayRoutes(store, objects, makeStoreReplay({ store, objects, now })),
      ...leadCaptureRoutes(captureLead, { legacyRoutes: config.legacyLeadRoutes }),
      ...callbackRoutes(store, now, log),
      ...leadRoutes(store, now, makeViewLead({ store, now, onSeen: indexing.nudge }), indexing),
      ...deliveryRoutes(store, now, forwarding, sendTestLead),
      ...settingsRoutes(settings),
      ...statisticsRoutes(store, now),
      ...refreshRoutes(store, settings, now),
      ...engineRoutes(store, now, isEngineConfigured(config)),
      ...setAsideRoutes(store, now),
      ...ipListRoutes(store, now),
      ...siteRoutes(store, now, config.paths),
      ...integrationRoutes(store, now),
      ...dropdownOptionRoutes(store),
      ...formsConfigRoutes(store, settings),
      ...eraseRoutes(erasePerson),
      ...serviceRoutes(store, metrics, isDraining),
    },
    {
      files: webFiles(config, settings),
      trackPath: config.paths.track,
      now,
      newRequestId,
      clientIp: makeClientIp(config.isTrustedProxy),
      authenticate: makeAuthenticate({ admin: keys.admin, marketing: keys.marketing }),
      requireSecret: makeRequireSecret(async () => {
        const { crmCallbackSecret, crmWebhookSecret } = await settings.current();
        return { callback: crmCallbackSecret, 'crm-webhook': crmWebhookSecret };
      }),
      isSiteOrigin: (origin) => store.isSiteOrigin({ origin }),
      trackLimit: trackLimitOf(config, redis?.counter),
      isWhitelisted: makeWhitelistCheck((ip) => store.ipRule({ ip }), now),
      publicUrl: config.publicUrl,
      responseCache: makeResponseCache({
        readVersions: () => store.dataVersions(),
        now,
        ttlMs: config.analyticsCacheTtlSeconds * SECOND_MS,
        answerMsMax: config.database.kind === 'postgres' ? POSTGRES_ANSWER_MS_MAX : Number.POSITIVE_INFINITY,
      }),
      metrics,
      log,
      isDraining,
    },
  );
  const server = openServer(router, newRequestId);

  return {
    server,
    store,
    inbox,
    objects,
    cache,
    webhook,
    ingest,
    adoption,
    forwarding,
    indexing,
    settings,
    schedule,
    log,
    now,
    adminKey: keys.admin,
    newKeyFile: keys.created ? keyFile : undefined,
    listen: () => listen(server, config),
    async close() {
      draining = true;
      // Whoever waits for it has kept what it does not take, and nobody may hold up the end.
      const giveUpObjects = setTimeout(() => objects.close(), CLOSE_OBJECTS_MS);
      await Promise.all([closeServer(server), forwarding.stop(), indexing.stop()]);
      await schedule.stop();
      clearTimeout(giveUpObjects);
      objects.close();
      webhook.close();
      await ingest.drain(CLOSE_INGEST_MS);
      await ingest.stop();
      await adoption.stop();
      await inbox.close();
      await store.close();
      redis?.close();
    },
  };
}

function settingDefaults(config: Config, keys: Keys): SettingDefaults {
  return {
    flowWebhookUrl: config.flow.webhookUrl,
    flowSigningSecret: config.flow.signingSecret,
    flowAllowPrivateNetwork: config.flow.allowPrivateNetwork,
    crmCallbackSecret: keys.callbackSecret,
    crmWebhookSecret: config.crmWebhookSecret,
    refreshCooldownSeconds: config.analyticsRefreshCooldownSeconds,
  };
}

/** What the configuration says should be in the store. */
async function setUp(store: Store, config: Config, now: number): Promise<void> {
  if (config.leadCaptureApiKey !== undefined) {
    const key = config.leadCaptureApiKey;
    await store.upsertDefaultIntegration({ keyHash: keyHash(key), keyPrefix: keyPrefix(key), now });
  }
  if (config.analyticsApiKey !== undefined) return;
  await store.ensureDemoSite({ domains: ownDomains(config), now });
  await store.ensureDemoOptions();
}

/** The demo is there where the demo site is. */
function webFiles(config: Config, settings: AppSettings): WebFiles {
  const sources = {
    tracker: bundledFile(join(BROWSER_SCRIPTS, 't.js')),
    form: bundledFile(join(BROWSER_SCRIPTS, 'f.js')),
    recorder: bundledFile(join(BROWSER_SCRIPTS, 'r.js')),
  };
  const hasDemo = config.analyticsApiKey === undefined;
  return new Map([
    ...browserScripts(sources, config.paths, settings),
    ...(hasDemo ? demoPages((name) => bundledFile(join(DEMO_PAGES, name))) : []),
    ...dashboardFiles(bundledFolder(DASHBOARD)),
  ]);
}

/** A start that makes its own keys has made those of the engine too. */
function isEngineConfigured({ engine, analyticsApiKey }: Config): boolean {
  return engine !== undefined || analyticsApiKey === undefined;
}

/** Loaded lazily, with the first message: TLS takes memory even before there is a connection. */
function webhookWhenNeeded(): Webhook {
  let opening: Promise<Webhook> | undefined;
  return {
    async send(...message) {
      opening ??= import('./adapters/http-webhook.ts').then(({ openHttpWebhook }) => openHttpWebhook());
      return (await opening).send(...message);
    },
    close: () => void opening?.then((webhook) => webhook.close()),
  };
}

async function openStore(config: Config): Promise<Store> {
  const { database } = config;
  if (database.kind === 'postgres') {
    // Loaded only where it is used: it takes more memory than the rest of this thread.
    const { openPostgresStore } = await import('./adapters/postgres-store.ts');
    return openPostgresStore(database.url, database.readUrl);
  }
  return openSqliteStore(join(config.dataDir, 'leadtrail.db'));
}

async function openObjects({ objects, dataDir }: Config, log: Log): Promise<ObjectStore> {
  if (objects.kind === 'files') return openFileObjects(join(dataDir, 'objects'));
  const { openS3Objects } = await import('./adapters/s3-objects.ts');
  return openS3Objects(objects, log);
}

async function openRedisWhereSet(
  { redisUrl: url }: Config,
  { admin: adminKey }: Keys,
  now: () => number,
  log: Log,
): Promise<Redis | undefined> {
  if (url === undefined) return undefined;
  const { openRedis } = await import('./adapters/redis.ts');
  return openRedis({ url, adminKey, now, log });
}

function trackLimitOf(
  { trackRateLimitPerMinute }: Config,
  shared: SharedCounter | undefined,
): SharedRateLimit {
  return shared === undefined
    ? makeRateLimit(trackRateLimitPerMinute)
    : makeSharedRateLimit(trackRateLimitPerMinute, shared);
}

/** Nearly all of them go to another thread, as JSON. */
function newId(): string {
  return inOnePiece(randomUUIDv7());
}

/** Unique over all processes, and far cheaper than a random id for each request. */
function makeRequestIds(): () => string {
  const process = randomUUIDv7().replaceAll('-', '').slice(0, 20);
  let last = 0;
  return () => `${process}-${(++last).toString(36)}`;
}
