import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { bundledFile, bundledFolder } from '../adapters/bundled-file.ts';
import type { Config } from '../config.ts';
import type { AppSettings } from '../flows/app-settings.ts';
import { makeChangeLeads } from '../flows/change-leads.ts';
import { makeCheckKey } from '../flows/check-key.ts';
import { makeCheckReadiness } from '../flows/check-readiness.ts';
import { makeEndSession } from '../flows/end-session.ts';
import { makeForwardLead } from '../flows/forward-lead.ts';
import { makeGatherFigures } from '../flows/gather-figures.ts';
import { makeOpenSharedLink } from '../flows/open-shared-link.ts';
import { makePreviewRetention } from '../flows/preview-retention.ts';
import { makeRecentIds } from '../flows/recent-ids.ts';
import { makeSendTestLead } from '../flows/send-test-lead.ts';
import { makeStartSession } from '../flows/start-session.ts';
import { makeStoreReplay } from '../flows/store-replay.ts';
import { makeTakeLead } from '../flows/take-lead.ts';
import { makeTrackEvents } from '../flows/track-events.ts';
import { makeUpdateLead } from '../flows/update-lead.ts';
import { makeViewLead } from '../flows/view-lead.ts';
import { makeVisitStored } from '../flows/visit-stored.ts';
import { whenNeeded } from '../flows/when-needed.ts';
import type { Handlers } from '../http/answer-endpoint.ts';
import { makeAuthenticate, makeRequireSecret } from '../http/authenticate.ts';
import { browserScripts } from '../http/browser-scripts.ts';
import { makeClientGeo } from '../http/client-geo.ts';
import { makeClientIp, makeClientSource } from '../http/client-ip.ts';
import { dashboardFiles } from '../http/dashboard-files.ts';
import { demoPages } from '../http/demo-pages.ts';
import type { HttpContext } from '../http/http-context.ts';
import { makeRateLimit, makeSharedRateLimit } from '../http/rate-limit.ts';
import { makeResponseCache } from '../http/response-cache.ts';
import { makeRouter } from '../http/router.ts';
import { bulkLeadRoutes } from '../http/routes/bulk-leads.ts';
import { callbackRoutes } from '../http/routes/callbacks.ts';
import { conversionRoutes } from '../http/routes/conversions.ts';
import { costRoutes } from '../http/routes/costs.ts';
import { deliveryRoutes } from '../http/routes/deliveries.ts';
import { dropdownOptionRoutes } from '../http/routes/dropdown-options.ts';
import { engineRoutes } from '../http/routes/engine.ts';
import { eraseRoutes } from '../http/routes/erase.ts';
import { formsConfigRoutes } from '../http/routes/forms-config.ts';
import { integrationRoutes } from '../http/routes/integrations.ts';
import { ipListRoutes } from '../http/routes/ip-lists.ts';
import { leadCaptureRoutes } from '../http/routes/lead-capture.ts';
import { leadNoteRoutes } from '../http/routes/lead-notes.ts';
import { leadRoutes } from '../http/routes/leads.ts';
import { nameRoutes } from '../http/routes/names.ts';
import { questionRoutes } from '../http/routes/questions.ts';
import { refreshRoutes } from '../http/routes/refresh.ts';
import { replayRoutes } from '../http/routes/replay.ts';
import { savedViewRoutes } from '../http/routes/saved-views.ts';
import { serviceRoutes } from '../http/routes/service.ts';
import { setAsideRoutes } from '../http/routes/set-aside-leads.ts';
import { settingsRoutes } from '../http/routes/settings.ts';
import { sharedLinkRoutes } from '../http/routes/shared-links.ts';
import { siteRoutes } from '../http/routes/sites.ts';
import { statisticsRoutes } from '../http/routes/statistics.ts';
import { trackingRoutes } from '../http/routes/tracking.ts';
import { securityTxt } from '../http/security-txt.ts';
import type { WebFiles } from '../http/web-files.ts';
import { makeWhitelistCheck } from '../http/whitelist-check.ts';
import { PROJECT_DIR } from '../lib/places.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import { newId } from './ids.ts';
import { FORM_CHANGES, IP_LIST_CHANGES, noticing, SENDER_CHANGES } from './notice-changes.ts';
import type { Parts } from './open-parts.ts';
import type { Work } from './start-work.ts';

/** A page of a shared link asks a dozen questions. */
const SHARED_LINK_REQUESTS_PER_MINUTE = 300;

