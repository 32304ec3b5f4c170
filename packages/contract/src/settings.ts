import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, httpUrl } from './fields.ts';
import { LEAD_STATUSES } from './lead-status.ts';
import { MANAGEMENT_BYTES_MAX } from './limits.ts';

/** Which follow-ups are forwarded. */
export const SENT_FOLLOW_UPS = ['never', 'new_details', 'always'] as const;
export type SentFollowUps = (typeof SENT_FOLLOW_UPS)[number];

const CRM_FIELD_CHARS_MAX = 128;
const CRM_VALUE_CHARS_MAX = 256;
const CRM_STAGE_RULES_MAX = 200;
const CRM_VALUE_FIELDS_MAX = 20;

/**
 * The stage for a value of a CRM event's field, which is given by its name or a path such as `deal.stage`.
 */
const CrmStageRule = z.object({
  field: z.string().trim().min(1).max(CRM_FIELD_CHARS_MAX),
  value: z.string().trim().min(1).max(CRM_VALUE_CHARS_MAX).describe('ignoring case'),
  stage: z.enum(LEAD_STATUSES),
});
export type CrmStageRule = z.output<typeof CrmStageRule>;

const SECRET_CHARS_MAX = 1024;
const URL_CHARS_MAX = 2048;
const TEAMS_MAX = 200;
const TEAM_CHARS_MAX = 256;
const PARAMETERS_MAX = 200;
const PARAMETER_CHARS_MAX = 64;
/** A pebibyte. */
const STORAGE_MB_MAX = 1024 ** 3;
const PORTALS_MAX = 200;
const BLOCKED_MAX = 1000;
const WORD_CHARS_MAX = 100;
const PHONE_DIGITS_MIN = 5;
const PHONE_CHARS_MAX = 32;
const DOMAIN_CHARS_MAX = 253;
const ATTRIBUTION_DAYS_MAX = 3650;
/** A hundred years. */
const MINUTES_MAX = 52_560_000;

/** null or '': resets to the value of the environment. */
const Secret = z
  .string()
  .max(SECRET_CHARS_MAX)
  .nullable()
  .transform((secret) => secret?.trim() || null);
const Target = z
  .union([httpUrl().max(URL_CHARS_MAX), z.literal(''), z.null()], 'must be an http or https URL')
  .transform((url) => url || null);
/** A domain; the address of a page on it is accepted, too. */
const Domain = z
  .string()
  .trim()
  .transform((typed) => URL.parse(/^https?:/i.test(typed) ? typed : `https://${typed}`)?.hostname ?? '')
  .transform((host) => host.replace(/^www\./, ''))
  .pipe(
    z
      .string()
      .max(DOMAIN_CHARS_MAX)
      .regex(/^[\w-]+(?:\.[\w-]+)+$/, 'must be a domain such as portal.example'),
  );
const Domains = z.array(Domain).max(BLOCKED_MAX);
const PhoneNumber = z
  .string()
  .trim()
  .max(PHONE_CHARS_MAX)
  .refine((phone) => phone.replaceAll(/\D/g, '').length >= PHONE_DIGITS_MIN, 'must be a phone number');
const Minutes = z.int().min(0).max(MINUTES_MAX);
export const DAYS_MAX = 36_500;
const Days = z.int().min(0).max(DAYS_MAX).describe('0: for ever');
const RetentionDays = z
  .int()
  .min(0)
  .max(DAYS_MAX)
  .nullable()
  .transform((days) => days || null)
  .describe('0 or null: for ever');
const ShownDays = z.int().nullable().describe('null: for ever');
const RISK_MAX = 100;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

const Refused = z
  .boolean()
  .describe('true: the URL points at a private or loopback address, which is not allowed');

const errors = { 401: ApiError, 403: ApiError, 500: ApiError, 503: ApiError };

