import { claimArchives, forgetObjects, oldObjects, recordArchive, releaseArchives } from './archives.ts';
import { dataVersions } from './data-versions.ts';
import type { Db } from './dialect.ts';
import {
  createDropdownOption,
  deleteDropdownOption,
  dropdownOption,
  dropdownOptions,
  ensureDemoOptions,
  updateDropdownOption,
} from './dropdown-options.ts';
import {
  claimErasedSessions,
  extendErasedSessions,
  forgetErasedSessions,
  recordRewrittenArchive,
} from './erase/archived-sessions.ts';
import { erasePerson } from './erase/erase-person.ts';
import { erasedReplayKeys, forgetErasedReplays } from './erase/erased-replays.ts';
import { dueScrubs, recordScrubs } from './erase/scrubs.ts';
import { claimSends, nextSendDueAt, recordAttempts, releaseSends } from './flow-sends/deliver.ts';
import { flowSends, resendFlowSend } from './flow-sends/manage.ts';
import {
  createIntegration,
  deleteIntegration,
  integration,
  integrations,
  rekeyIntegration,
  updateIntegration,
  upsertDefaultIntegration,
} from './integrations.ts';
import { addIpRule, ipRules, removeIpRule } from './ip-lists.ts';
import { claimTick, recordJobRun } from './job-runs.ts';
import { latestLead, noteDrought, recordDroughtTold } from './lead-droughts.ts';
import { cleanUpCrmEvents, recordCrmEvent, recordCrmId, recordFlowResult } from './leads/callbacks.ts';
import { captureLead } from './leads/capture.ts';
import { leadDetail } from './leads/detail.ts';
import { indexLeads } from './leads/lead-index.ts';
import { leads, leadsBefore } from './leads/list.ts';
import { ipRule, isSiteOrigin } from './leads/look-up.ts';
import { renewSearchTexts } from './leads/renew.ts';
import { markLeadSeen, setLeadStatus } from './leads/review.ts';
import { recount } from './recount.ts';
import { refreshAnalytics } from './refresh.ts';
import {
  forgetErasedSessionIds,
  recordReplayChunk,
  replay,
  replaySessions,
  replayStanding,
} from './replays.ts';
import {
  submissionsByEngagement,
  submissionsByProject,
  submissionsBySource,
  submissionsDaily,
  submissionsOverview,
} from './reports/engine.ts';
import {
  engagement,
  geo,
  overview,
  realtime,
  sessionsDaily,
  sources,
  storage,
  topPages,
} from './reports/statistics.ts';
import { deleteSetAside, setAside, setAsideLeads } from './set-aside-leads.ts';
import { readSettings, saveSettings } from './settings.ts';
import {
  createForm,
  createSite,
  deleteForm,
  deleteSite,
  ensureDemoSite,
  form,
  formConfig,
  forms,
  site,
  sites,
  updateForm,
  updateSite,
} from './sites.ts';
import { recentSubmissions, submissions } from './submissions.ts';
import { cleanUpTracking } from './tracking/clean-up.ts';
import { endIdleSessions } from './tracking/end-idle.ts';
import { appliedSequence, ingestTracking, salvageTracking } from './tracking/ingest.ts';

/**
 * Everything the service asks of the relational store. One operation is one transaction; its argument and
 * its result are plain data, because with SQLite it runs in another thread. The groups say how it is run.
 */
const operations = {
  /** Writes that nobody waits for: they may take their time. */
  background: {
    // A replica may lag behind what was applied.
    appliedSequence,
    ingestTracking,
    salvageTracking,
    endIdleSessions,
    cleanUpTracking,
    claimArchives,
    releaseArchives,
    recordArchive,
    cleanUpCrmEvents,
    claimSends,
    releaseSends,
    recordAttempts,
    indexLeads,
    renewSearchTexts,
    claimTick,
    recordJobRun,
    noteDrought,
    recordDroughtTold,
    forgetObjects,
    erasePerson,
    claimErasedSessions,
    extendErasedSessions,
    forgetErasedSessions,
    recordRewrittenArchive,
    forgetErasedReplays,
    forgetErasedSessionIds,
    recordScrubs,
  },

  /** Writes that a request waits for. */
  writes: {
    captureLead,
    recordCrmId,
    recordCrmEvent,
    recordFlowResult,
    saveSettings,
    resendFlowSend,
    setLeadStatus,
    markLeadSeen,
    setAside,
    deleteSetAside,
    addIpRule,
    removeIpRule,
    createSite,
    updateSite,
    deleteSite,
    createForm,
    updateForm,
    deleteForm,
    ensureDemoSite,
    createIntegration,
    updateIntegration,
    rekeyIntegration,
    deleteIntegration,
    upsertDefaultIntegration,
    createDropdownOption,
    updateDropdownOption,
    deleteDropdownOption,
    ensureDemoOptions,
    refreshAnalytics,
    recordReplayChunk,
  },

  /** What a visitor's page waits for: like a write it must not wait behind a long list. */
  visitorReads: {
    isSiteOrigin,
    ipRule,
    formConfig,
    replayStanding,
  },

  /** Reads of the service itself that must see what was written last. */
  freshReads: {
    readSettings,
    nextSendDueAt,
    latestLead,
    oldObjects,
    dueScrubs,
    erasedReplayKeys,
  },

  /** Reads of the analytics, which may come from a replica. */
  reads: {
    leads,
    leadsBefore,
    leadDetail,
    recentSubmissions,
    submissions,
    flowSends,
    setAsideLeads,
    ipRules,
    sites,
    site,
    forms,
    form,
    integrations,
    integration,
    dropdownOptions,
    dropdownOption,
    replaySessions,
    replay,
    overview,
    sessionsDaily,
    topPages,
    geo,
    engagement,
    sources,
    realtime,
    storage,
    submissionsDaily,
    submissionsByProject,
    submissionsBySource,
    submissionsByEngagement,
    submissionsOverview,
  },

  /** Answers when the store does, for reading as well as for writing. */
  pings: {
    ping: async ({ query }: Db) => query.selectNoFrom((e) => e.val(1).as('alive')).executeTakeFirst(),
  },

  /** Asked before every answer that may have been kept: it has to wait for nothing else. */
  versions: { dataVersions },

  /** Reads of whole tables, which nobody waits for. */
  inspections: { recount },
} as const;

type Groups = typeof operations;
export type Group = keyof Groups;
export type Operations = Groups['background'] &
  Groups['writes'] &
  Groups['visitorReads'] &
  Groups['freshReads'] &
  Groups['reads'] &
  Groups['versions'] &
  Groups['pings'] &
  Groups['inspections'];
export type OperationName = keyof Operations;
export type WriteName = keyof Groups['background'] | keyof Groups['writes'];
/** Of those that may come from a replica. */
export type ReadName = keyof Groups['reads'];

const byName = Object.assign({}, ...Object.values(operations)) as Operations;

/** Runs an operation by its name; the types were checked where the store was called. */
export function run(db: Db, name: OperationName, argument: unknown): Promise<unknown> {
  const operation = byName[name] as (db: Db, argument: unknown) => Promise<unknown>;
  return operation(db, argument);
}

/** For whoever knows the operations only by their types. */
export const operationGroups = Object.entries(operations).flatMap(([group, members]) =>
  Object.keys(members).map((name) => [name as OperationName, group as Group] as const),
);
