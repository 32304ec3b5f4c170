import type { Channel } from '@leadtrail/contract/channels';
import type { EngagementLabel } from '@leadtrail/contract/engagement';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import type { LeadStatus } from '@leadtrail/contract/lead-status';
import type { LeadSort } from '@leadtrail/contract/leads';
import type { Question } from '@leadtrail/contract/questions';

/** All query keys, so that reads and invalidations cannot drift apart. A shorter key matches all that begin with it. */

export type LeadFilters = {
  q?: string;
  status?: LeadStatus;
  has_follow_ups?: boolean;
  seen?: boolean;
  project?: string;
  source?: string;
  campaign?: string;
  channel?: Channel;
  engagement?: EngagementLabel;
  delivery?: LeadItem['delivery_state'];
  /** From the frame: comma-separated sites, and the start and end of the period. */
  site?: string;
  from?: string;
  to?: string;
};
export type LeadListQuery = LeadFilters & { sort?: LeadSort; limit: number; offset: number };
export type LeadColumn = { status: LeadStatus; sort: LeadSort; filters: LeadFilters };

/** Omitted parts take their defaults. */
export type AskedQuestion = Pick<Question, 'metrics' | 'period'> & Partial<Question>;

const ANSWERS = 'answers';
const LEADS = 'leads';
const LEAD = 'lead';
const DELIVERIES = 'deliveries';
const DROPDOWN_OPTIONS = 'dropdown-options';

export const queryKeys = {
  viewer: ['viewer'],
  worldMap: ['world-map'],

  answers: [ANSWERS],
  answer: (question: AskedQuestion) => [ANSWERS, question],
  figures: ['figures'],
  realtime: ['realtime'],
  live: (query: object) => ['live', query],
  engagement: ['engagement'],
  storage: ['storage'],
  need: (name: string) => ['needs', name],
  recentSubmissions: (limit: number) => ['recent-submissions', limit],

  costImports: ['cost-imports'],
  costsPreview: (file: string | undefined, named: object) => ['costs-preview', file, named],
  savedViews: (page: string) => ['saved-views', page],

  leads: [LEADS],
  leadLists: [LEADS, 'list'],
  leadList: (query: LeadListQuery) => [LEADS, 'list', query] as const,
  leadColumns: [LEADS, 'column'],
  leadColumn: (column: LeadColumn) => [LEADS, 'column', column] as const,
  latestLeads: (filters: LeadFilters) => [LEADS, 'latest', filters],
  leadsToReview: [LEADS, 'to-review'],
  leadsToReviewOf: (filters: LeadFilters) => [LEADS, 'to-review', filters],
  wonLeads: (filters: LeadFilters) => [LEADS, 'won', filters],
  anyLead: [LEAD],
  lead: (id: string | number) => [LEAD, String(id)],
  erasePreview: (person: object) => ['erase-preview', person],

  people: (q: string) => [LEADS, 'people', q],
  visitList: (query: object) => ['visit-list', query],
  recordingList: (query: object) => ['recording-list', query],
  recordings: (visitorId: string) => ['recordings', visitorId],
  recording: (sessionId: string) => ['recording', sessionId],
  submissions: (query: object) => ['submissions', query],

  deliveries: [DELIVERIES],
  deliveryLists: [DELIVERIES, 'list'],
  deliveryList: (query: object) => [DELIVERIES, 'list', query],
  openedDelivery: (id: string | undefined) => [DELIVERIES, 'opened', id],
  latestDelivery: [DELIVERIES, 'latest'],
  failedDeliveries: (scope: object) => [DELIVERIES, 'failed', scope],

  setAsideLists: (kind: string) => ['set-aside', kind],
  setAsideList: (kind: string, query: object) => ['set-aside', kind, query],
  ipLists: (list: string) => ['ip-list', list],
  ipList: (list: string, query: object) => ['ip-list', list, query],
  whitelistEntry: (ip: string) => ['whitelist-entry', ip],
  blockEntry: (ip: string) => ['block-entry', ip],

  settings: ['settings'],
  connection: ['connection'],
  retentionPreview: (typed: object) => ['retention-preview', typed],
  sites: ['sites'],
  forms: ['forms'],
  formFields: (formId: number) => ['form-fields', formId],
  siteSnippet: (siteId: number) => ['site-snippet', siteId],
  integrations: ['integrations'],
  sharedLinks: ['shared-links'],
  dropdownOptions: [DROPDOWN_OPTIONS],
  names: ['names'],
};

/** For mutations that are looked up while they run. */
export const mutationKeys = { dropdownOrder: [DROPDOWN_OPTIONS, 'order'] };
