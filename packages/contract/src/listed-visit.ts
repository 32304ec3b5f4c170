import { z } from 'zod';
import { Count, UnixMillis } from './fields.ts';
import { VisitorLead } from './visitor-lead.ts';

/** What every list of visits shows. */
export const ListedVisit = z.object({
  session_id: z.string(),
  started_at: UnixMillis,
  site_key: z.string().describe('empty: not known'),
  entry_page: z.string().describe('without query string and fragment'),
  channel: z.string().describe('empty: not known'),
  source: z.string(),
  campaign: z.string(),
  country: z.string().describe('XX: not known'),
  city: z.string(),
  device: z.string(),
  browser: z.string(),
  page_views: Count,
  is_returning: z.boolean(),
  lead: VisitorLead.nullable().describe('the latest lead of the visitor'),
});
export type ListedVisit = z.output<typeof ListedVisit>;
