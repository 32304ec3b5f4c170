/** The stages of the pipeline; `fake` marks spam. Apart from the schemas, so that it can be used without them. */
export const LEAD_STATUSES = ['new', 'contacted', 'qualified', 'proposal', 'won', 'lost', 'fake'] as const;
export type LeadStatus = (typeof LEAD_STATUSES)[number];