export const SettingsChange = z
  .object({
    flow_enabled: z.boolean().nullable().describe('null: on once there is a webhook URL'),
    flow_webhook_url: Target,
    flow_signing_secret: Secret,
    flow_send_follow_ups: z
      .enum(SENT_FOLLOW_UPS)
      .describe('`new_details`: those with an e-mail address or phone that the platform does not have yet'),
    flow_risk_max: z
      .int()
      .min(0)
      .max(RISK_MAX)
      .nullable()
      .describe('submissions with a higher risk are not forwarded; null: all are'),
    flow_send_stage_changes: z
      .boolean()
      .describe('stages set in Leadtrail are sent to the automation platform; those set by the CRM are not'),
    crm_callback_secret: Secret,
    crm_webhook_secret: Secret,
    crm_stage_map: z
      .array(CrmStageRule)
      .max(CRM_STAGE_RULES_MAX)
      .describe('which CRM events move a lead to which stage; the first match wins'),
    crm_value_fields: z
      .array(z.string().trim().min(1).max(CRM_FIELD_CHARS_MAX))
      .max(CRM_VALUE_FIELDS_MAX)
      .describe('fields of a CRM event that hold the value of the lead; the first with a number wins'),
    bot_lead_detection: z
      .boolean()
      .nullable()
      .describe('on: leads of bots are stored, not forwarded; null: as set by BOT_LEAD_DETECTION'),
    callbacks_require_signature: z
      .boolean()
      .describe('callbacks and CRM events must be signed; the secret in a header is not enough'),
    internal_teams: z.array(z.string().trim().min(1).max(TEAM_CHARS_MAX)).max(TEAMS_MAX),
    duplicate_window_minutes: Minutes,
    analytics_refresh_cooldown_seconds: z
      .int()
      .min(0)
      .max(MINUTES_MAX * 60),
    lead_drought_enabled: z.boolean(),
    lead_drought_hours: z
      .number()
      .positive('must be more than 0')
      .max(MINUTES_MAX / 60),
    lead_drought_webhook_url: Target,
    archive_retention_days: Days,
    replay_retention_days: Days,
    session_retention_days: RetentionDays,
    lead_retention_days: RetentionDays,
    lead_retention_stages: z
      .array(z.enum(LEAD_STATUSES))
      .describe('leads in these stages are removed; those in any other are kept'),
    set_aside_retention_days: RetentionDays,
    flow_send_body_retention_days: RetentionDays,
    unmatched_event_retention_days: RetentionDays,
    replay_storage_mb: z
      .int()
      .min(0)
      .max(STORAGE_MB_MAX)
      .describe('of all recordings together; beyond it the oldest are deleted. 0: no limit'),
    redacted_parameters: z
      .array(z.string().trim().min(1).max(PARAMETER_CHARS_MAX))
      .max(PARAMETERS_MAX)
      .describe('parameters whose values are redacted in page addresses, besides the built-in ones'),
    replay_sample_rate: z.number().min(0).max(1).describe('share of sessions that are recorded; 0: none'),
    attribution_days: z
      .int()
      .min(1)
      .max(ATTRIBUTION_DAYS_MAX)
      .describe('how many days before an enquiry a visit counts as having brought it'),
    portal_domains: z
      .array(Domain)
      .max(PORTALS_MAX)
      .describe('domains of portals, such as listing sites: visits from there are of the channel Portal'),
    blocked_email_domains: Domains.describe(
      'submissions with an e-mail address there, or below, are rejected like those of a blocked address',
    ),
    blocked_phones: z
      .array(PhoneNumber)
      .max(BLOCKED_MAX)
      .describe('submissions with one of these phone numbers are rejected'),
    blocked_words: z
      .array(z.string().trim().min(2, 'must have at least 2 characters').max(WORD_CHARS_MAX))
      .max(BLOCKED_MAX)
      .describe('submissions with one of these words in name, message or custom fields are rejected'),
    disposable_email_domains: Domains.describe(
      'domains of disposable e-mail addresses, besides the built-in ones: they raise the risk',
    ),
    timezone: z
      .string()
      .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
      .describe('time zone in which questions count days, unless they name their own'),
    currency: z
      .string()
      .trim()
      .toUpperCase()
      .regex(/^[A-Z]{3}$/, 'must be a currency code of three letters such as EUR')
      .describe('of all costs and values'),
  })
  .partial();
