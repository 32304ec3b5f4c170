import type { Config } from '../config.ts';
import { makeAdoption } from '../flows/adopt-inboxes.ts';
import { makeAppSettings } from '../flows/app-settings.ts';
import { startForwarding } from '../flows/forward-leads.ts';
import { startLeadIndexing } from '../flows/index-leads.ts';
import { startIngest } from '../flows/ingest-tracking.ts';
import { startRenewingOrigins } from '../flows/renew-origins.ts';
import { JOBS, openSchedule } from '../jobs/schedule.ts';
import type { Inbox } from '../ports/inbox.ts';
import { newId } from './ids.ts';
import type { Parts } from './open-parts.ts';

/** What goes on by itself for as long as the service runs. */

export type Work = Awaited<ReturnType<typeof startWork>>;

export async function startWork(config: Config, parts: Parts, { timers }: { timers: boolean }) {
  const { store, inbox, log, metrics, now } = parts;
  const settings = makeAppSettings({ ...parts, defaults: settingDefaults(config, parts), newId });
  // Sets the flags in the cache that follow from the settings. Where it fails, the next reading does.
  await settings.latest().catch((error: Error) => log.warn('settings not read', { reason: error.message }));
  const indexing = startLeadIndexing({ store, log });
  const renewal = startRenewingOrigins({ store, log });
  const ingestFrom = (source: Inbox) =>
    startIngest({ inbox: source, store, now, log, metrics, onLeadsBehind: indexing.nudge });
  const ingest = ingestFrom(inbox);
  const adoption = makeAdoption({ openLeftovers: parts.openLeftovers, startIngest: ingestFrom });
  await adoption.run();
  const forwarding = startForwarding({ ...parts, settings });
  metrics.watchInboxes(() => [inbox.backlog(), adoption.backlog()]);
  const schedule = openSchedule(JOBS, { ...parts, settings, adoption }, { timers });
  return { settings, ingest, adoption, forwarding, indexing, renewal, schedule };
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
