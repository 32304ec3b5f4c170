import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EndpointName, Endpoints } from '@leadtrail/contract/endpoints';
import { endpoints } from '@leadtrail/contract/endpoints';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import { call } from '@leadtrail/testing/analytics-calls';
import { anEvent, aStart } from '@leadtrail/testing/builders';
import { CALLBACK_SECRET, capture, report } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { row, rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  CAPTURE_ENV,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { ask, assertHit, assertMiss, quiet, warmed } from '@leadtrail/testing/kept-answers';
import { aForm, anIntegration, aSite, FORMS, INTEGRATIONS, SITES } from '@leadtrail/testing/management';
import { knownChunk, sendBody } from '@leadtrail/testing/recordings';
import {
  ADMIN_KEY,
  onBothStores,
  postgresUrl,
  startService,
  type TestService,
} from '@leadtrail/testing/service';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';
import type { Topic } from '../src/store/topics.ts';

/** A write that changes an answer makes the next read fresh, in every process; other answers are left alone. */

type WriteName = {
  [N in EndpointName]: Endpoints[N]['method'] extends 'GET' ? never : N;
}[EndpointName];

type Write = {
  /** What is different afterwards. */
  changes: readonly string[];
  /** What all of the answers that need not be the same have in common. */
  topics: readonly Topic[];
  write(): Promise<unknown>;
};

const OVERVIEW = '/analytics/overview';
const LEADS = '/analytics/leads';
const SUBMISSIONS = '/analytics/leads/submissions';
const RECENT = '/analytics/leads/recent-submissions';
const REJECTED = '/analytics/blocked-ip-leads';
const TESTING = '/analytics/testing-leads';
const BLOCKED = '/analytics/blocked-ips';
const WHITELISTED = '/analytics/whitelisted-ips';
const SENDS = '/analytics/flow-sends';
const OPTIONS = '/analytics/dropdown-options';
const SETTINGS = '/analytics/settings';
const SHARED_LINKS = '/analytics/shared-links';
const VIEWS = '/analytics/views';
const ENGINE = [
  '/analytics/engine/submissions-daily',
  '/analytics/engine/by-project',
  '/analytics/engine/by-source',
  '/analytics/engine/by-engagement',
  '/analytics/engine/overview',
  '/analytics/engine/projects',
  '/analytics/engine/sources',
];

const SHOWN: readonly (readonly [path: string, ...topics: Topic[]])[] = [
  [OVERVIEW, 'tracking'],
  ['/analytics/sessions/daily', 'tracking'],
  ['/analytics/pages/top', 'tracking'],
  ['/analytics/geo', 'tracking'],
  ['/analytics/engagement', 'tracking'],
  ['/analytics/sources', 'tracking'],
  [LEADS, 'leads', 'ip-lists', 'sends', 'setup'],
  [SUBMISSIONS, 'leads', 'ip-lists'],
  [RECENT, 'leads'],
  ...ENGINE.map((path) => [path, 'leads'] as const),
  [SENDS, 'sends'],
  [REJECTED, 'set-aside'],
  [TESTING, 'set-aside'],
  [BLOCKED, 'ip-lists'],
  [WHITELISTED, 'ip-lists'],
  [SITES, 'setup'],
  [FORMS, 'setup'],
  [SETTINGS, 'setup'],
  [OPTIONS, 'setup'],
  [VIEWS, 'setup'],
  [INTEGRATIONS, 'integrations'],
];

const CAPTURE_TOPICS = ['integrations', 'ip-lists', 'leads', 'sends', 'set-aside'] as const;

let made = 0;
/** Another one each time. */
const another = (what: string) => `${what}-${++made}`;
const anIp = () => `203.0.113.${++made % 250}`;

async function send(
  service: TestService,
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<void> {
  const answer = await call(service, method, path, body === undefined ? {} : { body });
  assert.ok(
    answer.status < 300,
    `${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`,
  );
}

/** Whether the form, the server or the old routes bring it, a new lead shows everywhere. */
const newLead = (service: TestService, path: string): Write => ({
  changes: [LEADS, SUBMISSIONS, RECENT, ...ENGINE, SENDS],
  topics: CAPTURE_TOPICS,
  write: () =>
    assertCaptured(sendForm(service, { EMAIL: `${another('form')}@example.org`, PHONE: '' }, { path })),
});

async function aSetAside(service: TestService, kind: 'rejected' | 'testing'): Promise<number> {
  const ip = anIp();
  if (kind === 'rejected') await send(service, 'POST', BLOCKED, { ip });
  else await send(service, 'POST', WHITELISTED, { ip, usage: 'test' });
  await assertCaptured(sendFromServer(service, {}, { ip }));
  const { id } = await row(service, `select max(id) as id from set_aside_leads where kind = '${kind}'`);
  return Number(id);
}

async function accept(service: TestService, kind: 'rejected' | 'testing', path: string): Promise<Write> {
  const id = await aSetAside(service, kind);
  return {
    changes: [path, LEADS, SUBMISSIONS, RECENT, ...ENGINE],
    topics: CAPTURE_TOPICS,
    write: () => send(service, 'POST', `${path}/${id}/accept`),
  };
}

async function aSend(service: TestService): Promise<string> {
  const { lead_id } = await capture(service);
  await service.app.forwarding.settled();
  const found = await row(
    service,
    `select flow_send_public_id as id from flow_sends where lead_id = ${lead_id}`,
  );
  return String(found.id);
}

async function importCosts(service: TestService): Promise<string> {
  const file = `date,campaign,amount\n2026-03-01,${another('campaign')},1`;
  const headers = { 'x-api-key': ADMIN_KEY, 'content-type': 'text/csv' };
  const response = await service.post('/analytics/costs/import', file, headers);
  return ((await response.json()) as { import_id: string }).import_id;
}

async function anOption(service: TestService): Promise<number> {
  const body = { kind: 'city', value: another('city') };
  return (await call<{ id: number }>(service, 'POST', OPTIONS, { body })).body.id;
}

const aView = () => ({ page: 'leads', name: another('view'), search: '?status=won' });

async function savedView(service: TestService): Promise<string> {
  return (await call<{ id: string }>(service, 'POST', VIEWS, { body: aView() })).body.id;
}

const WRITES: Record<WriteName, (service: TestService) => Promise<Write>> = {
  startSession: async (service) => ({
    changes: [
      OVERVIEW,
      '/analytics/sessions/daily',
      '/analytics/pages/top',
      '/analytics/geo',
      '/analytics/sources',
    ],
    topics: ['tracking'],
    async write() {
      await service.post('/track/session/start', aStart({ page: `https://example.com/${another('page')}` }));
      await service.settled();
    },
  }),
  trackEvents: async (service) => {
    const { session_id } = await startSession(service);
    return {
      changes: [OVERVIEW, '/analytics/pages/top'],
      topics: ['tracking'],
      async write() {
        const page = `https://example.com/${another('page')}`;
        await sendEvents(service, session_id, [anEvent({ type: 'page_view', page })]);
        await service.settled();
      },
    };
  },
  endSession: async (service) => {
    const { session_id } = await startSession(service);
    return {
      changes: ['/analytics/engagement'],
      topics: ['tracking'],
      async write() {
        await endSession(service, session_id);
        await service.settled();
      },
    };
  },

  storeReplay: async (service) => {
    const chunk = await knownChunk(service);
    // Recordings are never kept.
    return {
      changes: [],
      topics: ['objects', 'replays'],
      write: () => sendBody(service, JSON.stringify(chunk)),
    };
  },

  captureLead: async (service) => newLead(service, '/lead.capture'),
  captureLeadLegacy: async (service) => newLead(service, '/lead'),
  captureLeadRoot: async (service) => newLead(service, '/'),
  crmCallback: async (service) => {
    const { lead_id } = await capture(service);
    const body = { lead_id, crm_lead_id: another('crm') };
    // Only the lead itself shows it, and that is never kept.
    return {
      changes: [],
      topics: ['leads'],
      write: () => report(service, '/lead.capture/crm-callback', body),
    };
  },
  crmEvent: async (service) => ({
    changes: [],
    topics: ['leads'],
    write: () => report(service, '/webhooks/crm/lead', { crm_lead_id: another('crm') }),
  }),
  flowCallback: async (service) => {
    const flow_send_public_id = await aSend(service);
    const body = { flow_send_public_id, flow_execution_url: 'https://flows.example/run' };
    return {
      changes: [SENDS],
      topics: ['sends'],
      write: () => report(service, '/lead.capture/flow-callback', body),
    };
  },
  resendFlowSend: async (service) => {
    const id = await aSend(service);
    return {
      changes: [SENDS],
      topics: ['sends'],
      write: () => send(service, 'POST', `${SENDS}/${id}/resend`),
    };
  },
  resendFailed: async (service) => {
    const id = await aSend(service);
    await rows(service, `update flow_sends set status = 'failed' where flow_send_public_id = '${id}'`);
    return {
      changes: [SENDS],
      topics: ['sends'],
      write: () => send(service, 'POST', `${SENDS}/resend-failed`),
    };
  },
  sendTestLead: async (service) => ({
    // It leaves no trace.
    changes: [],
    topics: [],
    write: () => send(service, 'POST', '/analytics/flow/test'),
  }),

  updateLead: async (service) => {
    const { lead_id } = await capture(service);
    const path = `${LEADS}/${lead_id}`;
    return {
      changes: [LEADS, `${LEADS}?status=won`],
      topics: ['leads'],
      write: () => send(service, 'PATCH', path, { status: 'won' }),
    };
  },
  mergeLeads: async (service) => {
    const [{ lead_id }, other] = [await capture(service), await capture(service)];
    return {
      changes: [LEADS, SUBMISSIONS, RECENT, SENDS],
      topics: ['leads', 'sends'],
      write: () => send(service, 'POST', `${LEADS}/${lead_id}/merge`, { lead_id: other.lead_id }),
    };
  },
  unmergeLead: async (service) => {
    const [{ lead_id }, other] = [await capture(service), await capture(service)];
    await send(service, 'POST', `${LEADS}/${lead_id}/merge`, { lead_id: other.lead_id });
    return {
      changes: [LEADS, SUBMISSIONS, RECENT, SENDS],
      topics: ['leads', 'sends'],
      write: () => send(service, 'POST', `${LEADS}/${lead_id}/unmerge`, { lead_id: other.lead_id }),
    };
  },
  forwardLead: async (service) => {
    const { lead_id } = await capture(service);
    return {
      changes: [SENDS],
      topics: ['leads', 'sends'],
      write: () => send(service, 'POST', `${LEADS}/${lead_id}/forward`, { again: true }),
    };
  },
  writeNote: async (service) => {
    const { lead_id } = await capture(service);
    return {
      changes: [],
      topics: ['leads'],
      write: () => send(service, 'POST', `${LEADS}/${lead_id}/notes`, { text: 'Called' }),
    };
  },
  deleteNote: async (service) => {
    const { lead_id } = await capture(service);
    const path = `${LEADS}/${lead_id}/notes`;
    const { body } = await call<{ id: string }>(service, 'POST', path, { body: { text: 'Called' } });
    return { changes: [], topics: ['leads'], write: () => send(service, 'DELETE', `${path}/${body.id}`) };
  },
  bulkLeads: async (service) => {
    const { lead_id } = await capture(service);
    return {
      changes: [LEADS, `${LEADS}?status=won`],
      topics: ['leads'],
      write: () => send(service, 'POST', `${LEADS}/bulk`, { ids: [lead_id], action: 'stage', status: 'won' }),
    };
  },
  saveView: async (service) => ({
    changes: [VIEWS],
    topics: ['setup'],
    write: () => send(service, 'POST', VIEWS, aView()),
  }),
  updateView: async (service) => {
    const path = `${VIEWS}/${await savedView(service)}`;
    return {
      changes: [VIEWS],
      topics: ['setup'],
      write: () => send(service, 'PATCH', path, { name: another('view') }),
    };
  },
  deleteView: async (service) => {
    const path = `${VIEWS}/${await savedView(service)}`;
    return { changes: [VIEWS], topics: ['setup'], write: () => send(service, 'DELETE', path) };
  },
  erasePerson: async (service) => {
    const { email } = await capture(service);
    return {
      changes: [LEADS, SUBMISSIONS, RECENT, SENDS],
      topics: SHOWN.flatMap(([, ...topics]) => topics),
      write: () => send(service, 'POST', '/analytics/erase', { email }),
    };
  },
  deleteRejectedLeads: async (service) => {
    const ids = [await aSetAside(service, 'rejected')];
    return {
      changes: [REJECTED],
      topics: ['set-aside'],
      write: () => send(service, 'POST', `${REJECTED}/bulk-delete`, { ids }),
    };
  },
  deleteTestingLeads: async (service) => {
    const ids = [await aSetAside(service, 'testing')];
    return {
      changes: [TESTING],
      topics: ['set-aside'],
      write: () => send(service, 'POST', `${TESTING}/bulk-delete`, { ids }),
    };
  },

  acceptRejectedLead: async (service) => accept(service, 'rejected', REJECTED),
  acceptTestingLead: async (service) => accept(service, 'testing', TESTING),

  blockIp: async (service) => {
    const ip = anIp();
    await assertCaptured(
      sendFromServer(service, { EMAIL: `${another('blocked')}@example.org`, PHONE: '' }, { ip }),
    );
    return {
      changes: [BLOCKED, LEADS, SUBMISSIONS],
      topics: ['ip-lists'],
      write: () => send(service, 'POST', BLOCKED, { ip }),
    };
  },
  unblockIp: async (service) => {
    const ip = anIp();
    await send(service, 'POST', BLOCKED, { ip });
    return {
      changes: [BLOCKED],
      topics: ['ip-lists'],
      write: () => send(service, 'DELETE', `${BLOCKED}/${ip}`),
    };
  },
  whitelistIp: async (service) => ({
    changes: [WHITELISTED],
    topics: ['ip-lists'],
    write: () => send(service, 'POST', WHITELISTED, { ip: anIp(), usage: 'internal' }),
  }),
  unwhitelistIp: async (service) => {
    const ip = anIp();
    await send(service, 'POST', WHITELISTED, { ip, usage: 'internal' });
    return {
      changes: [WHITELISTED],
      topics: ['ip-lists'],
      write: () => send(service, 'DELETE', `${WHITELISTED}/${ip}`),
    };
  },

  createSite: async (service) => ({
    changes: [SITES],
    topics: ['setup'],
    write: () => send(service, 'POST', SITES, { name: another('Site') }),
  }),
  updateSite: async (service) => {
    const { id } = await aSite(service);
    await aForm(service, { site_id: id });
    return {
      changes: [SITES, `${SITES}/${id}`, FORMS],
      topics: ['setup'],
      write: () => send(service, 'PATCH', `${SITES}/${id}`, { site_key: another('site') }),
    };
  },
  deleteSite: async (service) => {
    const { id } = await aSite(service);
    await aForm(service, { site_id: id });
    return {
      changes: [SITES, FORMS],
      topics: ['setup'],
      write: () => send(service, 'DELETE', `${SITES}/${id}`),
    };
  },
  createForm: async (service) => {
    const { id: site_id } = await aSite(service);
    return {
      changes: [FORMS, `${FORMS}?site_id=${site_id}`],
      topics: ['setup'],
      write: () => send(service, 'POST', FORMS, { site_id, name: 'Form' }),
    };
  },
  updateForm: async (service) => {
    const { id } = await aForm(service, { site_id: (await aSite(service)).id });
    return {
      changes: [FORMS, `${FORMS}/${id}`],
      topics: ['setup'],
      write: () => send(service, 'PATCH', `${FORMS}/${id}`, { name: another('Form') }),
    };
  },
  deleteForm: async (service) => {
    const { id } = await aForm(service, { site_id: (await aSite(service)).id });
    return { changes: [FORMS], topics: ['setup'], write: () => send(service, 'DELETE', `${FORMS}/${id}`) };
  },
  createIntegration: async (service) => ({
    changes: [INTEGRATIONS],
    topics: ['integrations'],
    write: () => send(service, 'POST', INTEGRATIONS, { name: another('Server') }),
  }),
  updateIntegration: async (service) => {
    const { id } = await anIntegration(service, { name: another('Server') });
    return {
      changes: [INTEGRATIONS, `${INTEGRATIONS}/${id}`],
      topics: ['integrations'],
      write: () => send(service, 'PATCH', `${INTEGRATIONS}/${id}`, { enabled: false }),
    };
  },
  rotateIntegration: async (service) => {
    const { id } = await anIntegration(service, { name: another('Server') });
    return {
      changes: [INTEGRATIONS, `${INTEGRATIONS}/${id}`],
      topics: ['integrations'],
      write: () => send(service, 'POST', `${INTEGRATIONS}/${id}/rotate`),
    };
  },
  deleteIntegration: async (service) => {
    const { id } = await anIntegration(service, { name: another('Server') });
    return {
      changes: [INTEGRATIONS],
      topics: ['integrations'],
      write: () => send(service, 'DELETE', `${INTEGRATIONS}/${id}`),
    };
  },
  createSharedLink: async (service) => {
    const { site_key } = await aSite(service);
    // Whether one has expired depends on the time, so they are never kept.
    return {
      changes: [],
      topics: ['setup'],
      write: () => send(service, 'POST', SHARED_LINKS, { name: another('Client'), sites: [site_key] }),
    };
  },
  deleteSharedLink: async (service) => {
    const body = { name: another('Client'), sites: [(await aSite(service)).site_key] };
    const made = await call<{ id: number }>(service, 'POST', SHARED_LINKS, { body });
    return {
      changes: [],
      topics: ['setup'],
      write: () => send(service, 'DELETE', `${SHARED_LINKS}/${made.body.id}`),
    };
  },
  saveSettings: async (service) => ({
    changes: [SETTINGS],
    topics: ['setup'],
    write: () => send(service, 'PATCH', SETTINGS, { internal_teams: [another('Team')] }),
  }),
  createDropdownOption: async (service) => ({
    changes: [OPTIONS, `${OPTIONS}?kind=city`],
    topics: ['setup'],
    write: () => anOption(service),
  }),
  updateDropdownOption: async (service) => {
    const id = await anOption(service);
    return {
      changes: [OPTIONS, `${OPTIONS}/${id}`],
      topics: ['setup'],
      write: () => send(service, 'PATCH', `${OPTIONS}/${id}`, { label: another('Label') }),
    };
  },
  deleteDropdownOption: async (service) => {
    const id = await anOption(service);
    return {
      changes: [OPTIONS],
      topics: ['setup'],
      write: () => send(service, 'DELETE', `${OPTIONS}/${id}`),
    };
  },
  // Questions change nothing, and no kept answer shows costs.
  askQuestion: async (service) => ({
    changes: [],
    topics: [],
    write: () => send(service, 'POST', '/analytics/query', { metrics: ['visits'], period: 'today' }),
  }),
  leadsBehind: async (service) => ({
    changes: [],
    topics: [],
    write: () => send(service, 'POST', '/analytics/query/leads', { metric: 'leads', period: 'today' }),
  }),
  visitsBehind: async (service) => ({
    changes: [],
    topics: [],
    write: () => send(service, 'POST', '/analytics/query/visits', { metric: 'visits', period: 'today' }),
  }),
  submissionsBehind: async (service) => ({
    changes: [],
    topics: [],
    write: () =>
      send(service, 'POST', '/analytics/query/submissions', { metric: 'submissions', period: 'today' }),
  }),
  importCosts: async (service) => ({ changes: [], topics: [], write: () => importCosts(service) }),
  deleteCosts: async (service) => {
    const id = await importCosts(service);
    return { changes: [], topics: [], write: () => send(service, 'DELETE', `/analytics/costs/${id}`) };
  },
  refreshAnalytics: async (service) => ({
    changes: [],
    topics: SHOWN.flatMap(([, ...topics]) => topics),
    write: () => send(service, 'POST', '/analytics/refresh'),
  }),
};

onBothStores('a write that changes an answer', (kind) => {
  let place: Place;
  let service: TestService;
  let other: TestService;
  const clock = aClock();

  const start = () =>
    startService(kind, {
      dataDir: place.dataDir,
      ...(place.databaseUrl === undefined ? {} : { databaseUrl: place.databaseUrl }),
      env: {
        ...CAPTURE_ENV,
        CRM_CALLBACK_SECRET: CALLBACK_SECRET,
        EDGE_ACCOUNT_ID: 'account',
        ANALYTICS_ENGINE_API_TOKEN: 'engine-token-for-tests',
        FLOW_WEBHOOK_URL: 'http://127.0.0.1:9/',
        BOT_LEAD_DETECTION: 'on',
        ANALYTICS_REFRESH_COOLDOWN_SECONDS: '0',
      },
      overrides: { now: clock.now },
    });

  before(async () => {
    place = await newPlace(kind, postgresUrl);
    service = await start();
    other = await start();
    await setUpSite(service);
    await capture(service);
  });
  after(async () => {
    await Promise.all([service?.close(), other?.close()]);
    await removePlace(place);
  });

  /** The same in the process that writes and in another one. */
  async function assertFresh({ changes, topics, write }: Write): Promise<void> {
    await quiet(service);
    await quiet(other);
    const left = SHOWN.filter(([, ...ofPath]) => !ofPath.some((topic) => topics.includes(topic)));
    const before = new Map<string, unknown>();
    for (const [path] of left) before.set(path, await warmed(other, path));
    for (const path of changes) {
      before.set(path, await warmed(service, path));
      assert.deepEqual(await warmed(other, path), before.get(path), path);
    }

    await write();
    for (const path of changes) {
      for (const each of [other, service]) {
        const { from, body } = await ask(each, path);
        assert.equal(from, 'miss', path);
        assert.notDeepEqual(body, before.get(path), path);
      }
    }
    await quiet(service);
    for (const [path] of left) assert.deepEqual(await assertHit(other, path), before.get(path), path);
  }

  for (const [name, prepare] of Object.entries(WRITES)) {
    const { method, path } = endpoints[name as WriteName];
    test(`${method} ${path} makes the next read fresh in every process, and leaves other answers alone`, async () => {
      await assertFresh(await prepare(service));
    });
  }

  test('POST /analytics/refresh drops all of them', async () => {
    await quiet(service);
    for (const [path] of SHOWN) await warmed(other, path);
    await send(service, 'POST', '/analytics/refresh');
    for (const [path] of SHOWN) await assertMiss(other, path);
  });

  test('a submission from a blocked address shows among the rejected, one from a testing address among those for testing', async () => {
    for (const [list, shown, body] of [
      [BLOCKED, REJECTED, {}],
      [WHITELISTED, TESTING, { usage: 'test' }],
    ] as const) {
      const ip = anIp();
      await send(service, 'POST', list, { ip, ...body });
      await assertFresh({
        changes: [shown, `${shown}?ip=${ip}`],
        topics: CAPTURE_TOPICS,
        write: () => assertCaptured(sendFromServer(service, {}, { ip })),
      });
    }
  });

  test('a honeypot that is filled in shows among the blocked addresses', async () => {
    const write = () =>
      assertCaptured(sendForm(service, { __pg_hp: 'x', EMAIL: 'bot@example.org' }, { ip: anIp() }));
    await assertFresh({ changes: [BLOCKED], topics: CAPTURE_TOPICS, write });
  });

  test('an integration shows that it was used', async () => {
    clock.advance(60 * 60 * 1000);
    const write = () => capture(service);
    await assertFresh({ changes: [INTEGRATIONS], topics: CAPTURE_TOPICS, write });
  });

  test('a lead that is viewed shows as seen', async () => {
    const { lead_id } = await capture(service);
    const path = `${LEADS}?q=person`;
    await assertFresh({
      changes: [LEADS, path],
      topics: ['leads'],
      write: () => call(other, 'GET', `${LEADS}/${lead_id}`),
    });
    const { leads } = (await ask(service, path)).body as { leads: LeadItem[] };
    assert.equal(leads.find((lead) => lead.lead_id === lead_id)?.needs_review, 0);
  });

  test('an attempt to send a lead shows', async () => {
    await capture(service);
    await quiet(service);
    await assertFresh({
      changes: [SENDS],
      topics: ['sends'],
      async write() {
        clock.advance(60 * 60 * 1000);
        service.app.forwarding.nudge();
        await service.app.forwarding.settled();
      },
    });
  });

  test('a session that is ended for being idle shows', async () => {
    await startSession(service);
    await assertFresh({
      changes: ['/analytics/engagement'],
      // What could not be sent may be due again by then.
      topics: ['sends', 'tracking'],
      async write() {
        clock.advance(60 * 60 * 1000);
        await service.app.schedule.run('end-idle-sessions');
      },
    });
  });
});
