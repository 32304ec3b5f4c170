import * as bulkLeads from './bulk-leads.ts';
import * as callbacks from './callbacks.ts';
import * as conversions from './conversions.ts';
import * as costs from './costs.ts';
import * as deliveries from './deliveries.ts';
import * as dropdownOptions from './dropdown-options.ts';
import * as engine from './engine.ts';
import * as erase from './erase.ts';
import * as forms from './forms.ts';
import * as formsConfig from './forms-config.ts';
import * as integrations from './integrations.ts';
import * as ipLists from './ip-lists.ts';
import * as leadCapture from './lead-capture.ts';
import * as leadNotes from './lead-notes.ts';
import * as leads from './leads.ts';
import * as live from './live.ts';
import * as names from './names.ts';
import * as questions from './questions.ts';
import * as refresh from './refresh.ts';
import * as replay from './replay.ts';
import * as retention from './retention.ts';
import * as savedViews from './saved-views.ts';
import * as service from './service.ts';
import * as setAsideLeads from './set-aside-leads.ts';
import * as settings from './settings.ts';
import * as sharedLinks from './shared-links.ts';
import * as sites from './sites.ts';
import * as statistics from './statistics.ts';
import * as submissions from './submissions.ts';
import * as tracking from './tracking.ts';

/** Every endpoint of the service. Routes, validation, OpenAPI and the client are derived from this. */
export const endpoints = {
  startSession: tracking.startSession,
  trackEvents: tracking.trackEvents,
  endSession: tracking.endSession,
  storeReplay: replay.storeReplay,

  captureLead: leadCapture.captureLead,
  captureLeadLegacy: leadCapture.captureLeadLegacy,
  captureLeadRoot: leadCapture.captureLeadRoot,
  formsConfig: formsConfig.formsConfig,

  crmCallback: callbacks.crmCallback,
  flowCallback: callbacks.flowCallback,
  crmEvent: callbacks.crmEvent,

  overview: statistics.overview,
  sessionsDaily: statistics.sessionsDaily,
  topPages: statistics.topPages,
  geo: statistics.geo,
  engagement: statistics.engagement,
  sources: statistics.sources,
  realtime: statistics.realtime,
  live: live.live,
  storage: statistics.storage,
  whoami: statistics.whoami,
  refreshAnalytics: refresh.refreshAnalytics,

  askQuestion: questions.askQuestion,
  leadsBehind: questions.leadsBehind,
  visitsBehind: questions.visitsBehind,
  submissionsBehind: questions.submissionsBehind,
  questionFields: questions.questionFields,
  importCosts: costs.importCosts,
  costImports: costs.costImports,
  deleteCosts: costs.deleteCosts,
  exportConversions: conversions.exportConversions,

  engineSubmissionsDaily: engine.submissionsDaily,
  engineByProject: engine.byProject,
  engineBySource: engine.bySource,
  engineByEngagement: engine.byEngagement,
  engineOverview: engine.overview,
  engineProjects: engine.projects,
  engineSources: engine.sources,

  leads: leads.leads,
  recentSubmissions: submissions.recentSubmissions,
  submissions: submissions.submissions,
  exportLeads: leads.exportLeads,
  lead: leads.lead,
  updateLead: leads.updateLead,
  mergeLeads: leads.mergeLeads,
  unmergeLead: leads.unmergeLead,
  forwardLead: leads.forwardLead,
  bulkLeads: bulkLeads.bulkLeads,
  writeNote: leadNotes.writeNote,
  deleteNote: leadNotes.deleteNote,

  replaySessions: replay.replaySessions,
  replay: replay.replay,

  flowSends: deliveries.flowSends,
  resendFlowSend: deliveries.resendFlowSend,
  resendFailed: deliveries.resendFailed,
  sendTestLead: deliveries.sendTestLead,

  rejectedLeads: setAsideLeads.rejectedLeads,
  deleteRejectedLeads: setAsideLeads.deleteRejectedLeads,
  acceptRejectedLead: setAsideLeads.acceptRejectedLead,
  testingLeads: setAsideLeads.testingLeads,
  deleteTestingLeads: setAsideLeads.deleteTestingLeads,
  acceptTestingLead: setAsideLeads.acceptTestingLead,

  blockedIps: ipLists.blockedIps,
  blockIp: ipLists.blockIp,
  unblockIp: ipLists.unblockIp,
  whitelistedIps: ipLists.whitelistedIps,
  whitelistIp: ipLists.whitelistIp,
  unwhitelistIp: ipLists.unwhitelistIp,

  sites: sites.sites,
  createSite: sites.createSite,
  site: sites.site,
  siteSnippet: sites.siteSnippet,
  updateSite: sites.updateSite,
  deleteSite: sites.deleteSite,
  forms: forms.forms,
  createForm: forms.createForm,
  form: forms.form,
  updateForm: forms.updateForm,
  formFields: forms.formFields,
  deleteForm: forms.deleteForm,
  integrations: integrations.integrations,
  createIntegration: integrations.createIntegration,
  integration: integrations.integration,
  updateIntegration: integrations.updateIntegration,
  deleteIntegration: integrations.deleteIntegration,
  rotateIntegration: integrations.rotateIntegration,
  sharedLinks: sharedLinks.sharedLinks,
  createSharedLink: sharedLinks.createSharedLink,
  deleteSharedLink: sharedLinks.deleteSharedLink,
  settings: settings.settings,
  connection: settings.connection,
  saveSettings: settings.saveSettings,
  retention: retention.retention,
  erasePerson: erase.erasePerson,
  names: names.names,
  dropdownOptions: dropdownOptions.dropdownOptions,
  createDropdownOption: dropdownOptions.createDropdownOption,
  dropdownOption: dropdownOptions.dropdownOption,
  updateDropdownOption: dropdownOptions.updateDropdownOption,
  deleteDropdownOption: dropdownOptions.deleteDropdownOption,
  savedViews: savedViews.savedViews,
  saveView: savedViews.saveView,
  updateView: savedViews.updateView,
  deleteView: savedViews.deleteView,

  liveness: service.liveness,
  health: service.health,
  readiness: service.readiness,
  metrics: service.metrics,
  openapi: service.openapi,
  docs: service.docs,
  guide: service.guide,
} as const;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
