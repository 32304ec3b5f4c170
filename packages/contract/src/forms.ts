import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, DateTime, RecordNumber } from './fields.ts';
import {
  AfterSending,
  FieldMeaning,
  FieldNames,
  FormTexts,
  RedirectUrl,
  SpamCheck,
  SpamCheckFailed,
  SpamCheckKey,
} from './form-settings.ts';
import {
  bodyErrors,
  Deleted,
  errors,
  idErrors,
  idParams,
  Key,
  managing,
  Name,
  page,
  writing,
} from './managing.ts';

/** Forms of sites, and how each behaves. */

export const Form = z
  .object({
    id: z.int(),
    form_id: z.string(),
    site_id: z.int(),
    site_key: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    after_sending: AfterSending,
    redirect_url: RedirectUrl,
    texts: FormTexts,
    field_names: FieldNames,
    spam_check: SpamCheck,
    spam_check_failed: SpamCheckFailed,
    spam_check_site_key: z.string(),
    spam_check_secret_set: z.boolean(),
    created_at: DateTime,
  })
  .meta({ id: 'Form' });
export type Form = z.output<typeof Form>;

export const forms = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/forms',
  summary: 'Forms, oldest first',
  query: z.object({ site_id: RecordNumber.optional(), ...page }),
  responses: { 200: z.object({ forms: z.array(Form), total: Count }), 400: ApiError, ...errors },
});

const formSettings = {
  after_sending: AfterSending.optional(),
  redirect_url: RedirectUrl.optional(),
  texts: FormTexts.optional().describe('replaces all texts of the form; omitted ones get their default'),
  field_names: FieldNames.optional(),
  spam_check: SpamCheck.optional(),
  spam_check_failed: SpamCheckFailed.optional(),
  spam_check_site_key: SpamCheckKey.optional().describe("the provider's public key"),
  spam_check_secret: SpamCheckKey.optional().describe("the provider's secret key; never shown"),
};

export const createForm = endpoint({
  ...writing,
  method: 'POST',
  path: '/analytics/forms',
  summary: 'Create a form of a site',
  body: z
    .object({
      name: Name,
      site_id: z.int().positive().nullish(),
      site_key: Key.nullish().describe('instead of site_id'),
      form_id: Key.nullish().describe('generated when omitted'),
      enabled: z.boolean().default(true),
      ...formSettings,
    })
    .refine((sent) => (sent.site_id ?? sent.site_key) != null, {
      path: ['site_id'],
      message: 'or site_key is required',
    }),
  responses: { 201: Form, ...bodyErrors },
});

export const form = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/forms/:id',
  summary: 'One form',
  params: idParams,
  responses: { 200: Form, ...idErrors },
});

export const updateForm = endpoint({
  ...writing,
  method: 'PATCH',
  path: '/analytics/forms/:id',
  summary: 'Change a form; omitted fields are kept',
  params: idParams,
  body: z.object({
    name: Name.optional(),
    form_id: Key.optional(),
    enabled: z.boolean().optional(),
    ...formSettings,
  }),
  responses: { 200: Form, ...bodyErrors, 404: ApiError },
});

export const ArrivedField = z
  .object({
    name: z.string(),
    count: Count.describe('submissions in which it was filled in'),
    meaning: FieldMeaning.describe('what it is read as'),
    looks_like: z
      .enum(['EMAIL', 'PHONE'])
      .nullable()
      .describe('for a custom field: what its texts look like'),
  })
  .meta({ id: 'ArrivedField' });
export type ArrivedField = z.output<typeof ArrivedField>;

export const formFields = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/forms/:id/fields',
  summary: 'The fields that arrived in the latest submissions of a form, and what they are read as',
  params: idParams,
  responses: {
    200: z.object({
      submissions: Count.describe('how many were examined'),
      misunderstood: Count.describe(
        'those without an e-mail address or phone, but with a custom field that looks like one',
      ),
      fields: z.array(ArrivedField),
    }),
    ...idErrors,
  },
});

export const deleteForm = endpoint({
  ...managing,
  method: 'DELETE',
  path: '/analytics/forms/:id',
  summary: 'Delete a form; its leads are kept',
  params: idParams,
  responses: { 200: Deleted, ...idErrors },
});
