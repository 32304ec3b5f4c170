import { z } from 'zod';
import { LEAD_STATUSES } from './lead-status.ts';

/** The latest lead of a visitor, as lists of visits show it. */
export const VisitorLead = z.object({
  lead_id: z.int(),
  contact_name: z.string(),
  contact_email: z.string(),
  status: z.enum(LEAD_STATUSES),
});
export type VisitorLead = z.output<typeof VisitorLead>;
