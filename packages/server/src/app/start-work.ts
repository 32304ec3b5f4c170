import { hostname } from 'node:os';
import type { Config } from '../config.ts';
import { makeAdoption } from '../flows/adopt-inboxes.ts';
import { makeAppSettings } from '../flows/app-settings.ts';
import { startForwarding } from '../flows/forward-leads.ts';
import { startLeadIndexing } from '../flows/index-leads.ts';
import { startIngest } from '../flows/ingest-tracking.ts';
import { openKnownSenders } from '../flows/known-senders.ts';
import { makeInboxWatch } from '../flows/recognise-inbox.ts';
import { startRenewingOrigins } from '../flows/renew-origins.ts';
import { startStoringLoggedLeads } from '../flows/store-logged-leads.ts';
import { JOBS, openSchedule } from '../jobs/schedule.ts';
import { reasonOf } from '../lib/errors.ts';
import type { Inbox } from '../ports/inbox.ts';
import { newId } from './ids.ts';
import type { Parts } from './open-parts.ts';

/** Background work that runs as long as the service. */

export type Work = Awaited<ReturnType<typeof startWork>>;

export async function startWork(config: Config, parts: Parts, { timers }: { timers: boolean }) {
  const { store, inbox, leadLog, log, metrics } = parts;
  const defaults = settingDefaults(config, parts);
  const settings = makeAppSettings({ ...parts, defaults, newId });
  // Also sets the flags in the cache that follow from the settings; on failure the next read does.
  await settings.latest().catch((error: Error) => log.warn('settings not read', { reason: reasonOf(error) }));
  const indexing = startLeadIndexing(parts);
  const renewal = startRenewingOrigins({ store, log });
  const watch = makeInboxWatch({ ...parts, host: hostname() });
  const ingestFrom = (source: Inbox) =>
    startIngest({ ...parts, inbox: source, watch, onLeadsBehind: indexing.nudge });
  const ingest = ingestFrom(inbox);
  const adoption = makeAdoption({ openLeftovers: parts.openLeftovers, startIngest: ingestFrom, watch, log });
  await adoption.run();
  const { isForwarding } = config;
  if (!isForwarding) log.warn('nothing is sent to the automation platform: FORWARDING is off');
  const forwarding = startForwarding({ ...parts, settings, isForwarding, onOutcome: indexing.nudge });
  const storeFrom = (source: Inbox) =>
    startStoringLoggedLeads({
      ...{ leadLog: source, store, log, metrics },
      onStored: indexing.nudge,
      onPendingSend: forwarding.nudge,
    });
  const loggedLeads = storeFrom(leadLog);
  const leadAdoption = makeAdoption({
    openLeftovers: parts.openLeftoverLeadLogs,
    startIngest: storeFrom,
    watch,
    log,
  });
  await leadAdoption.run();
  const senders = await openKnownSenders({ store, file: parts.sendersFile, defaults, log });
  const opening = store.whenOpen();
  if (opening === undefined) await senders.refresh();
  else void opening.then(senders.refresh);
  metrics.watchInboxes(() => [inbox, ...adoption.inboxes()]);
  metrics.watchLeadLogs(() => [leadLog, ...leadAdoption.inboxes()]);
  const schedule = openSchedule(
    JOBS,
    { ...parts, newId, settings, indexing, adoption, leadAdoption, watch, senders },
    { timers },
  );
  return {
    settings,
    ingest,
    adoption,
    watch,
    loggedLeads,
    leadAdoption,
    senders,
    forwarding,
    indexing,
    renewal,
    schedule,
  };
}

function settingDefaults(config: Config, { keys }: Parts) {
  return {
    flowWebhookUrl: config.flow.webhookUrl,
    flowSigningSecret: config.flow.signingSecret,
    flowAllowPrivateNetwork: config.flow.allowPrivateNetwork,
    crmCallbackSecret: keys.callbackSecret,
    crmWebhookSecret: config.crmWebhookSecret,
    botLeadDetection: config.botLeadDetection,
    refreshCooldownSeconds: config.analyticsRefreshCooldownSeconds,
  };
}
