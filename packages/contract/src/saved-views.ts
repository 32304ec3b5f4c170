import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, DateTime } from './fields.ts';
import { MANAGEMENT_BYTES_MAX, SAVED_VIEWS_MAX } from './limits.ts';
import { SAVED_VIEW_PAGES, VIEW_NAME_CHARS_MAX, VIEW_SEARCH_CHARS_MAX } from './view-pages.ts';

/** Saved views of the dashboard's lists, the same for all users. */

const Name = z.string().trim().min(1).max(VIEW_NAME_CHARS_MAX);
const Search = z
  .string()
  .max(VIEW_SEARCH_CHARS_MAX)
  .describe('the search part of the address, such as `?status=won&sort=oldest`');

export const SavedView = z
  .object({
    id: z.string(),
    page: z.enum(SAVED_VIEW_PAGES),
    name: z.string(),
    search: z.string(),
    saved_at: DateTime,
  })
  .meta({ id: 'SavedView' });
export type SavedView = z.output<typeof SavedView>;

const reading = { group: 'Management', auth: 'marketing', cache: 'no-store' } as const;
const writing = { group: 'Management', auth: 'admin', cache: 'no-store' } as const;
const errors = { 400: ApiError, 401: ApiError, 500: ApiError, 503: ApiError };
const writeErrors = { ...errors, 403: ApiError };
const bodyErrors = { ...writeErrors, 409: ApiError, 413: ApiError };
const idParams = z.object({ id: z.string() });

export const savedViews = endpoint({
  ...reading,
  method: 'GET',
  path: '/analytics/views',
  summary: 'Saved views of the lists of the dashboard, by name',
  query: z.object({ page: z.enum(SAVED_VIEW_PAGES).optional() }),
  responses: { 200: z.object({ views: z.array(SavedView) }), ...errors },
});

export const saveView = endpoint({
  ...writing,
  method: 'POST',
  path: '/analytics/views',
  summary: 'Save a view for all users',
  body: z.object({ page: z.enum(SAVED_VIEW_PAGES), name: Name, search: Search }),
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
  responses: {
    201: SavedView,
    ...bodyErrors,
    409: ApiError.describe(`the name is taken, or there are ${SAVED_VIEWS_MAX} views`),
  },
});

export const updateView = endpoint({
  ...writing,
  method: 'PATCH',
  path: '/analytics/views/:id',
  summary: 'Rename a saved view, or replace its search',
  params: idParams,
  body: z.object({ name: Name.optional(), search: Search.optional() }),
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
  responses: { 200: SavedView, ...bodyErrors, 404: ApiError },
});

export const deleteView = endpoint({
  ...writing,
  method: 'DELETE',
  path: '/analytics/views/:id',
  summary: 'Delete a saved view',
  params: idParams,
  responses: { 200: z.object({ deleted: z.literal(true) }), ...writeErrors, 404: ApiError },
});
