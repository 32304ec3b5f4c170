import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, DateTime, paging, QueryFlag } from './fields.ts';
import { COST_FILE_BYTES_MAX, LIST_DEFAULT, LIST_MAX } from './limits.ts';

/** What campaigns cost, imported from files. */

const errors = { 401: ApiError, 403: ApiError, 500: ApiError, 503: ApiError };
const costs = { group: 'Questions', auth: 'admin', cache: 'no-store' } as const;

/** The name of a column of the file. */
const Column = z.string().trim().min(1).max(256).optional();
const Given = z.string().trim().min(1).max(256).optional();

export const CostsImported = z.object({
  import_id: z.string().describe('identical for identical costs'),
  dry_run: z.boolean(),
  format: z.enum(['plain', 'google_ads', 'meta_ads', 'microsoft_ads']),
  columns: z.record(z.string(), z.string()).describe('for each field the column it was read from'),
  rows: Count.describe('one for each day of a campaign; lines of the same day and campaign are added up'),
  days: Count,
  from: z.iso.date().nullable().describe('first day; null: no costs'),
  to: z.iso.date().nullable().describe('last day'),
  amount: z.number().describe('of all rows, in the currency of the settings'),
  currency: z.string(),
  lines_skipped: Count,
  skipped: z.array(z.object({ line: z.int(), reason: z.string() })).describe('the first skipped lines'),
});
export type CostsImported = z.output<typeof CostsImported>;

export const importCosts = endpoint({
  ...costs,
  method: 'POST',
  path: '/analytics/costs/import',
  summary: 'Import costs from a CSV file: plain, or exported by Google Ads, Meta or Microsoft',
  query: z.object({
    dry_run: QueryFlag.optional().describe('true: only report what would be imported'),
    date: Column.describe('the column of the file to read the date from; detected when omitted'),
    source: Column,
    medium: Column,
    campaign: Column,
    amount: Column,
    site: Column,
    currency: Column,
    clicks: Column,
    impressions: Column,
    default_source: Given.describe('for lines without a source'),
    default_medium: Given.describe('for lines without a medium'),
  }),
  file: 'text/csv',
  bodyBytesMax: COST_FILE_BYTES_MAX,
  responses: { 200: CostsImported, 400: ApiError, 413: ApiError, ...errors },
});

const CostImport = z.object({
  import_id: z.string(),
  imported_at: DateTime,
  format: z.string(),
  file_name: z.string(),
  rows: Count.describe('those not replaced by a later import'),
  from: z.iso.date().nullable(),
  to: z.iso.date().nullable(),
  amount: z.number(),
});
export type CostImport = z.output<typeof CostImport>;

export const costImports = endpoint({
  ...costs,
  method: 'GET',
  path: '/analytics/costs',
  summary: 'Imports of costs, latest first',
  query: z.object(paging({ default: LIST_DEFAULT, max: LIST_MAX })),
  responses: {
    200: z.object({ imports: z.array(CostImport), total: Count, currency: z.string() }),
    ...errors,
  },
});

export const deleteCosts = endpoint({
  ...costs,
  method: 'DELETE',
  path: '/analytics/costs/:import_id',
  summary: 'Delete the costs of an import',
  params: z.object({ import_id: z.string().min(1).max(128) }),
  responses: { 200: z.object({ deleted: z.literal(true) }), 400: ApiError, 404: ApiError, ...errors },
});
