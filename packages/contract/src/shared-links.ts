import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, DateTime, paging, RecordNumber } from './fields.ts';
import {
  LIST_DEFAULT,
  LIST_MAX,
  MANAGEMENT_BYTES_MAX,
  SHARED_LINK_DAYS_DEFAULT,
  SHARED_LINK_DAYS_MAX,
} from './limits.ts';

/** Links that show the figures of some sites, read only and without a key. */

const SITES_MAX = 100;
const NAME_CHARS_MAX = 200;

export const SharedSite = z.object({
  site_key: z.string(),
  name: z.string().describe('the site key if the site was deleted'),
});
export type SharedSite = z.output<typeof SharedSite>;

export const SharedLink = z
  .object({
    id: z.int(),
    name: z.string(),
    sites: z.array(SharedSite),
    created_at: DateTime,
    expires_at: DateTime,
    is_expired: z.boolean(),
  })
  .meta({ id: 'SharedLink' });
export type SharedLink = z.output<typeof SharedLink>;

const managing = { group: 'Management', auth: 'admin', cache: 'no-store' } as const;
const errors = { 401: ApiError, 403: ApiError, 500: ApiError, 503: ApiError };

export const sharedLinks = endpoint({
  ...managing,
  method: 'GET',
  path: '/analytics/shared-links',
  summary: 'Links that show the figures of some sites, oldest first',
  query: z.object(paging({ default: LIST_DEFAULT, max: LIST_MAX })),
  responses: { 200: z.object({ shared_links: z.array(SharedLink), total: Count }), ...errors },
});

export const createSharedLink = endpoint({
  ...managing,
  method: 'POST',
  path: '/analytics/shared-links',
  summary: 'Share the figures of some sites; the token is shown only in this response',
  body: z.object({
    name: z.string().trim().min(1).max(NAME_CHARS_MAX),
    sites: z.array(z.string()).min(1).max(SITES_MAX).describe('site keys'),
    days: z.int().min(1).max(SHARED_LINK_DAYS_MAX).default(SHARED_LINK_DAYS_DEFAULT),
  }),
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
  responses: {
    201: z.object({
      ...SharedLink.shape,
      token: z
        .string()
        .describe('the link is /dashboard/shared#<token>; as an API key it may only ask questions'),
    }),
    400: ApiError,
    413: ApiError,
    ...errors,
  },
});

export const deleteSharedLink = endpoint({
  ...managing,
  method: 'DELETE',
  path: '/analytics/shared-links/:id',
  summary: 'Revoke a link; it stops working at once',
  params: z.object({ id: RecordNumber }),
  responses: { 200: z.object({ deleted: z.literal(true) }), 400: ApiError, 404: ApiError, ...errors },
});
