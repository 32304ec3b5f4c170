import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { CRM_CALLBACK, CRM_WEBHOOK, FLOW_CALLBACK, report } from '@leadtrail/testing/callbacks';
import { assertCaptured, FORM_ID, SITE_KEY, sendForm, setUpSite } from '@leadtrail/testing/enquiries';
import { anIntegration, FORMS, patch, SITES } from '@leadtrail/testing/management';
import { record } from '@leadtrail/testing/recordings';
import { ADMIN_KEY, type TestService } from '@leadtrail/testing/service';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';

/** XSS payloads in every field that outsiders can fill. */

export const HOSTILE =
  '"\'><img data-pwned src=x onerror="pwned=1"><script data-pwned>pwned=1</script><svg data-pwned onload=pwned=1>{{constructor}}';
/** No link may have this address. */
export const HOSTILE_ADDRESS = 'javascript:globalThis.pwned=1//https://example.com';

const DAY_MS = 24 * 60 * 60 * 1000;
const TESTING_IP = '198.51.100.200';
const BLOCKED_IP = '198.51.100.201';

/** The ids that a test needs to open all of it. */
export type Seeded = {
  leadId: number;
  sessionId: string;
  siteId: number;
  sendId: string;
  rejectedId: number;
  testingId: number;
};

/** Seeded after other data, so that it comes first in every list. */
export async function seedHostileData(service: TestService): Promise<Seeded> {
  const siteId = await seedSetUp(service);
  const { sessionId, visitorId } = await seedVisit(service);
  const fields = hostileFields(visitorId);
  await assertCaptured(sendForm(service, fields, { headers: { 'user-agent': HOSTILE } }));
  for (const ip of [TESTING_IP, BLOCKED_IP])
    await assertCaptured(sendForm(service, fields, { ip, headers: { 'user-agent': HOSTILE } }));
  const leadId = await firstOf(service, '/analytics/leads', 'leads', 'lead_id');
  await seedCallbacks(service, leadId);
  await seedSamePerson(service, leadId, fields);
  return {
    leadId,
    sessionId,
    siteId,
    sendId: await seedSend(service),
    rejectedId: await firstOf(service, '/analytics/blocked-ip-leads', 'blocked_ip_leads', 'id'),
    testingId: await firstOf(service, '/analytics/testing-leads', 'testing_leads', 'id'),
  };
}

async function seedSetUp(service: TestService): Promise<number> {
  await setUpSite(service);
  const { sites } = await service.get<{ sites: { id: number; site_key: string }[] }>('/analytics/sites');
  const siteId = sites.find(({ site_key }) => site_key === SITE_KEY)?.id ?? 0;
  const { forms } = await service.get<{ forms: { id: number; form_id: string }[] }>(
    `/analytics/forms?site_id=${siteId}`,
  );
  const formId = forms.find(({ form_id }) => form_id === FORM_ID)?.id;
  assert.equal((await patch(service, `${SITES}/${siteId}`, { name: HOSTILE })).status, 200);
  assert.equal((await patch(service, `${FORMS}/${formId}`, { name: HOSTILE })).status, 200);
  await anIntegration(service, { name: HOSTILE });
  for (const kind of ['source', 'country', 'project', 'city'])
    await create(service, '/analytics/dropdown-options', { kind, value: HOSTILE, label: HOSTILE });
  await create(service, '/analytics/whitelisted-ips', { ip: TESTING_IP, note: HOSTILE, usage: 'test' });
  await create(service, '/analytics/blocked-ips', {
    ip: BLOCKED_IP,
    reason: HOSTILE,
    country: HOSTILE,
    referer: HOSTILE_ADDRESS,
  });
  const settings = { internal_teams: [HOSTILE] };
  assert.equal((await patch(service, '/analytics/settings', settings)).status, 200);
  return siteId;
}

async function create(service: TestService, path: string, body: object): Promise<void> {
  const response = await service.post(path, body, { 'x-api-key': ADMIN_KEY });
  assert.equal(response.status, 201, await response.text());
}

async function seedVisit(service: TestService): Promise<{ sessionId: string; visitorId: string }> {
  const page = `https://www.example.com/${HOSTILE}`;
  const { session_id, visitor_id } = await startSession(
    service,
    {
      fingerprint_id: HOSTILE.slice(0, 60),
      visitor_id: `visitor ${HOSTILE.slice(0, 60)}`,
      page,
      referrer: `https://search.example/${HOSTILE}`,
      device_info: { user_agent: HOSTILE, language: HOSTILE, platform: HOSTILE, timezone: HOSTILE },
    },
    { 'x-geo-country': 'DE', 'x-geo-city': HOSTILE, 'x-geo-region': HOSTILE },
  );
  await sendEvents(service, session_id, [
    { type: 'page_view', page },
    { type: 'cta_click', page: HOSTILE_ADDRESS, data: { text: HOSTILE, [HOSTILE]: HOSTILE } },
  ]);
  await endSession(service, session_id, { exit_page: HOSTILE_ADDRESS });
  await service.settled();
  await record(service, { session_id, events: hostileRecording() });
  return { sessionId: session_id, visitorId: visitor_id };
}

function hostileFields(visitorId: string): Record<string, string> {
  const text = [
    'FIRSTNAME',
    'EMAIL',
    'PHONE',
    'COUNTRYCODE',
    'PROJECT',
    'LOCATION',
    'TEAM',
    'SOURCE',
    'KEYWORD',
    'USER_MESSAGE',
    'CTA_NAME',
    '__utm_source',
    '__utm_medium',
    '__utm_campaign',
    '__utm_term',
    '__utm_content',
    '__gclid',
    '__fbclid',
  ];
  return {
    ...Object.fromEntries(text.map((name) => [name, HOSTILE])),
    PAGE_URL: HOSTILE_ADDRESS,
    refered_by: HOSTILE_ADDRESS,
    [HOSTILE]: HOSTILE,
    __visitor_id: visitorId,
  };
}

