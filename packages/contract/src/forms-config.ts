import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError } from './fields.ts';

const Key = z.string().trim().min(1);

/** What the form script needs to know about a form. */
export const FormsConfig = z
  .object({
    site_key: z.string(),
    form_id: z.string(),
    enabled: z.boolean().describe('site and form both are'),
    capture_url: z.string().describe('where to send it'),
    honeypot_field: z.string().describe('to be hidden from people and left empty'),
    time_field: z.string().describe('takes the seconds until the form was sent'),
    campaign_params: z.array(z.string()).describe('fields that take the parameters of the address'),
    replay: z.object({ enabled: z.boolean(), sample_rate: z.number().min(0).max(1) }),
  })
  .meta({ id: 'FormsConfig' });

export const formsConfig = endpoint({
  method: 'GET',
  path: '/forms/config',
  group: 'Lead capture',
  summary: 'How a form is to be sent',
  auth: 'public',
  cache: 'one-minute',
  origins: 'any',
  query: z.object({ siteKey: Key, formId: Key }),
  responses: { 200: FormsConfig, 400: ApiError, 404: ApiError, 500: ApiError, 503: ApiError },
});
