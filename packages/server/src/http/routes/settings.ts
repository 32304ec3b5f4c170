import { isOutOfReach } from '../../domain/delivery/egress.ts';
import type { Settings } from '../../domain/setup/settings.ts';
import type { AppSettings } from '../../flows/app-settings.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { kept } from '../kept.ts';

export function settingsRoutes(settings: AppSettings): Pick<Handlers, 'settings' | 'saveSettings'> {
  return {
    settings: kept({ from: ['readSettings'] }, async () => shown(await settings.latest())),
    saveSettings: async ({ body }) => shown(await settings.save(body)),
  };
}

/** Of a secret only whether there is one. */
function shown(settings: Settings) {
  return {
    flow_enabled: settings.flowEnabled,
    flow_webhook_url: settings.flowTarget?.url ?? null,
    flow_webhook_url_refused: isRefused(settings.flowTarget),
    flow_signing_secret_set: settings.flowSigningSecret !== null,
    crm_callback_secret_set: settings.crmCallbackSecret !== null,
    crm_webhook_secret_set: settings.hasCrmWebhookSecret,
    internal_teams: [...settings.internalTeams],
    duplicate_window_minutes: settings.duplicateWindowMinutes,
    analytics_refresh_cooldown_seconds: settings.refreshCooldownSeconds,
    lead_drought_enabled: settings.leadDroughtEnabled,
    lead_drought_hours: settings.leadDroughtHours,
    lead_drought_webhook_url: settings.leadDroughtTarget?.url ?? null,
    lead_drought_webhook_url_refused: isRefused(settings.leadDroughtTarget),
    archive_retention_days: settings.archiveRetentionDays,
    replay_retention_days: settings.replayRetentionDays,
    replay_sample_rate: settings.replaySampleRate,
  };
}

function isRefused(target: Settings['leadDroughtTarget']): boolean {
  return target !== null && isOutOfReach(target.url, target.policy);
}
