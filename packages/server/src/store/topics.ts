import type { ReadName, WriteName } from './operations.ts';

/** What the answers of the analytics depend on. */
export const TOPICS = [
  'integrations',
  'ip-lists',
  'leads',
  'objects',
  'refresh',
  'replays',
  'sends',
  'set-aside',
  'setup',
  'tracking',
] as const;
export type Topic = (typeof TOPICS)[number];

const NOTHING_SHOWN: readonly Topic[] = [];

/**
 * What each write may change of what is shown. That it was made is noted in its own transaction, so that whoever
 * reads the versions afterwards knows that an answer from before no longer holds.
 */
const CHANGES = {
  appliedSequence: NOTHING_SHOWN,
  ingestTracking: ['tracking'],
  salvageTracking: ['tracking'],
  endIdleSessions: ['tracking'],
  // Only the last hour is made of minutes, and that is never kept.
  cleanUpTracking: NOTHING_SHOWN,
  claimArchives: NOTHING_SHOWN,
  releaseArchives: NOTHING_SHOWN,
  recordArchive: ['objects'],
  forgetObjects: ['objects', 'replays'],
  cleanUpCrmEvents: NOTHING_SHOWN,
  claimSends: NOTHING_SHOWN,
  releaseSends: NOTHING_SHOWN,
  recordAttempts: ['sends'],
  claimTick: NOTHING_SHOWN,
  recordJobRun: NOTHING_SHOWN,
  noteDrought: NOTHING_SHOWN,
  recordDroughtTold: NOTHING_SHOWN,
  // A person may be anywhere, and must not come out of anything that was kept.
  erasePerson: TOPICS,
  claimErasedSessions: NOTHING_SHOWN,
  extendErasedSessions: NOTHING_SHOWN,
  forgetErasedSessions: NOTHING_SHOWN,
  recordRewrittenArchive: ['objects'],
  forgetErasedReplays: ['objects', 'replays'],
  forgetErasedSessionIds: NOTHING_SHOWN,
  recordScrubs: NOTHING_SHOWN,
  // Lists are the same before and after it, and read in one snapshot: never half and half.
  indexLeads: NOTHING_SHOWN,
  // What could not be found before is found after it.
  renewSearchTexts: ['leads'],

  // An integration shows when it was last used, and a honeypot blocks an address.
  captureLead: ['integrations', 'ip-lists', 'leads', 'sends', 'set-aside'],
  setLeadStatus: ['leads'],
  markLeadSeen: ['leads'],
  recordCrmId: ['leads'],
  recordCrmEvent: ['leads'],
  recordFlowResult: ['sends'],
  resendFlowSend: ['sends'],
  setAside: ['set-aside'],
  deleteSetAside: ['set-aside'],
  addIpRule: ['ip-lists'],
  removeIpRule: ['ip-lists'],
  saveSettings: ['setup'],
  createSite: ['setup'],
  updateSite: ['setup'],
  deleteSite: ['setup'],
  createForm: ['setup'],
  updateForm: ['setup'],
  deleteForm: ['setup'],
  ensureDemoSite: ['setup'],
  createIntegration: ['integrations'],
  updateIntegration: ['integrations'],
  rekeyIntegration: ['integrations'],
  deleteIntegration: ['integrations'],
  upsertDefaultIntegration: ['integrations'],
  createDropdownOption: ['setup'],
  updateDropdownOption: ['setup'],
  deleteDropdownOption: ['setup'],
  ensureDemoOptions: ['setup'],
  refreshAnalytics: ['refresh'],
  recordReplayChunk: ['objects', 'replays'],
} as const satisfies Record<WriteName, readonly Topic[]>;

/** What a read shows. Where a replica has not caught up with these, the primary is asked instead. */
const SHOWS = {
  leads: ['leads', 'ip-lists'],
  leadsBefore: ['leads', 'ip-lists'],
  leadDetail: TOPICS,
  recentSubmissions: ['leads'],
  submissions: ['leads', 'ip-lists'],
  flowSends: ['sends'],
  setAsideLeads: ['set-aside'],
  ipRules: ['ip-lists'],
  sites: ['setup'],
  site: ['setup'],
  forms: ['setup'],
  form: ['setup'],
  integrations: ['integrations'],
  integration: ['integrations'],
  dropdownOptions: ['setup'],
  dropdownOption: ['setup'],
  // With what is known of the session.
  replaySessions: ['replays', 'tracking'],
  replay: ['replays'],
  overview: ['tracking'],
  sessionsDaily: ['tracking'],
  topPages: ['tracking'],
  geo: ['tracking'],
  engagement: ['tracking'],
  sources: ['tracking'],
  realtime: ['tracking'],
  storage: ['objects'],
  submissionsDaily: ['leads'],
  submissionsByProject: ['leads'],
  submissionsBySource: ['leads'],
  submissionsByEngagement: ['leads'],
  submissionsOverview: ['leads'],
} as const satisfies Record<ReadName, readonly Topic[]>;

/** One that only a later version of the service knows may change anything. */
export function topicsChangedBy(operation: string): readonly Topic[] {
  return operation in CHANGES ? CHANGES[operation as WriteName] : TOPICS;
}

export function topicsShownBy(operation: string): readonly Topic[] {
  return operation in SHOWS ? SHOWS[operation as ReadName] : TOPICS;
}