/**
 * Everything that answers requests: use cases, the handlers of all endpoints, and the policies around them.
 */

const BROWSER_SCRIPTS = join(PROJECT_DIR, 'packages/tracker/build');
const DASHBOARD = join(PROJECT_DIR, 'packages/dashboard/build');
const DEMO_PAGES = join(PROJECT_DIR, 'packages/server/pages/demo');

type Serving = { isDraining: () => boolean; newRequestId: () => string };

export function makeListener(config: Config, parts: Parts, work: Work, serving: Serving): RequestListener {
  const isWhitelisted = makeWhitelistCheck(
    (ip) => parts.store.ipRule({ ip }),
    parts.now,
    work.senders.isWhitelisted,
  );
  const store = noticing(parts.store, IP_LIST_CHANGES, isWhitelisted.forget);
  return makeRouter(handlersOf(config, { ...parts, store }, work, serving), {
    ...contextOf(config, parts, work, serving),
    isWhitelisted,
    files: webFiles(config, work.settings, parts.now),
    trackPath: config.paths.track,
  });
}

function handlersOf(config: Config, parts: Parts, work: Work, { isDraining }: Serving): Handlers {
  const { store, now } = parts;
  const gatherFigures = makeGatherFigures(parts);
  const checkReadiness = makeCheckReadiness({ ...parts, senders: work.senders });
  const all = {
    ...config,
    ...parts,
    ...work,
    newId,
    ...flowsOf(config, parts, work),
    // A new site must be known at once, in case the store goes away.
    store: noticing(
      noticing(store, SENDER_CHANGES, () => void work.senders.refresh()),
      FORM_CHANGES,
      () => work.senders.refresh(),
    ),
    isDraining,
    checkReadiness,
    gatherFigures,
    // Generated keys include those of the engine.
    isEngineConfigured: config.engine !== undefined || config.analyticsApiKey === undefined,
    viewLead: makeViewLead({ store, now, onSeen: work.indexing.nudge }),
  };
  return {
    ...trackingRoutes(all),
    ...replayRoutes(all),
    ...leadCaptureRoutes(all),
    ...callbackRoutes(all),
    ...leadRoutes(all),
    ...leadNoteRoutes(all),
    ...bulkLeadRoutes(all),
    ...deliveryRoutes(all),
    ...settingsRoutes(all),
    ...statisticsRoutes(all),
    ...questionRoutes(all),
    ...costRoutes(all),
    ...conversionRoutes(all),
    ...refreshRoutes(all),
    ...engineRoutes(all),
    ...setAsideRoutes(all),
    ...ipListRoutes(all),
    ...siteRoutes(all),
    ...sharedLinkRoutes(all),
    ...integrationRoutes(all),
    ...dropdownOptionRoutes(all),
    ...nameRoutes(all),
    ...formsConfigRoutes(all),
    ...savedViewRoutes(all),
    ...eraseRoutes(all),
    ...serviceRoutes(all),
  };
}

const RECENT_SESSIONS_MAX = 50_000;
/** Most senders of a form arrived only minutes ago. */
const RECENT_VISITORS_MAX = 10_000;

