import type { EndpointName } from '@leadtrail/contract/endpoints';
import type { Topic } from '../store/topics.ts';

/**
 * What an answer depends on, besides what was asked. Nothing else may have a part in it: not who asks, nor the time
 * of day.
 */
export type Dependence = {
  topics: readonly Topic[];
  /** It counts days from today. */
  day?: boolean;
};

const TRACKING: Dependence = { topics: ['tracking'] };
const SUBMISSION_TOTALS: Dependence = { topics: ['leads'], day: true };
const SET_ASIDE: Dependence = { topics: ['set-aside'], day: true };
const IP_LISTS: Dependence = { topics: ['ip-lists'] };
const INTEGRATIONS: Dependence = { topics: ['integrations'] };
const SETUP: Dependence = { topics: ['setup'] };

/** The answers that are kept. What is not here is read anew every time. */
export const CACHED_ENDPOINTS: Readonly<Partial<Record<EndpointName, Dependence>>> = {
  overview: TRACKING,
  sessionsDaily: { topics: ['tracking'], day: true },
  topPages: TRACKING,
  geo: TRACKING,
  engagement: TRACKING,
  sources: TRACKING,

  engineSubmissionsDaily: SUBMISSION_TOTALS,
  engineByProject: SUBMISSION_TOTALS,
  engineBySource: SUBMISSION_TOTALS,
  engineByEngagement: SUBMISSION_TOTALS,
  engineOverview: SUBMISSION_TOTALS,
  engineProjects: SUBMISSION_TOTALS,
  engineSources: SUBMISSION_TOTALS,

  // Both show whether an address is blocked.
  leads: { topics: ['leads', 'ip-lists'] },
  submissions: { topics: ['leads', 'ip-lists'], day: true },
  recentSubmissions: { topics: ['leads'] },

  flowSends: { topics: ['sends'] },
  rejectedLeads: SET_ASIDE,
  testingLeads: SET_ASIDE,
  blockedIps: IP_LISTS,
  whitelistedIps: IP_LISTS,

  sites: SETUP,
  site: SETUP,
  forms: SETUP,
  form: SETUP,
  integrations: INTEGRATIONS,
  integration: INTEGRATIONS,
  settings: SETUP,
  dropdownOptions: SETUP,
  dropdownOption: SETUP,
};