async function seedCallbacks(service: TestService, leadId: number): Promise<void> {
  const known = await report(service, CRM_CALLBACK, { lead_id: leadId, crm_lead_id: HOSTILE });
  assert.equal(known.status, 200, JSON.stringify(known.body));
  const body = {
    crm_lead_id: HOSTILE,
    event_type: HOSTILE.slice(0, 100),
    [HOSTILE]: [HOSTILE],
    url: HOSTILE_ADDRESS,
  };
  const told = await report(service, CRM_WEBHOOK, body);
  assert.equal(told.status, 200, JSON.stringify(told.body));
}

/** Two more leads: one that may be the same person as the first, and one that was merged into it. */
async function seedSamePerson(
  service: TestService,
  leadId: number,
  fields: Record<string, string>,
): Promise<void> {
  const email = (name: string) => `"${HOSTILE.replaceAll(/\s/g, '')}"@${name}.example`;
  const other = async (name: string) => {
    const sent = { ...fields, EMAIL: email(name), __visitor_id: `${name} visitor` };
    await assertCaptured(sendForm(service, sent, { headers: { 'user-agent': HOSTILE } }));
    return firstOf(service, '/analytics/leads', 'leads', 'lead_id');
  };
  const merged = { lead_id: await other('merged') };
  const admin = { 'x-api-key': ADMIN_KEY };
  assert.equal((await service.post(`/analytics/leads/${leadId}/merge`, merged, admin)).status, 200);
  await other('duplicate');
  const shared = { ...fields, EMAIL: email('duplicate') };
  await assertCaptured(sendForm(service, shared, { headers: { 'user-agent': HOSTILE } }));
}

/** Hostile text on an existing delivery: in the answer of a target that is gone for good, and in a callback. */
async function seedSend(service: TestService): Promise<string> {
  const { store, now } = service.app;
  const path = '/analytics/flow-sends';
  const { flow_sends } = await service.get<{ flow_sends: { flow_send_public_id: string }[] }>(path);
  const id = flow_sends[0]?.flow_send_public_id ?? '';
  await store.resendFlowSend({ id, now: now() });
  const claimed = await store.claimSends({ now: now() + DAY_MS, leaseMs: 1, max: 1000 });
  const attempts = claimed
    .filter((send) => send.id === id)
    .map(({ claimedUntil }) => ({
      id,
      claimedUntil,
      startedAt: now(),
      endedAt: now(),
      statusCode: 410,
      result: 'status_410' as const,
      error: HOSTILE,
      retryAfter: undefined,
      durationMs: 5,
      answer: HOSTILE,
      random: 0,
    }));
  assert.equal(attempts.length, 1);
  await store.recordAttempts({ attempts });
  const told = await report(service, FLOW_CALLBACK, {
    flow_send_public_id: id,
    flow_execution_url: `https://flow.example/${HOSTILE}`,
    flow_execution_id: HOSTILE,
    flow_execution_status: HOSTILE,
    [HOSTILE]: HOSTILE,
  });
  assert.equal(told.status, 200, JSON.stringify(told.body));
  return id;
}

async function firstOf(service: TestService, path: string, list: string, field: string): Promise<number> {
  const answer = await service.get<Record<string, Record<string, number>[]>>(path);
  const value = answer[list]?.[0]?.[field];
  if (value === undefined) throw new Error(`${path} has nothing to show.`);
  return value;
}

/** A recording forged to attack its viewers. */
function hostileRecording() {
  let id = 0;
  const next = () => ++id;
  const text = (textContent: string) => ({ type: 3, id: next(), textContent });
  const element = (tagName: string, attributes: object, ...childNodes: object[]) => ({
    type: 2,
    id: next(),
    tagName,
    attributes,
    childNodes,
  });
  const body = element(
    'body',
    { onload: 'parent.pwned=1' },
    element('p', {}, text(HOSTILE)),
    element('img', { src: 'x', onerror: 'parent.pwned=1;pwned=1' }),
    element('script', {}, text('parent.pwned=1;pwned=1')),
    element('a', { href: HOSTILE_ADDRESS }, text('Click')),
    element('iframe', { srcdoc: '<script>top.pwned=1</script>' }),
    element('iframe', { src: 'javascript:top.pwned=1' }),
    element(
      'form',
      { action: HOSTILE_ADDRESS },
      element('input', { autofocus: true, onfocus: 'parent.pwned=1' }),
    ),
  );
  const html = element('html', {}, element('head', {}), body);
  const node = { type: 0, id: next(), childNodes: [html] };
  const timestamp = Date.now() - 5000;
  return [
    { type: 4, timestamp, data: { href: 'https://www.example.com/', width: 800, height: 600 } },
    { type: 2, timestamp: timestamp + 1, data: { node, initialOffset: { left: 0, top: 0 } } },
    {
      type: 3,
      timestamp: timestamp + 500,
      data: {
        source: 0,
        texts: [],
        attributes: [],
        removes: [],
        adds: [
          {
            parentId: body.id,
            nextId: null,
            node: {
              type: 2,
              id: 1000,
              tagName: 'img',
              attributes: { src: 'y', onerror: 'parent.pwned=1', 'data-later': randomUUIDv7() },
              childNodes: [],
            },
          },
        ],
      },
    },
    { type: 3, timestamp: timestamp + 2000, data: { source: 3, id: body.id, x: 0, y: 10 } },
  ];
}