function flowsOf(config: Config, parts: Parts, work: Work) {
  const { ipDatabase } = parts;
  const recentSessions = makeRecentIds(RECENT_SESSIONS_MAX);
  const recentVisitors = makeRecentIds(RECENT_VISITORS_MAX);
  const takeLead = makeTakeLead({ ...parts, senders: work.senders });
  const common = {
    ...config,
    ...parts,
    ...work,
    newId,
    recentSessions,
    recentVisitors,
    visitStored: makeVisitStored({ ...parts, recentVisitors }),
    takeLead,
    locate: makeClientGeo(ipDatabase, config.edges),
    onPendingSend: work.forwarding.nudge,
    onStored: work.indexing.nudge,
  };
  const updateLead = makeUpdateLead(common);
  const forwardLead = makeForwardLead(common);
  return {
    startSession: makeStartSession({ ...common, isHosting: ipDatabase.isHosting }),
    trackEvents: makeTrackEvents(common),
    endSession: makeEndSession(common),
    storeReplay: makeStoreReplay({
      ...common,
      isRecent: recentSessions.has,
      storageMb: async () => (await work.settings.current()).replayStorageMb,
    }),
    sendTestLead: makeSendTestLead(common),
    // Loaded lazily: libphonenumber metadata is heavy.
    captureLead: whenNeeded(async () => {
      const { makeCaptureLead } = await import('../flows/capture-lead.ts');
      return makeCaptureLead(common);
    }),
    answerQuestion: whenNeeded(async () => {
      const { makeAnswerQuestion } = await import('../flows/answer-question.ts');
      return makeAnswerQuestion(common);
    }),
    listLeadsBehind: whenNeeded(async () => {
      const { makeListLeadsBehind } = await import('../flows/list-leads-behind.ts');
      return makeListLeadsBehind(common);
    }),
    listVisitsBehind: whenNeeded(async () => {
      const { makeListVisitsBehind } = await import('../flows/list-visits-behind.ts');
      return makeListVisitsBehind(common);
    }),
    listSubmissionsBehind: whenNeeded(async () => {
      const { makeListSubmissionsBehind } = await import('../flows/list-submissions-behind.ts');
      return makeListSubmissionsBehind(common);
    }),
    acceptLead: whenNeeded(async () => {
      const { makeAcceptLead } = await import('../flows/accept-lead.ts');
      return makeAcceptLead(common);
    }),
    updateLead,
    forwardLead,
    changeLeads: makeChangeLeads({ ...common, updateLead, forwardLead }),
    previewRetention: makePreviewRetention({ ...common, nextTick: work.schedule.nextTick }),
    erasePerson: whenNeeded(async () => {
      const { makeErasePerson } = await import('../flows/erase-person.ts');
      return makeErasePerson(common);
    }),
  };
}

function contextOf(
  config: Config,
  parts: Parts,
  { settings, senders }: Work,
  serving: Serving,
): Omit<HttpContext, 'isWhitelisted'> {
  const { store, leadLog, keys, redis, metrics, log, now, answerMsMax } = parts;
  const limitOf = (perMinute: number, name: string) =>
    redis === undefined ? makeRateLimit(perMinute) : makeSharedRateLimit(perMinute, redis.counter, name);
  return {
    ...serving,
    now,
    metrics,
    log,
    publicUrl: config.publicUrl,
    clientIp: makeClientIp(config.isTrustedProxy, config.edges),
    clientSource: makeClientSource(config.isTrustedProxy, config.edges),
    authenticate: makeAuthenticate(
      { admin: keys.admin, marketing: keys.marketing },
      makeOpenSharedLink({ store, now }),
    ),
    requireSecret: makeRequireSecret(async () => {
      const current = await settings.current();
      return {
        callback: current.crmCallbackSecret,
        'crm-webhook': current.crmWebhookSecret,
        requireSignature: current.callbacksRequireSignature,
      };
    }, now),
    checkKey: makeCheckKey({ store, senders, leadLog }),
    isSiteOrigin: (origin) => store.isSiteOrigin({ origin }),
    trackLimit: limitOf(config.trackRateLimitPerMinute, ''),
    captureLimit: limitOf(config.captureRateLimitPerMinute, 'capture '),
    wrongKeyLimit: makeRateLimit(parts.wrongKeysPerMinute),
    sharedLinkLimit: makeRateLimit(SHARED_LINK_REQUESTS_PER_MINUTE),
    responseCache: makeResponseCache({
      readVersions: () => store.dataVersions(),
      now,
      ttlMs: config.analyticsCacheTtlSeconds * SECOND_MS,
      answerMsMax,
    }),
  };
}

/** The demo pages exist wherever the demo site does. */
function webFiles(config: Config, settings: AppSettings, now: () => number): WebFiles {
  const sources = {
    tracker: bundledFile(join(BROWSER_SCRIPTS, 't.js')),
    form: bundledFile(join(BROWSER_SCRIPTS, 'f.js')),
    recorder: bundledFile(join(BROWSER_SCRIPTS, 'r.js')),
    extras: bundledFile(join(BROWSER_SCRIPTS, 'fx.js')),
    spamCheck: bundledFile(join(BROWSER_SCRIPTS, 'sc.js')),
    consent: bundledFile(join(BROWSER_SCRIPTS, 'c.js')),
  };
  return new Map([
    ...browserScripts(sources, config.paths, settings),
    ...(config.demo ? demoPages((name) => bundledFile(join(DEMO_PAGES, name))) : []),
    ...dashboardFiles(bundledFolder(DASHBOARD)),
    securityTxt(config.securityContact, now),
  ]);
}
