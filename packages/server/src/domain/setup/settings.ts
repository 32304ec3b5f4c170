import type { SettingsChange } from '@leadtrail/contract/settings';
import type { EgressPolicy } from '../delivery/egress.ts';

/** Only what was saved; null takes a saved value back. */
export type SavedSettings = Readonly<SettingsChange>;

/** What the environment says. */
export type SettingDefaults = {
  flowWebhookUrl: string | undefined;
  flowSigningSecret: string | undefined;
  flowAllowPrivateNetwork: boolean;
  crmCallbackSecret: string | undefined;
  crmWebhookSecret: string | undefined;
  refreshCooldownSeconds: number;
};

/** What holds: a value saved in the dashboard comes before the environment's. */
export type Settings = {
  flowEnabled: boolean;
  flowTarget: { url: string; policy: EgressPolicy; secret: string | null } | null;
  /** There may be one before there is a target. */
  flowSigningSecret: string | null;
  crmCallbackSecret: string | null;
  /** Its own; without one the callback secret counts. */
  crmWebhookSecret: string | null;
  hasCrmWebhookSecret: boolean;
  internalTeams: readonly string[];
  duplicateWindowMinutes: number;
  refreshCooldownSeconds: number;
  leadDroughtEnabled: boolean;
  leadDroughtHours: number;
  leadDroughtTarget: { url: string; policy: EgressPolicy } | null;
  archiveRetentionDays: number;
  replayRetentionDays: number;
  /** Which part of the sessions is recorded, 0 to 1. */
  replaySampleRate: number;
};

const DUPLICATE_WINDOW_MINUTES = 60;
const DROUGHT_HOURS = 24;
const ARCHIVE_RETENTION_DAYS = 90;
const REPLAY_RETENTION_DAYS = 30;

export function settingsOf(saved: SavedSettings, defaults: SettingDefaults): Settings {
  const policyOf = (url: string): EgressPolicy =>
    defaults.flowAllowPrivateNetwork || url === defaults.flowWebhookUrl ? 'trusted' : 'saved';
  const target = (url: string | null | undefined) => (url ? { url, policy: policyOf(url) } : null);

  const flow = target(saved.flow_webhook_url ?? defaults.flowWebhookUrl);
  const signingSecret = saved.flow_signing_secret ?? defaults.flowSigningSecret ?? null;
  const callbackSecret = saved.crm_callback_secret ?? defaults.crmCallbackSecret ?? null;
  const webhookSecret = saved.crm_webhook_secret ?? defaults.crmWebhookSecret ?? null;
  return {
    flowEnabled: saved.flow_enabled ?? flow !== null,
    flowTarget: flow && { ...flow, secret: signingSecret },
    flowSigningSecret: signingSecret,
    crmCallbackSecret: callbackSecret,
    crmWebhookSecret: webhookSecret ?? callbackSecret,
    hasCrmWebhookSecret: webhookSecret !== null,
    internalTeams: saved.internal_teams ?? [],
    duplicateWindowMinutes: saved.duplicate_window_minutes ?? DUPLICATE_WINDOW_MINUTES,
    refreshCooldownSeconds: saved.analytics_refresh_cooldown_seconds ?? defaults.refreshCooldownSeconds,
    leadDroughtEnabled: saved.lead_drought_enabled ?? false,
    leadDroughtHours: saved.lead_drought_hours ?? DROUGHT_HOURS,
    leadDroughtTarget: target(saved.lead_drought_webhook_url),
    archiveRetentionDays: saved.archive_retention_days ?? ARCHIVE_RETENTION_DAYS,
    replayRetentionDays: saved.replay_retention_days ?? REPLAY_RETENTION_DAYS,
    replaySampleRate: saved.replay_sample_rate ?? 0,
  };
}
