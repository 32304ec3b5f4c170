import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError } from './fields.ts';
import { AfterSending, FormTexts, SpamCheck } from './form-settings.ts';

const Key = z.string().trim().min(1);
const LANGUAGE_CHARS_MAX = 35;
const Options = z.array(z.object({ value: z.string(), label: z.string() }));

/** What the form script needs to know about a form. */
export const FormsConfig = z
  .object({
    site_key: z.string(),
    form_id: z.string(),
    enabled: z.boolean().describe('whether both site and form are enabled'),
    capture_url: z
      .string()
      .describe('where to submit the form; relative to the service unless PUBLIC_URL is set'),
    honeypot_field: z.string().describe('name of the field to hide and leave empty'),
    time_field: z.string().describe('name of the field for the seconds from showing to submitting the form'),
    campaign_params: z
      .array(z.string())
      .describe('names of the fields for campaign parameters of the page URL'),
    after_sending: AfterSending,
    texts: FormTexts.describe(
      'in the requested language, overridden by those of the form; English defaults are left out',
    ),
    options: z
      .object({ source: Options, country: Options, project: Options, city: Options })
      .describe('for `<select data-leadtrail-options>`'),
    spam_check: SpamCheck,
    spam_check_site_key: z.string().describe('public key for the widget of the provider, where there is one'),
    replay: z.object({ enabled: z.boolean(), sample_rate: z.number().min(0).max(1) }),
  })
  .meta({ id: 'FormsConfig' });

export const formsConfig = endpoint({
  method: 'GET',
  path: '/forms/config',
  group: 'Lead capture',
  summary: 'Configuration of a form',
  auth: 'public',
  cache: 'one-minute',
  origins: 'any',
  query: z.object({
    siteKey: Key,
    formId: Key,
    lang: z
      .string()
      .max(LANGUAGE_CHARS_MAX)
      .optional()
      .describe('language of the page, such as `de` or `pt-BR`; unknown ones fall back to English'),
  }),
  responses: { 200: FormsConfig, 400: ApiError, 404: ApiError, 500: ApiError, 503: ApiError },
});
