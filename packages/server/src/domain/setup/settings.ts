import type { LeadStatus } from '@leadtrail/contract/lead-status';
import type {
  CrmStageRule,
  SentFollowUps,
  SettingsChange,
  ShownSettings,
} from '@leadtrail/contract/settings';
import { type EgressPolicy, isOutOfReach } from '../delivery/egress.ts';
import { ATTRIBUTION_DAYS_DEFAULT } from '../leads/touches.ts';

/** Only what was saved; null resets a setting. */
export type SavedSettings = Readonly<SettingsChange>;

/** Defaults from the environment. */
export type SettingDefaults = {
  flowWebhookUrl: string | undefined;
  flowSigningSecret: string | undefined;
  flowAllowPrivateNetwork: boolean;
  crmCallbackSecret: string | undefined;
  crmWebhookSecret: string | undefined;
  botLeadDetection: boolean;
  refreshCooldownSeconds: number;
};

/** Every setting: how it is shown, and its default. */
const settingsTable = (saved: SavedSettings, env: SettingDefaults) =>
  ({
    flow_enabled: plain((saved.flow_webhook_url ?? env.flowWebhookUrl) != null),
    flow_webhook_url: target(env.flowWebhookUrl),
    flow_signing_secret: secret(env.flowSigningSecret),
    flow_send_follow_ups: plain<SentFollowUps>('new_details'),
    flow_risk_max: plain<number | null>(null),
    flow_send_stage_changes: plain(false),
    crm_callback_secret: secret(env.crmCallbackSecret),
    crm_webhook_secret: secret(env.crmWebhookSecret),
    crm_stage_map: plain<readonly CrmStageRule[]>([]),
    crm_value_fields: plain<readonly string[]>(['value', 'amount']),
    bot_lead_detection: plain(env.botLeadDetection),
    callbacks_require_signature: plain(false),
    internal_teams: plain<readonly string[]>([]),
    duplicate_window_minutes: plain(60),
    analytics_refresh_cooldown_seconds: plain(env.refreshCooldownSeconds),
    lead_drought_enabled: plain(false),
    lead_drought_hours: plain(24),
    lead_drought_webhook_url: target(undefined),
    archive_retention_days: plain(90),
    replay_retention_days: plain(30),
    session_retention_days: days(null),
    lead_retention_days: days(null),
    lead_retention_stages: plain<readonly LeadStatus[]>(['lost', 'fake']),
    set_aside_retention_days: days(null),
    flow_send_body_retention_days: days(null),
    unmatched_event_retention_days: days(30),
    replay_storage_mb: plain(5120),
    redacted_parameters: plain<readonly string[]>([]),
    replay_sample_rate: plain(0),
    attribution_days: plain(ATTRIBUTION_DAYS_DEFAULT),
    timezone: plain('UTC'),
    currency: plain('EUR'),
    portal_domains: plain<readonly string[]>([]),
    blocked_email_domains: plain<readonly string[]>([]),
    blocked_phones: plain<readonly string[]>([]),
    blocked_words: plain<readonly string[]>([]),
    disposable_email_domains: plain<readonly string[]>([]),
  }) satisfies Record<keyof SettingsChange, unknown>;

/** Shown as it is. */
function plain<T>(unsaved: T) {
  return { shownAs: 'value', unsaved } as const;
}

/** A saved null is a value of its own: for ever. */
function days(unsaved: number | null) {
  return { shownAs: 'value', unsaved, isNullSaved: true } as const;
}

/** Shown with whether the service refuses to send there. */
function target(unsaved: string | undefined) {
  return { shownAs: 'target', unsaved: unsaved ?? null } as const;
}

/** Only whether it is set is shown. */
function secret(unsaved: string | undefined) {
  return { shownAs: 'secret', unsaved: unsaved ?? null } as const;
}

type Table = ReturnType<typeof settingsTable>;
type Values = { [Name in keyof Table]: Table[Name]['unsaved'] };
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type InCamelCase<T> = { [Name in keyof T & string as CamelCase<Name>]: T[Name] };

type Target = { url: string; policy: EgressPolicy };

/** The effective settings: a value saved in the dashboard comes before the environment's. */
export type Settings = InCamelCase<Values> & {
  flowTarget: (Target & { secret: string | null }) | null;
  leadDroughtTarget: Target | null;
  /** For the API. */
  shown: ShownSettings;
};

export function settingsOf(saved: SavedSettings, env: SettingDefaults): Settings {
  const table = Object.entries(settingsTable(saved, env)).map(
    ([name, setting]) => [name, effective(saved[name as keyof Table], setting), setting.shownAs] as const,
  );
  const values = Object.fromEntries(table) as Values;
  const policyOf = (url: string): EgressPolicy =>
    env.flowAllowPrivateNetwork || url === env.flowWebhookUrl ? 'trusted' : 'saved';
  const targetOf = (url: string | null) => (url === null ? null : { url, policy: policyOf(url) });
  const flow = targetOf(values.flow_webhook_url);

  const shown = table.flatMap(([name, value, shownAs]) => {
    if (shownAs === 'secret') return [[`${name}_set`, value !== null]];
    if (shownAs === 'value') return [[name, value]];
    const url = value as string | null;
    return [
      [name, url],
      [`${name}_refused`, url !== null && isOutOfReach(url, policyOf(url))],
    ];
  });
  return {
    ...(Object.fromEntries(table.map(([name, value]) => [camelCase(name), value])) as InCamelCase<Values>),
    // The CRM falls back to the callback secret.
    crmWebhookSecret: values.crm_webhook_secret ?? values.crm_callback_secret,
    flowTarget: flow && { ...flow, secret: values.flow_signing_secret },
    leadDroughtTarget: targetOf(values.lead_drought_webhook_url),
    shown: Object.fromEntries(shown) as ShownSettings,
  };
}

function effective(
  saved: unknown,
  { unsaved, ...setting }: { unsaved: unknown; isNullSaved?: true },
): unknown {
  if (saved === undefined) return unsaved;
  return setting.isNullSaved ? saved : (saved ?? unsaved);
}

function camelCase(name: string): string {
  return name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
