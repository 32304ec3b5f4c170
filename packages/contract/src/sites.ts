import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, DateTime, httpUrl } from './fields.ts';
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

/** Sites whose pages may send visits and leads. */

const DOMAINS_PER_SITE_MAX = 100;
const DOMAIN_CHARS_MAX = 512;
const ORIGIN_CHARS_MAX = 512;

const Domains = z
  .array(z.string().max(DOMAIN_CHARS_MAX))
  .max(DOMAINS_PER_SITE_MAX)
  .describe('example.com (and its www.), *.example.com or localhost:3000');

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
      'origin of the service, if PUBLIC_URL is not set; without either, addresses are relative',
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