export type SettingsChange = z.output<typeof SettingsChange>;

/** Secrets can be written, not read. */
export const Settings = z.object({
  flow_enabled: z.boolean(),
  flow_webhook_url: z.string().nullable(),
  flow_webhook_url_refused: Refused,
  flow_signing_secret_set: z.boolean(),
  flow_send_follow_ups: z.enum(SENT_FOLLOW_UPS),
  flow_risk_max: z.int().nullable(),
  flow_send_stage_changes: z.boolean(),
  crm_callback_secret_set: z.boolean(),
  crm_webhook_secret_set: z.boolean(),
  crm_stage_map: z.array(CrmStageRule),
  crm_value_fields: z.array(z.string()),
  bot_lead_detection: z.boolean(),
  callbacks_require_signature: z.boolean(),
  internal_teams: z.array(z.string()),
  duplicate_window_minutes: z.int(),
  analytics_refresh_cooldown_seconds: z.int(),
  lead_drought_enabled: z.boolean(),
  lead_drought_hours: z.number(),
  lead_drought_webhook_url: z.string().nullable(),
  lead_drought_webhook_url_refused: Refused,
  archive_retention_days: z.int(),
  replay_retention_days: z.int(),
  session_retention_days: ShownDays,
  lead_retention_days: ShownDays,
  lead_retention_stages: z.array(z.enum(LEAD_STATUSES)),
  set_aside_retention_days: ShownDays,
  flow_send_body_retention_days: ShownDays,
  unmatched_event_retention_days: ShownDays,
  replay_storage_mb: z.int(),
  redacted_parameters: z.array(z.string()),
  replay_sample_rate: z.number(),
  timezone: z.string(),
  currency: z.string(),
  attribution_days: z.int(),
  portal_domains: z.array(z.string()),
  blocked_email_domains: z.array(z.string()),
  blocked_phones: z.array(z.string()),
  blocked_words: z.array(z.string()),
  disposable_email_domains: z.array(z.string()),
});
export type ShownSettings = z.output<typeof Settings>;

export const settings = endpoint({
  method: 'GET',
  path: '/analytics/settings',
  group: 'Management',
  summary: 'The current settings, from the dashboard or the environment',
  auth: 'admin',
  cache: 'no-store',
  responses: { 200: Settings, ...errors },
});

export const Connection = z.object({
  peer: z.string().describe('address that opened the connection: the client itself or the last proxy'),
  is_trusted_proxy: z.boolean().describe('whether the peer is one of TRUSTED_PROXIES'),
  address: z.string().describe('address of the client, as the service resolves it'),
  header: z.string().nullable().describe('the header it was taken from; null: it is the peer'),
  ignored_headers: z
    .array(z.string())
    .describe('headers of this request that name an address and are not trusted'),
  edges: z.array(z.string()).describe('the networks named in EDGE'),
});
export type Connection = z.output<typeof Connection>;

export const connection = endpoint({
  method: 'GET',
  path: '/analytics/connection',
  group: 'Management',
  summary: 'Where this request comes from, and which header it was read from',
  auth: 'admin',
  cache: 'no-store',
  responses: { 200: Connection, ...errors },
});

export const saveSettings = endpoint({
  method: 'PATCH',
  path: '/analytics/settings',
  group: 'Management',
  summary: 'Change settings; omitted ones are kept',
  auth: 'admin',
  cache: 'no-store',
  body: SettingsChange,
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
  responses: { 200: Settings, 400: ApiError, 413: ApiError, ...errors },
});
