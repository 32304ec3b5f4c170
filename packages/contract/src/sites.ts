import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, DateTime, httpUrl, paging, RecordNumber } from './fields.ts';
import { AfterSending, FieldMeaning, FieldNames, FormTexts, RedirectUrl } from './form-settings.ts';
import { LIST_DEFAULT, LIST_MAX, MANAGEMENT_BYTES_MAX } from './limits.ts';

/** Who may send leads: sites with their forms, and servers with a key of their own. */

const NAME_CHARS_MAX = 256;
const DOMAINS_PER_SITE_MAX = 100;
const DOMAIN_CHARS_MAX = 512;
const ORIGIN_CHARS_MAX = 512;

const Name = z.string().trim().min(1).max(NAME_CHARS_MAX);
const Key = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must have 1 to 64 characters: letters, digits, hyphens or underscores');
const Domains = z
  .array(z.string().max(DOMAIN_CHARS_MAX))
  .max(DOMAINS_PER_SITE_MAX)
  .describe('example.com (and its www.), *.example.com or localhost:3000');

const idParams = z.object({ id: RecordNumber });
const page = paging({ default: LIST_DEFAULT, max: LIST_MAX });

const managing = { group: 'Management', auth: 'admin', cache: 'no-store' } as const;
const writing = { ...managing, bodyBytesMax: MANAGEMENT_BYTES_MAX } as const;
const errors = { 401: ApiError, 403: ApiError, 500: ApiError, 503: ApiError };
const idErrors = { 400: ApiError, 404: ApiError, ...errors };
const bodyErrors = { 400: ApiError, 409: ApiError, 413: ApiError, ...errors };
const Deleted = z.object({ deleted: z.literal(true) });

export const Site = z
  .object({
    id: z.int(),
    site_key: z.string(),
    name: z.string(),
    domains: z.array(z.string()),
    enabled: z.boolean(),
    created_at: DateTime,
  })
  .meta({ id: 'Site' });
export type Site = z.output<typeof Site>;

export const sites = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/sites',
  summary: 'Sites, oldest first',
  query: z.object(page),
  responses: { 200: z.object({ sites: z.array(Site), total: Count }), ...errors },
});

export const createSite = endpoint({
  ...writing,
  method: 'POST',
  path: '/analytics/sites',
  summary: 'Create a site',
  body: z.object({
    name: Name,
    site_key: Key.nullish().describe('generated when omitted'),
    domains: Domains.default([]),
    enabled: z.boolean().default(true),
  }),
  responses: { 201: Site, ...bodyErrors },
});

export const site = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/sites/:id',
  summary: 'One site',
  params: idParams,
  responses: { 200: Site, ...idErrors },
});

const Origin = httpUrl()
  .max(ORIGIN_CHARS_MAX)
  .transform((url) => new URL(url).origin);

export const SiteSnippet = z
  .object({
    site_key: z.string(),
    tracker: z.string().describe('for the head of every page'),
    form_script: z.string().describe('for the head of pages with a form'),
    google_tag_manager: z.string().describe('both scripts as a Custom HTML tag'),
    forms: z
      .array(z.object({ form_id: z.string(), name: z.string(), html: z.string() }))
      .describe('example forms; fields can be added and removed'),
  })
  .meta({ id: 'SiteSnippet' });
export type SiteSnippet = z.output<typeof SiteSnippet>;

export const siteSnippet = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/sites/:id/snippet',
  summary: 'HTML to paste into the pages of a site',
  params: idParams,
  query: z.object({
    origin: Origin.optional().describe(
      'where the service is reached, if PUBLIC_URL is not set; else addresses are relative',
    ),
  }),
  responses: { 200: SiteSnippet, ...idErrors },
});

export const updateSite = endpoint({
  ...writing,
  method: 'PATCH',
  path: '/analytics/sites/:id',
  summary: 'Change a site; omitted fields are kept',
  params: idParams,
  body: z.object({
    name: Name.optional(),
    site_key: Key.optional(),
    domains: Domains.optional(),
    enabled: z.boolean().optional(),
  }),
  responses: { 200: Site, ...bodyErrors, 404: ApiError },
});

export const deleteSite = endpoint({
  ...managing,
  method: 'DELETE',
  path: '/analytics/sites/:id',
  summary: 'Delete a site and its forms; its leads are kept',
  params: idParams,
  responses: { 200: Deleted, ...idErrors },
});

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
  texts: FormTexts.optional().describe('replaces all texts of the form; the others are the usual ones'),
  field_names: FieldNames.optional(),
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
    meaning: FieldMeaning.describe('what it is understood as'),
    looks_like: z
      .enum(['EMAIL', 'PHONE'])
      .nullable()
      .describe('what its texts look like where it is a custom field'),
  })
  .meta({ id: 'ArrivedField' });
export type ArrivedField = z.output<typeof ArrivedField>;

export const formFields = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/forms/:id/fields',
  summary: 'The fields that arrived in the latest submissions of a form, and what they are understood as',
  params: idParams,
  responses: {
    200: z.object({
      submissions: Count.describe('how many were looked at'),
      misunderstood: Count.describe(
        'those that have no e-mail address or no phone, but a custom field that looks like one',
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

export const Integration = z
  .object({
    id: z.int(),
    name: z.string(),
    enabled: z.boolean(),
    key_prefix: z.string().describe('first characters of the key'),
    last_used_at: DateTime.nullable(),
    created_at: DateTime,
  })
  .meta({ id: 'Integration' });
export type Integration = z.output<typeof Integration>;

const IntegrationWithKey = z.object({
  ...Integration.shape,
  api_key: z.string().describe('shown only once'),
});

export const integrations = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/integrations',
  summary: 'Servers that may send leads, oldest first',
  query: z.object(page),
  responses: { 200: z.object({ integrations: z.array(Integration), total: Count }), ...errors },
});

export const createIntegration = endpoint({
  ...writing,
  method: 'POST',
  path: '/analytics/integrations',
  summary: 'Let a server send leads; its key is shown only in this response',
  body: z.object({ name: Name, enabled: z.boolean().default(true) }),
  responses: { 201: IntegrationWithKey, ...bodyErrors },
});

export const integration = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/integrations/:id',
  summary: 'One integration',
  params: idParams,
  responses: { 200: Integration, ...idErrors },
});

export const updateIntegration = endpoint({
  ...writing,
  method: 'PATCH',
  path: '/analytics/integrations/:id',
  summary: 'Change an integration; omitted fields are kept',
  params: idParams,
  body: z.object({ name: Name.optional(), enabled: z.boolean().optional() }),
  responses: { 200: Integration, ...bodyErrors, 404: ApiError },
});

export const deleteIntegration = endpoint({
  ...managing,
  method: 'DELETE',
  path: '/analytics/integrations/:id',
  summary: 'Delete an integration; its key stops working',
  params: idParams,
  responses: { 200: Deleted, ...idErrors },
});

export const rotateIntegration = endpoint({
  ...managing,
  method: 'POST',
  path: '/analytics/integrations/:id/rotate',
  summary: 'Replace the key of an integration; the new one is shown only in this response',
  params: idParams,
  responses: { 200: IntegrationWithKey, ...idErrors },
});
