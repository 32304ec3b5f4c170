import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError } from './fields.ts';
import { IDEMPOTENCY_KEY_CHARS_MAX, LEAD_BYTES_MAX } from './limits.ts';

/** Field names are case-insensitive, and common aliases are recognised; anything else is a custom field. */
export const LeadFields = z
  .looseObject({
    FIRSTNAME: z.string().describe('first or whole name; also `name`, `first_name`, `your-name` …'),
    LASTNAME: z.string().describe('completes the name; also `last_name`, `surname` …'),
    EMAIL: z.string().describe('also `email`, `mail`, `e-mail`, `email_address` …'),
    PHONE: z.string().describe('also `phone`, `tel`, `mobile`, `phone_number` …'),
    COUNTRYCODE: z.string().describe('dial code; also `countryCode` and `country_code`'),
    PROJECT: z.string().describe('project name'),
    LOCATION: z.string().describe('city or location'),
    TEAM: z.string().describe('source team'),
    DOMAIN: z.string().describe('location of the thank-you page: a URL, a hostname or a path'),
    SOURCE: z.string().describe('lead source, such as WebSite'),
    KEYWORD: z.string().describe('marketing keyword'),
    USER_MESSAGE: z.string().describe('also `message`, `comments`, `your-message` …'),
    PAGE_URL: z.string().describe('URL of the page with the form'),
    CTA_NAME: z.string().describe('what the visitor clicked to get to the form'),
    siteKey: z.string().describe('needed without an API key'),
    formId: z.string().describe('needed without an API key'),
    CLIENT_IP: z.string().describe('with an API key: IP address of the person'),
    CLIENT_USER_AGENT: z.string().describe('with an API key: browser of the person'),
    __visitor_id: z.string(),
    __touches: z
      .string()
      .describe(
        'JSON `[[time, page, referrer], …]`: the first and last arrival that the form script has kept',
      ),
    __submission_id: z
      .string()
      .describe('set by the form script: retries with the same id are one submission'),
    __fields: z
      .string()
      .describe('JSON `{name: meaning}`: what the form script reads from `autocomplete` and `type`'),
    __pg_hp: z.string().describe('honeypot: must be empty'),
    __pg_tts: z.string().describe('seconds from showing to submitting the form'),
    __gclid: z.string(),
    __utm_source: z.string(),
    __utm_medium: z.string(),
    __utm_campaign: z.string(),
    __utm_term: z.string(),
    __utm_content: z.string(),
    __fbclid: z.string(),
    __msclkid: z.string(),
  })
  .partial()
  .meta({ id: 'LeadFields' });

export const Captured = z.object({
  message: z.string().describe('“All set!”, or the text of a form that stays on its page'),
  redirect_to: z
    .string()
    .nullable()
    .optional()
    .describe('the page to go to, null if none; only if JSON was requested'),
  lead_public_id: z.string().optional().describe('only if JSON was requested'),
  lead_submission_public_id: z.string().optional().describe('only if JSON was requested'),
});

const capture = {
  method: 'POST',
  group: 'Lead capture',
  auth: 'public',
  cache: 'no-store',
  origins: 'sites',
  headers: z.object({
    'Idempotency-Key': z
      .string()
      .min(1)
      .max(IDEMPOTENCY_KEY_CHARS_MAX)
      .optional()
      .describe(
        'with an API key: a retry under the same key within 24 hours is the same submission and gets the same answer',
      ),
  }),
  form: LeadFields,
  bodyBytesMax: LEAD_BYTES_MAX,
  alsoProduces: 'text/html',
} as const;
const Redirected = z.null().describe('to the thank-you page');
const refused = {
  400: ApiError,
  401: ApiError,
  403: ApiError,
  413: ApiError,
  422: ApiError,
  500: ApiError,
  503: ApiError,
};

const deprecated = { sunset: 'Mon, 01 Jun 2026 00:00:00 GMT', successor: '/lead.capture' } as const;

export const captureLead = endpoint({
  ...capture,
  path: '/lead.capture',
  summary: 'Submit a lead, from a form (siteKey and formId) or from a server (X-API-Key)',
  responses: { 200: Captured, 301: Redirected, ...refused },
});

export const captureLeadLegacy = endpoint({
  ...capture,
  deprecated,
  path: '/lead',
  summary: 'Deprecated: use /lead.capture',
  responses: { 200: Captured, 301: Redirected, ...refused, 410: ApiError },
});

export const captureLeadRoot = endpoint({
  ...capture,
  deprecated,
  path: '/',
  summary: 'Deprecated: use /lead.capture',
  responses: { 200: Captured, 301: Redirected, ...refused, 410: ApiError },
});
