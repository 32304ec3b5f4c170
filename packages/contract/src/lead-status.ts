/** The stages of the pipeline; `fake` marks spam. Separate from the schemas, so that it can be imported without zod. */
export const LEAD_STATUSES = ['new', 'contacted', 'qualified', 'proposal', 'won', 'lost', 'fake'] as const;
export type LeadStatus = (typeof LEAD_STATUSES)[number];
