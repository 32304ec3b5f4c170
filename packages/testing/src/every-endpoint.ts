import type { CallableName } from '@leadtrail/contract/client';
import { apiClient } from './api-client.ts';
import { anEvent, PAGE } from './builders.ts';
import { row } from './database.ts';
import { CAPTURE_ENV, sendFromServer } from './enquiries.ts';
import { ADMIN_KEY, type TestService } from './service.ts';
import { runJob } from './visits.ts';

const CALLBACK_SECRET = 'callback-secret-for-tests';

/** What a service needs for all of its endpoints to be on; the forwarding target answers nobody. */
export const SECRETS = {
  ...CAPTURE_ENV,
  CRM_CALLBACK_SECRET: CALLBACK_SECRET,
  FLOW_WEBHOOK_URL: 'http://127.0.0.1:9/',
  EDGE_ACCOUNT_ID: 'account',
  ANALYTICS_ENGINE_API_TOKEN: 'engine-token-for-tests',
};

/** The answer of every endpoint that a program can call, in an order in which each has something to say. */
export async function callEverything(service: TestService): Promise<Record<CallableName, unknown>> {
  const call = apiClient(service.url, ADMIN_KEY);
  const report = apiClient(service.url, CALLBACK_SECRET);

  const saveSettings = await call('saveSettings', {
    body: { internal_teams: ['Sales'], replay_sample_rate: 1 },
  });
  const startSession = await call('startSession', { body: { fingerprint_id: 'f', page: `${PAGE}a` } });
  const { session_id } = startSession;
  const trackEvents = await call('trackEvents', { body: { session_id, events: [anEvent(), 'no event'] } });
  const storeReplay = await call('storeReplay', {
    body: { session_id, sequence: 0, events: [{ type: 4, timestamp: Date.now(), data: {} }] },
  });
  const endSession = await call('endSession', { body: { session_id } });
  await service.settled();
  await runJob(service, 'archive-sessions');

  const createSite = await call('createSite', { body: { name: 'Site', domains: ['example.com'] } });
  const site = { params: { id: createSite.id } };
  const createSharedLink = await call('createSharedLink', {
    body: { name: 'Client', sites: [createSite.site_key] },
  });
  const createForm = await call('createForm', { body: { name: 'Form', site_id: createSite.id } });
  const form = { params: { id: createForm.id } };
  const createIntegration = await call('createIntegration', { body: { name: 'CRM' } });
  const integration = { params: { id: createIntegration.id } };

  const createDropdownOption = await call('createDropdownOption', {
    body: { kind: 'city', value: 'London' },
  });
  const option = { params: { id: createDropdownOption.id } };

  const whitelistIp = await call('whitelistIp', { body: { ip: '203.0.113.9', usage: 'test' } });
  const blockIp = await call('blockIp', { body: { ip: '203.0.113.10' } });
  for (const ip of ['203.0.113.8', '203.0.113.9', '203.0.113.10']) await sendFromServer(service, {}, { ip });
  const send = await row(service, 'select flow_send_public_id as id, lead_id from flow_sends');
  const leadId = Number(send.lead_id);
  const sendId = String(send.id);
  await sendFromServer(service, { EMAIL: 'another@example.org', PHONE: '' }, { ip: '203.0.113.8' });
  const other = await row(service, "select lead_id from leads where contact_email = 'another@example.org'");
  const setAside = await row(
    service,
    `select max(case kind when 'rejected' then id end) as rejected, max(case kind when 'testing' then id end) as testing
    from set_aside_leads`,
  );
  const merging = { params: { id: leadId }, body: { lead_id: Number(other.lead_id) } };

  const saveView = await call('saveView', { body: { page: 'leads', name: 'Won', search: '?status=won' } });
  const view = { params: { id: saveView.id } };
  const writeNote = await call('writeNote', {
    params: { id: leadId },
    body: { text: 'Calls back on Monday' },
  });

  return {
    startSession,
    trackEvents,
    endSession,
    storeReplay,
    replaySessions: await call('replaySessions'),
    replay: JSON.parse(await call('replay', { params: { session_id } })),
    crmCallback: await report('crmCallback', { body: { lead_id: leadId, crm_lead_id: 'crm-1' } }),
    flowCallback: await report('flowCallback', {
      body: { flow_send_public_id: sendId, flow_execution_url: 'https://flow.example/1' },
    }),
    crmEvent: await report('crmEvent', { body: { crm_lead_id: 'crm-1' } }),
    overview: await call('overview'),
    sessionsDaily: await call('sessionsDaily'),
    topPages: await call('topPages'),
    geo: await call('geo'),
    engagement: await call('engagement'),
    sources: await call('sources'),
    realtime: await call('realtime'),
    live: await call('live'),
    storage: await call('storage'),
    whoami: await call('whoami'),
    refreshAnalytics: await call('refreshAnalytics'),
    askQuestion: await call('askQuestion', {
      body: { metrics: ['visits', 'leads'], dimensions: ['source'], period: 'last_30_days' },
    }),
    leadsBehind: await call('leadsBehind', { body: { metric: 'leads', period: 'all' } }),
    visitsBehind: await call('visitsBehind', { body: { metric: 'visits', period: 'all' } }),
    submissionsBehind: await call('submissionsBehind', { body: { metric: 'submissions', period: 'all' } }),
    questionFields: await call('questionFields'),
    costImports: await call('costImports'),
    deleteCosts: await call('deleteCosts', { params: { import_id: await anImport(service) } }),
    exportConversions: await call('exportConversions', { query: { platform: 'google', goal: 'lead' } }),
    engineSubmissionsDaily: await call('engineSubmissionsDaily'),
    engineByProject: await call('engineByProject'),
    engineBySource: await call('engineBySource'),
    engineByEngagement: await call('engineByEngagement'),
    engineOverview: await call('engineOverview'),
    engineProjects: await call('engineProjects'),
    engineSources: await call('engineSources'),
    rejectedLeads: await call('rejectedLeads'),
    deleteRejectedLeads: await call('deleteRejectedLeads', { body: { ids: [] } }),
    acceptRejectedLead: await call('acceptRejectedLead', { params: { id: Number(setAside.rejected) } }),
    testingLeads: await call('testingLeads'),
    acceptTestingLead: await call('acceptTestingLead', { params: { id: Number(setAside.testing) } }),
    deleteTestingLeads: await call('deleteTestingLeads', { body: { ids: [] } }),
    blockedIps: await call('blockedIps'),
    blockIp,
    unblockIp: await call('unblockIp', { params: { ip: '203.0.113.10' } }),
    whitelistedIps: await call('whitelistedIps'),
    whitelistIp,
    unwhitelistIp: await call('unwhitelistIp', { params: { ip: '203.0.113.9' } }),
    leads: await call('leads'),
    recentSubmissions: await call('recentSubmissions'),
    submissions: await call('submissions'),
    exportLeads: JSON.parse(await call('exportLeads', { query: { format: 'json' } })),
    bulkLeads: await call('bulkLeads', { body: { ids: [leadId], action: 'stage', status: 'lost' } }),
    writeNote,
    deleteNote: await call('deleteNote', { params: { id: leadId, note_id: writeNote.id } }),
    lead: await call('lead', { params: { id: leadId } }),
    updateLead: await call('updateLead', { params: { id: leadId }, body: { status: 'won' } }),
    mergeLeads: await call('mergeLeads', merging),
    unmergeLead: await call('unmergeLead', merging),
    forwardLead: await call('forwardLead', { params: { id: leadId }, body: { again: true } }),
    flowSends: await call('flowSends'),
    resendFlowSend: await call('resendFlowSend', { params: { flow_send_public_id: sendId } }),
    resendFailed: await call('resendFailed'),
    sendTestLead: await call('sendTestLead'),
    names: await call('names'),
    sites: await call('sites'),
    createSite,
    site: await call('site', site),
    siteSnippet: await call('siteSnippet', site),
    updateSite: await call('updateSite', { ...site, body: { name: 'Other' } }),
    forms: await call('forms'),
    createForm,
    form: await call('form', form),
    formFields: await call('formFields', form),
    formsConfig: await call('formsConfig', {
      query: { siteKey: createSite.site_key, formId: createForm.form_id },
    }),
    updateForm: await call('updateForm', { ...form, body: {} }),
    deleteForm: await call('deleteForm', form),
    deleteSite: await call('deleteSite', site),
    integrations: await call('integrations'),
    createIntegration,
    integration: await call('integration', integration),
    updateIntegration: await call('updateIntegration', { ...integration, body: {} }),
    rotateIntegration: await call('rotateIntegration', integration),
    deleteIntegration: await call('deleteIntegration', integration),
    sharedLinks: await call('sharedLinks'),
    createSharedLink,
    deleteSharedLink: await call('deleteSharedLink', { params: { id: createSharedLink.id } }),
    settings: await call('settings'),
    connection: await call('connection'),
    retention: await call('retention', { query: { session_retention_days: '90' } }),
    saveSettings,
    dropdownOptions: await call('dropdownOptions'),
    createDropdownOption,
    dropdownOption: await call('dropdownOption', option),
    updateDropdownOption: await call('updateDropdownOption', { ...option, body: {} }),
    deleteDropdownOption: await call('deleteDropdownOption', option),
    savedViews: await call('savedViews'),
    saveView,
    updateView: await call('updateView', { ...view, body: { name: 'Won deals' } }),
    deleteView: await call('deleteView', view),
    liveness: await call('liveness'),
    health: await call('health'),
    readiness: await call('readiness'),
    metrics: await call('metrics'),
    openapi: await call('openapi'),
    docs: await call('docs'),
    guide: await call('guide', { params: { guide: 'sites' } }),
    // Last of all: it takes the lead away.
    erasePerson: await call('erasePerson', { body: { email: 'ada@example.org' } }),
  };
}

async function anImport(service: TestService): Promise<string> {
  const file = 'date,source,medium,campaign,amount\n2026-03-01,google,cpc,Spring,10';
  const headers = { 'x-api-key': ADMIN_KEY, 'content-type': 'text/csv' };
  const response = await service.post('/analytics/costs/import', file, headers);
  return ((await response.json()) as { import_id: string }).import_id;
}
