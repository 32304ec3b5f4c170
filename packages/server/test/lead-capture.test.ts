import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { aClock } from '@leadtrail/testing/clock';
import { row, rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  BROWSER,
  CAPTURE_ENV,
  type Fields,
  FORM_ID,
  INTEGRATION_KEY,
  SITE_KEY,
  SITE_PAGE,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { ADMIN_KEY, onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';
import { unavailable } from '../src/lib/errors.ts';
import { MINUTE_MS } from '../src/lib/utc-time.ts';

const admin = { 'x-api-key': ADMIN_KEY };

onBothStores('POST /lead.capture', (kind) => {
  const clock = aClock();
  const service = useService(kind, { env: CAPTURE_ENV, overrides: { now: clock.now } });
  before(() => setUpSite(service));
  beforeEach(() => emptyLeads(service));

  describe('authentication', () => {
    test('a server integration with a valid key stores a lead, without domain validation', async () => {
      const sent = sendFromServer(service, {}, { headers: { origin: 'https://elsewhere.example' } });
      assert.equal((await sent).status, 301);
      assert.equal((await leads(service)).length, 1);
    });

    test('siteKey and formId that a server sends are stored for attribution', async () => {
      await assertCaptured(sendFromServer(service, { siteKey: 'any-site', formId: 'any-form' }));
      const [lead] = await leads(service);
      assert.deepEqual([lead?.site_key, lead?.form_id], ['any-site', 'any-form']);
    });

    test('401 when X-API-Key is present but invalid, also with a good form', async () => {
      for (const key of ['wrong', INTEGRATION_KEY.slice(0, -1), `${INTEGRATION_KEY}x`, '']) {
        const response = await sendForm(service, {}, { headers: { 'x-api-key': key } });
        assert.equal(response.status, 401, key);
        assert.match(((await response.json()) as { error: string }).error, /key/);
      }
      assert.equal((await leads(service)).length, 0);
    });

    test('401 for the key of an integration that is disabled', async () => {
      const made = await service.post('/analytics/integrations', { name: 'off', enabled: false }, admin);
      const { api_key } = (await made.json()) as { api_key: string };
      const response = await sendFromServer(service, {}, { headers: { 'x-api-key': api_key } });
      assert.equal(response.status, 401);
    });

    test('the key of an integration made in the dashboard works at once, and its last use is shown', async () => {
      const made = await service.post('/analytics/integrations', { name: 'crm' }, admin);
      const { api_key, id } = (await made.json()) as { api_key: string; id: number };
      await assertCaptured(sendFromServer(service, {}, { headers: { 'x-api-key': api_key } }));
      const shown = await service.get<{ last_used_at: string }>(`/analytics/integrations/${id}`);
      assert.equal(shown.last_used_at, '2026-03-10 12:00:00');
    });

    test('403 when neither mode is satisfied: siteKey or formId missing or empty', async () => {
      for (const missing of [
        { siteKey: '' },
        { formId: '' },
        { siteKey: '', formId: '' },
        { siteKey: ' ' },
      ]) {
        assert.equal((await sendForm(service, missing)).status, 403, JSON.stringify(missing));
      }
      assert.equal((await leads(service)).length, 0);
    });

    test('403 for an unknown site, an unknown form and the form of another site', async () => {
      await service.post(
        '/analytics/sites',
        { site_key: 'site-2', name: 'Two', domains: ['example.com'] },
        admin,
      );
      for (const unknown of [{ siteKey: 'nobody' }, { formId: 'nothing' }, { siteKey: 'site-2' }]) {
        assert.equal((await sendForm(service, unknown)).status, 403, JSON.stringify(unknown));
      }
    });

    test('403 when the domain of Origin or Referer is not allowed for that site', async () => {
      for (const headers of [
        { origin: 'https://evil.example', referer: SITE_PAGE },
        { origin: 'https://example.com.evil.example', referer: '' },
        { origin: 'null', referer: 'https://evil.example/' },
        { origin: 'https://landing.example', referer: '' },
        { origin: '', referer: '' },
      ]) {
        assert.equal((await sendForm(service, {}, { headers })).status, 403, JSON.stringify(headers));
      }
    });

    test('Origin is looked at first, then Referer; www and wildcards are allowed', async () => {
      for (const headers of [
        { origin: 'https://example.com', referer: '' },
        { origin: 'https://www.example.com', referer: 'https://evil.example/' },
        { origin: 'null', referer: SITE_PAGE },
        { origin: 'https://a.b.landing.example', referer: '' },
      ]) {
        assert.equal((await sendForm(service, {}, { headers })).status, 301, JSON.stringify(headers));
      }
    });

    test('403 when the site or the form is disabled', async () => {
      const site = { site_key: 'site-3', name: 'Three', domains: ['example.com'] };
      const made = (await (await service.post('/analytics/sites', site, admin)).json()) as { id: number };
      const form = { site_id: made.id, form_id: 'form-3', name: 'Three' };
      const madeForm = (await (await service.post('/analytics/forms', form, admin)).json()) as { id: number };
      const sent = { siteKey: 'site-3', formId: 'form-3' };
      assert.equal((await sendForm(service, sent)).status, 301);

      await patch(service, `/analytics/forms/${madeForm.id}`, { enabled: false });
      assert.equal((await sendForm(service, sent)).status, 403);
      await patch(service, `/analytics/forms/${madeForm.id}`, { enabled: true });
      await patch(service, `/analytics/sites/${made.id}`, { enabled: false });
      assert.equal((await sendForm(service, sent)).status, 403);
    });
  });

  describe('what is stored', () => {
    test('a lead and its primary submission, with all that the form said', async () => {
      await assertCaptured(
        sendForm(service, {
          LOCATION: 'Pune',
          TEAM: 'North',
          KEYWORD: '3bhk',
          USER_MESSAGE: 'Call me',
          PAGE_URL: 'https://www.example.com/riverside?utm_source=google',
          CTA_NAME: 'Brochure',
          __gclid: 'g1',
          __utm_source: 'google',
          budget: '90L',
        }),
      );
      const [lead] = await leads(service);
      assert.partialDeepStrictEqual(lead, {
        contact_name: 'Ada',
        contact_email: 'ada@example.org',
        contact_phone: '98765 43210',
        contact_country_code: '+91',
        project_name: 'Riverside',
        project_location: 'Pune',
        project_source: 'WebSite',
        source_team: 'North',
        keyword: '3bhk',
        message: 'Call me',
        referer: 'https://www.example.com/riverside?utm_source=google',
        contact_ip: '198.51.100.7',
        user_agent: BROWSER,
        site_key: SITE_KEY,
        form_id: FORM_ID,
        status: 'new',
        test_lead: 'no',
        form_submit_count: 1,
        follow_ups_count: 0,
        needs_review: 1,
        campaign: JSON.stringify({ gclid: 'g1', utm_source: 'google' }),
      });
      assert.match(String(lead?.lead_public_id), /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      const [submission] = await submissions(service);
      assert.partialDeepStrictEqual(submission, {
        lead_id: lead?.lead_id,
        is_primary_lead: 1,
        is_duplicate_window: 0,
        cta_name: 'Brochure',
        source: 'WebSite',
        contact_ip: '198.51.100.7',
        site_key: SITE_KEY,
        form_id: FORM_ID,
      });
      const payload = JSON.parse(String(submission?.payload_json));
      assert.equal(payload.budget, '90L');
      assert.equal(payload.FIRSTNAME, 'Ada');
    });

    test('COUNTRYCODE is also countryCode and country_code; name, email, phone and message are accepted', async () => {
      for (const [i, name] of ['COUNTRYCODE', 'countryCode', 'country_code'].entries()) {
        const sent = { name: 'Bo', email: `bo${i}@x.org`, phone: '700', message: 'Hi', [name]: '+44' };
        await assertCaptured(post(service, JSON.stringify(sent), 'application/json'));
      }
      for (const lead of await leads(service)) {
        assert.partialDeepStrictEqual(lead, {
          contact_name: 'Bo',
          contact_country_code: '+44',
          message: 'Hi',
        });
      }
      assert.equal((await leads(service)).length, 3);
    });

    test('the page URL is kept without the values of private parameters, wherever it stands', async () => {
      await patch(service, '/analytics/settings', { redacted_parameters: ['member'] });
      const PAGE_URL = 'https://p.example/a?token=secret-1&member=7&utm_source=mail';
      const refered_by = 'https://p.example/?email=someone%40example.net';
      await assertCaptured(sendForm(service, { PAGE_URL, refered_by, EMAIL: 'private@example.org' }));
      const kept = 'https://p.example/a?token=&member=&utm_source=mail';
      const of = "where contact_email = 'private@example.org'";
      const { referer, payload_json } = await row(
        service,
        `select referer, payload_json from submissions ${of}`,
      );
      assert.equal(referer, kept);
      assert.partialDeepStrictEqual(JSON.parse(String(payload_json)), {
        PAGE_URL: kept,
        refered_by: 'https://p.example/?email=',
      });
      assert.deepEqual(await row(service, `select referer from leads ${of}`), { referer: kept });
    });

    test('the page URL is PAGE_URL, else the Referer, else refered_by, on lead and submission', async () => {
      const cases = [
        {
          sent: { PAGE_URL: 'https://p.example/a', refered_by: 'https://r.example/' },
          referer: SITE_PAGE,
          stored: 'https://p.example/a',
        },
        { sent: { refered_by: 'https://r.example/' }, referer: SITE_PAGE, stored: SITE_PAGE },
        { sent: { refered_by: 'https://r.example/' }, referer: '', stored: 'https://r.example/' },
      ];
      for (const [i, { sent, referer, stored }] of cases.entries()) {
        const headers: Record<string, string> = referer === '' ? {} : { referer };
        await assertCaptured(
          sendFromServer(service, { ...sent, EMAIL: `p${i}@x.org`, PHONE: '' }, { headers }),
        );
        const lead = (await leads(service)).at(-1);
        assert.equal(lead?.referer, stored);
        assert.equal((await submissions(service)).at(-1)?.referer, stored);
      }
    });

    test('geolocation comes from request headers', async () => {
      const headers = {
        'cf-ipcountry': 'IN',
        'cf-ipcity': 'Pune',
        'cf-region': 'Maharashtra',
        'cf-timezone': 'Asia/Kolkata',
      };
      await assertCaptured(sendForm(service, {}, { headers }));
      assert.partialDeepStrictEqual((await leads(service))[0], {
        contact_country_name: 'IN',
        contact_city: 'Pune',
        contact_region: 'Maharashtra',
        contact_timezone: 'Asia/Kolkata',
      });
    });

    test("a lead carries its visitor's figures over all sessions", async () => {
      const visitor = { visitor_id: `visitor-${kind}`, fingerprint_id: `f-${kind}` };
      const first = await startSession(service, visitor);
      await endSession(service, first.session_id);
      clock.advance(MINUTE_MS);
      const second = await startSession(service, visitor);
      await sendEvents(service, second.session_id, [
        { type: 'page_view', page: 'https://www.example.com/2' },
        { type: 'engaged', data: { ms: 180_000 } },
        { type: 'form_start' },
      ]);
      await service.settled();
      await assertCaptured(sendForm(service, { __visitor_id: visitor.visitor_id }));
      assert.partialDeepStrictEqual((await leads(service))[0], {
        visitor_id: visitor.visitor_id,
        session_id: second.session_id,
        // Three pages 18, all of the engaged time 30, one return 5, form touched 10.
        engagement_score: 63,
        engagement_label: 'Hot',
        pages_visited: 3,
        return_visits: 1,
      });
    });

    test('no visitor or no session: engagement 0, Cold', async () => {
      await assertCaptured(sendForm(service, { __visitor_id: 'never-seen' }));
      assert.partialDeepStrictEqual((await leads(service))[0], {
        engagement_score: 0,
        engagement_label: 'Cold',
        session_id: '',
      });
    });

    test('test_lead is yes when the name or email says test', async () => {
      await assertCaptured(sendForm(service, { FIRSTNAME: 'Test' }));
      assert.equal((await leads(service))[0]?.test_lead, 'yes');
    });

    test('every submission feeds the dataset', async () => {
      await assertCaptured(sendForm(service, { __pg_tts: '10' }));
      await assertCaptured(sendForm(service, { __pg_tts: '20' }));
      await assertCaptured(sendForm(service, { EMAIL: 'b@x.org', PHONE: '', SOURCE: 'FB', __pg_tts: '' }));
      const common = {
        day: '2026-03-10',
        project_name: 'Riverside',
        engagement_label: 'Cold',
        engagement: 0,
      };
      const key = 'day, project_name, source, engagement_label';
      const sums = ['submissions', 'suspicion', 'engagement', 'time_to_submit_ms', 'timed'];
      const select = `select ${key}, ${sums.map((sum) => `sum(${sum}) as ${sum}`).join(', ')} from submission_sums`;
      assert.deepEqual(await rows(service, `${select} group by ${key} order by source desc`), [
        { ...common, source: 'WebSite', submissions: 2, suspicion: 0, time_to_submit_ms: 30_000, timed: 2 },
        { ...common, source: 'FB', submissions: 1, suspicion: 10, time_to_submit_ms: 0, timed: 0 },
      ]);
    });

    test('a readable body without contact details is stored and scored suspicious', async () => {
      await assertCaptured(sendForm(service, { EMAIL: '', PHONE: '', FIRSTNAME: '' }));
      const [lead] = await leads(service);
      assert.equal(lead?.suspicion_score, 30);
      assert.equal(lead?.suspicion_reasons, 'no contact details');
    });

    test('NUL and lone surrogates are stored as U+FFFD', async () => {
      const body = '{"EMAIL":"nul@x.org","FIRSTNAME":"a\\u0000b\\ud800c","note":"\\u0000"}';
      await assertCaptured(post(service, body, 'application/json'));
      assert.equal((await leads(service))[0]?.contact_name, 'a\uFFFDb\uFFFDc');
      assert.equal(JSON.parse(String((await submissions(service))[0]?.payload_json)).note, '\uFFFD');
    });

    test('__proto__, constructor, status and lead_id as form fields are ignored in all four encodings', async () => {
      const fields = { EMAIL: 'proto@x.org', status: 'won', lead_id: '77', constructor: 'x', toString: 'y' };
      const boundary = 'frontier';
      const entries = [...Object.entries(fields), ['__proto__', 'polluted'] as const];
      const bodies: [string, string][] = [
        ['application/json', `{"__proto__":{"polluted":1},${JSON.stringify(fields).slice(1)}`],
        [
          'application/x-www-form-urlencoded',
          new URLSearchParams(entries.map(([k, v]) => [k, v])).toString(),
        ],
        [
          `multipart/form-data; boundary=${boundary}`,
          `${entries.map(([k, v]) => `--${boundary}\r\ncontent-disposition: form-data; name="${k}"\r\n\r\n${v}\r\n`).join('')}--${boundary}--\r\n`,
        ],
        ['text/plain', entries.map(([k, v]) => `${k}: ${v}`).join('\n')],
      ];
      for (const [type, body] of bodies) {
        await assertCaptured(post(service, body, type));
        const [lead] = await leads(service);
        assert.partialDeepStrictEqual(lead, { status: 'new', contact_email: 'proto@x.org' });
        const payload = JSON.parse(String((await submissions(service)).at(-1)?.payload_json));
        assert.equal(Object.hasOwn(payload, '__proto__'), false, type);
        assert.equal(payload.constructor, 'x', type);
        assert.equal(({} as Record<string, unknown>).polluted, undefined);
      }
      assert.equal((await leads(service)).length, 1);
    });

    test('400 for an unreadable body, and nothing is stored', async () => {
      for (const [body, type] of [
        ['{"EMAIL":', 'application/json'],
        ['[1]', 'application/json'],
        ['x', 'multipart/form-data'],
      ] as const) {
        assert.equal((await post(service, body, type)).status, 400, type);
      }
      assert.equal((await submissions(service)).length, 0);
    });

    test('413 beyond 256 KiB', async () => {
      const response = await post(
        service,
        `EMAIL=a%40b.c&note=${'x'.repeat(256 * 1024)}`,
        'application/x-www-form-urlencoded',
      );
      assert.equal(response.status, 413);
    });
  });

  describe('suspicion', () => {
    const scored = async () => {
      const lead = (await leads(service)).at(-1);
      return [lead?.suspicion_score, lead?.suspicion_reasons];
    };

    test('honeypot filled 100', async () => {
      await assertCaptured(sendForm(service, { __pg_hp: 'http://spam' }));
      assert.equal((await scored())[0], 100);
    });

    test('time to submit under 2 s 40, under 5 s 20, missing 10 in browser mode', async () => {
      for (const [tts, score] of [
        ['1.9', 40],
        ['4.9', 20],
        ['5', 0],
        ['', 10],
      ] as const) {
        await emptyLeads(service);
        await assertCaptured(sendForm(service, { __pg_tts: tts }));
        assert.equal((await scored())[0], score, tts);
      }
      await emptyLeads(service);
      await assertCaptured(sendFromServer(service, { __pg_tts: '' }));
      assert.equal((await scored())[0], 0);
    });

    test('more than 3 submissions in 10 minutes from the IP 30', async () => {
      for (let i = 0; i < 4; i += 1) {
        assert.equal((await submissions(service)).filter((s) => Number(s.suspicion_score) > 0).length, 0);
        await assertCaptured(sendForm(service, { EMAIL: `v${i}@x.org`, PHONE: '' }));
      }
      assert.deepEqual(await scored(), [30, 'more than 3 submissions in 10 minutes']);
      clock.advance(11 * MINUTE_MS);
      await assertCaptured(sendForm(service, { EMAIL: 'later@x.org', PHONE: '' }));
      assert.deepEqual(await scored(), [0, '']);
    });

    test('what a server sends without the address of the person does not count for its own', async () => {
      for (let i = 0; i < 4; i += 1) {
        const sent = sendFromServer(service, { EMAIL: `s${i}@x.org`, PHONE: '' }, { ip: '198.51.100.40' });
        await assertCaptured(sent);
      }
      await assertCaptured(sendForm(service, { EMAIL: 'person@x.org', PHONE: '' }, { ip: '198.51.100.40' }));
      assert.deepEqual(await scored(), [0, '']);
    });

    test('more than 3 submissions in 10 minutes from the visitor 30', async () => {
      for (let i = 0; i < 4; i += 1) {
        const sent = { PROJECT: `P${i}`, __visitor_id: 'busy' };
        await assertCaptured(sendForm(service, sent, { ip: `198.51.100.${20 + i}` }));
      }
      assert.equal((await scored())[0], 30);
    });

    test('bot user agent 40', async () => {
      await assertCaptured(
        sendForm(service, {}, { headers: { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' } }),
      );
      assert.deepEqual(await scored(), [40, 'bot user agent']);
    });

    test('VPN-suspected 15', async () => {
      await rows(service, "update visitors set vpn_suspected = 1 where visitor_id = 'never'");
      const { visitor_id } = await startSession(service, {
        fingerprint_id: 'vpn',
        visitor_id: 'vpn-visitor',
      });
      await service.settled();
      await rows(service, `update visitors set vpn_suspected = 1 where visitor_id = '${visitor_id}'`);
      await assertCaptured(sendForm(service, { __visitor_id: visitor_id }));
      assert.deepEqual(await scored(), [15, 'VPN suspected']);
      assert.equal((await leads(service))[0]?.vpn_suspected, 1);
    });
  });

  describe('one lead for a person and project', () => {
    test('later submissions are follow-ups of the primary', async () => {
      await assertCaptured(sendForm(service));
      clock.advance(61 * MINUTE_MS);
      await assertCaptured(sendForm(service, { FIRSTNAME: 'Ada Lovelace' }));
      const [lead] = await leads(service);
      assert.partialDeepStrictEqual(lead, {
        contact_name: 'Ada',
        follow_ups_count: 1,
        form_submit_count: 2,
        last_follow_up_at: clock.now(),
      });
      assert.deepEqual(
        (await submissions(service)).map((s) => [s.is_primary_lead, s.is_duplicate_window, s.lead_id]),
        [
          [1, 0, lead?.lead_id],
          [0, 0, lead?.lead_id],
        ],
      );
    });

    test('is_duplicate_window is 1 within duplicate_window_minutes of the previous submission', async () => {
      await assertCaptured(sendForm(service));
      clock.advance(59 * MINUTE_MS);
      await assertCaptured(sendForm(service));
      clock.advance(59 * MINUTE_MS);
      await assertCaptured(sendForm(service));
      await patch(service, '/analytics/settings', { duplicate_window_minutes: 5 });
      clock.advance(6 * MINUTE_MS);
      await assertCaptured(sendForm(service));
      assert.deepEqual(
        (await submissions(service)).map((s) => s.is_duplicate_window),
        [0, 1, 1, 0],
      );
      await patch(service, '/analytics/settings', { duplicate_window_minutes: 60 });
    });

    test('is_duplicate_window is 1 for one that came a moment earlier and is stored after the other', async () => {
      await assertCaptured(sendForm(service));
      clock.advance(-50);
      await assertCaptured(sendForm(service));
      assert.deepEqual(
        (await submissions(service)).map((s) => s.is_duplicate_window),
        [0, 1],
      );
    });

    test('is_duplicate_window is 0 for one that is accepted later and came before the previous submission', async () => {
      assert.equal((await service.post('/analytics/blocked-ips', { ip: '203.0.113.67' }, admin)).status, 201);
      await sendForm(service, {}, { ip: '203.0.113.67' });
      clock.advance(MINUTE_MS);
      await assertCaptured(sendForm(service));
      const { id } = await row(service, 'select id from set_aside_leads order by id desc limit 1');
      const accepted = await service.post(`/analytics/blocked-ip-leads/${id}/accept`, {}, admin);
      assert.equal(accepted.status, 201);
      assert.deepEqual(
        (await submissions(service)).map((s) => [s.is_primary_lead, s.is_duplicate_window]),
        [
          [1, 0],
          [0, 0],
        ],
      );
    });

    test('the project compares trimmed and case-folded; another project is another lead', async () => {
      await assertCaptured(sendForm(service, { PROJECT: 'Riverside' }));
      await assertCaptured(sendForm(service, { PROJECT: ' RIVERSIDE ' }));
      await assertCaptured(sendForm(service, { PROJECT: 'Hillside' }));
      const found = await leads(service);
      assert.deepEqual(
        found.map((lead) => lead.project_name),
        ['Riverside', 'Hillside'],
      );
      assert.equal(found[1]?.related_projects, 'Riverside');
    });

    test('e-mail compares lower-cased and trimmed, phones in E.164', async () => {
      await assertCaptured(sendForm(service, { EMAIL: 'Ada@Example.ORG ', PHONE: '' }));
      await assertCaptured(
        sendForm(service, { EMAIL: 'ada@example.org', PHONE: '(098765) 43210', COUNTRYCODE: '91' }),
      );
      await assertCaptured(sendForm(service, { EMAIL: '', PHONE: '+91 98765-43210', COUNTRYCODE: '' }));
      const found = await leads(service);
      assert.equal(found.length, 1);
      assert.equal(found[0]?.contact_email, 'Ada@Example.ORG');
    });

    test('visitor+email, then email+phone, then phone alone are one lead', async () => {
      await assertCaptured(sendForm(service, { __visitor_id: 'v1', EMAIL: 'one@x.org', PHONE: '' }));
      await assertCaptured(sendForm(service, { EMAIL: 'one@x.org', PHONE: '9123456780' }));
      await assertCaptured(sendForm(service, { EMAIL: '', PHONE: '9123456780' }));
      const found = await leads(service);
      assert.equal(found.length, 1);
      assert.equal(found[0]?.contact_phone, '9123456780');
      assert.equal(found[0]?.follow_ups_count, 2);
    });

    test('visitor_id counts before email, email before phone', async () => {
      await assertCaptured(sendForm(service, { __visitor_id: 'va', EMAIL: 'a@x.org', PHONE: '' }));
      await assertCaptured(sendForm(service, { EMAIL: 'b@x.org', PHONE: '9000000001' }));
      await assertCaptured(sendForm(service, { __visitor_id: 'va', EMAIL: 'b@x.org', PHONE: '' }));
      await assertCaptured(sendForm(service, { EMAIL: 'a@x.org', PHONE: '9000000001' }));
      assert.deepEqual(
        (await leads(service)).map((lead) => lead.follow_ups_count),
        [2, 0],
      );
    });

    test('what a script writes for want of a visitor id makes nobody the same person', async () => {
      for (const __visitor_id of ['undefined', 'null', 'NULL', 'NaN', '[object Object]', false]) {
        const sent = { __visitor_id, PHONE: '' };
        await assertCaptured(sendForm(service, { ...sent, EMAIL: 'a@x.org' }));
        await assertCaptured(sendForm(service, { ...sent, EMAIL: 'b@x.org' }));
        assert.deepEqual(
          (await leads(service)).map((lead) => lead.visitor_id),
          ['', ''],
          String(__visitor_id),
        );
        await emptyLeads(service);
      }
    });

    test('two people in one office stay two leads; the IP counts only for a submission that has none of the three', async () => {
      await assertCaptured(sendForm(service, { EMAIL: 'a@x.org', PHONE: '' }));
      await assertCaptured(sendForm(service, { EMAIL: 'b@x.org', PHONE: '' }));
      assert.equal((await leads(service)).length, 2);
      await emptyLeads(service);
      await assertCaptured(sendForm(service, { EMAIL: '', PHONE: '' }));
      await assertCaptured(sendForm(service, { EMAIL: '', PHONE: '' }));
      await assertCaptured(sendForm(service, { EMAIL: '', PHONE: '' }, { ip: '198.51.100.99' }));
      await assertCaptured(sendForm(service, { EMAIL: 'c@x.org', PHONE: '' }));
      assert.deepEqual(
        (await leads(service)).map((lead) => lead.follow_ups_count),
        [1, 0, 0],
      );
    });

    test('100 simultaneous submissions of one person make one primary and 99 follow-ups', async () => {
      // A busy machine may refuse some of them for now; these may have been stored all the same, and come again.
      let refused = 0;
      async function sendUntilTaken(sent: Fields): Promise<void> {
        const response = await sendForm(service, sent);
        if (response.status === 503) {
          refused += 1;
          await sendUntilTaken(sent);
        } else await assertCaptured(Promise.resolve(response));
      }
      const sent = Array.from({ length: 100 }, (_, i) =>
        sendUntilTaken(i % 2 === 0 ? { PHONE: '' } : { __visitor_id: 'crowd' }),
      );
      await Promise.all(sent);
      const found = await leads(service);
      assert.equal(found.length, 1);
      const history = await submissions(service);
      assert.equal(history.filter((s) => s.is_primary_lead === 1).length, 1);
      assert.ok(history.length >= 100 && history.length <= 100 + refused, `${history.length} and ${refused}`);
      const { length } = history;
      assert.partialDeepStrictEqual(found[0], { follow_ups_count: length - 1, form_submit_count: length });
    });
  });

  describe('the answer', () => {
    test('301 to the thank-you page, not to be kept', async () => {
      const response = await sendForm(service);
      assert.equal(response.status, 301);
      assert.equal(response.headers.get('location'), 'https://www.example.com/riverside/thank-you.html');
      assert.equal(response.headers.get('cache-control'), 'no-store');
    });

    test('a bare hostname becomes https, a path is appended to the origin of the Referer', async () => {
      const target = async (DOMAIN: string) => (await sendForm(service, { DOMAIN })).headers.get('location');
      assert.equal(await target('shop.example.net'), 'https://shop.example.net/thank-you.html');
      assert.equal(await target('/offers'), 'https://www.example.com/offers/thank-you.html');
      assert.equal(await target(''), 'https://www.example.com/thank-you.html');
    });

    test('an internal team has its own page, whatever the source', async () => {
      await patch(service, '/analytics/settings', { internal_teams: ['Inside Sales'] });
      const response = await sendForm(service, { TEAM: 'inside sales', SOURCE: 'FB' });
      assert.equal(
        response.headers.get('location'),
        'https://www.example.com/riverside/thank-you-inside-sales',
      );
    });

    test('200 with JSON when there is no valid Referer or DOMAIN', async () => {
      const response = await sendFromServer(service, { DOMAIN: '' });
      assert.equal(response.status, 200);
      assert.deepEqual(await response.json(), { message: 'All set!' });
    });

    test('a script gets data: Accept: application/json, any X-Requested-With, or Sec-Fetch-Mode: cors', async () => {
      const scripts = [
        { accept: 'application/json' },
        { accept: 'text/plain, Application/JSON;q=0.9' },
        { 'x-requested-with': 'XMLHttpRequest' },
        { 'x-requested-with': 'fetch' },
        { 'sec-fetch-mode': 'cors' },
      ];
      for (const path of ['/lead.capture', '/lead', '/']) {
        for (const headers of scripts) {
          const response = await sendForm(service, {}, { headers, path });
          assert.equal(response.status, 200, JSON.stringify(headers));
          const [lead] = await leads(service);
          const sent = await submissions(service);
          assert.deepEqual(await response.json(), {
            message: 'All set!',
            redirect_to: 'https://www.example.com/riverside/thank-you.html',
            lead_public_id: lead?.lead_public_id,
            lead_submission_public_id: sent.at(-1)?.lead_submission_public_id,
          });
        }
      }
    });

    test('a page navigation gets the redirect', async () => {
      for (const headers of [
        {
          accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
          'sec-fetch-mode': 'navigate',
        },
        { accept: '*/*' },
      ]) {
        assert.equal((await sendForm(service, {}, { headers })).status, 301);
      }
    });

    test('a server that asks for JSON gets both ids', async () => {
      const answer = await sendFromServer(
        service,
        { DOMAIN: '' },
        { headers: { accept: 'application/json' } },
      );
      assert.equal(answer.status, 200);
      const { lead_public_id, lead_submission_public_id, ...rest } = (await answer.json()) as Record<
        string,
        string
      >;
      assert.deepEqual(rest, { message: 'All set!', redirect_to: null });
      assert.deepEqual(
        (await leads(service)).map((lead) => lead.lead_public_id),
        [lead_public_id],
      );
      assert.deepEqual(
        (await submissions(service)).map((each) => each.lead_submission_public_id),
        [lead_submission_public_id],
      );
    });

    test('dangerous DOMAIN, TEAM and SOURCE never give a 5xx, another scheme or a split header', async () => {
      for (const DOMAIN of [
        '//evil',
        'good@evil',
        '/\\evil',
        'javascript:alert(1)',
        'a\r\nSet-Cookie: x=1',
        'ex\u2028ample.com',
        '\uD83D\uDE00',
      ]) {
        const response = await sendForm(service, { DOMAIN, TEAM: 'a\r\nb', EMAIL: 'x@x.org' });
        assert.ok([200, 301].includes(response.status), DOMAIN);
        assert.equal(response.headers.get('set-cookie'), null);
        const location = response.headers.get('location');
        if (location !== null) assert.equal(new URL(location).origin, 'https://www.example.com', DOMAIN);
      }
    });

    test('an origin allowed for any enabled site is echoed back, no other', async () => {
      const echoed = async (headers: Record<string, string>, sent = {}) =>
        (await sendForm(service, sent, { headers })).headers.get('access-control-allow-origin');
      assert.equal(await echoed({ origin: 'https://www.example.com' }), 'https://www.example.com');
      assert.equal(
        await echoed({ origin: 'https://www.example.com' }, { siteKey: 'unknown' }),
        'https://www.example.com',
      );
      assert.equal(await echoed({ origin: 'https://evil.example', 'x-api-key': INTEGRATION_KEY }), null);
    });

    test('the preflight answers 204 and allows what scripts send', async () => {
      for (const path of ['/lead.capture', '/lead', '/']) {
        const ask = (origin: string) => fetch(service.url + path, { method: 'OPTIONS', headers: { origin } });
        const allowed = await ask('https://example.com');
        assert.equal(allowed.status, 204);
        assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://example.com');
        for (const name of ['Content-Type', 'X-Requested-With', 'X-API-Key']) {
          assert.ok(allowed.headers.get('access-control-allow-headers')?.includes(name), name);
        }
        assert.equal((await ask('https://evil.example')).headers.get('access-control-allow-origin'), null);
      }
    });

    test('405 with Allow for other methods', async () => {
      const response = await fetch(`${service.url}/lead.capture`);
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'POST, OPTIONS');
    });

    test('POST /lead and POST / still work and say that they are deprecated', async () => {
      for (const path of ['/lead', '/']) {
        const response = await sendForm(service, {}, { path });
        assert.equal(response.status, 301);
        assert.equal(response.headers.get('x-deprecated'), 'true');
        assert.equal(response.headers.get('sunset'), 'Mon, 01 Jun 2026 00:00:00 GMT');
        assert.equal(response.headers.get('link'), '</lead.capture>; rel="successor-version"');
      }
      assert.equal((await sendForm(service)).headers.get('x-deprecated'), null);
      assert.equal((await leads(service))[0]?.follow_ups_count, 2);
    });
  });

  describe('blocked and testing addresses', () => {
    const BLOCKED = '203.0.113.66';
    const TESTING = '203.0.113.77';
    before(async () => {
      assert.equal((await service.post('/analytics/blocked-ips', { ip: BLOCKED }, admin)).status, 201);
      const testing = { ip: TESTING, usage: 'test' };
      assert.equal((await service.post('/analytics/whitelisted-ips', testing, admin)).status, 201);
    });

    test('a blocked IP gets the normal answer; nothing but an audit row is stored', async () => {
      const shown = (response: Response) => [
        response.status,
        [...response.headers].filter(([name]) => !['x-request-id', 'date'].includes(name)),
      ];
      const normal = await sendForm(service);
      await emptyLeads(service);
      assert.deepEqual(shown(await sendForm(service, {}, { ip: BLOCKED })), shown(normal));
      assert.equal((await leads(service)).length + (await submissions(service)).length, 0);
      assert.equal((await rows(service, 'select * from submission_sums')).length, 0);
      const rejected = await service.get<{ blocked_ip_leads: unknown[] }>('/analytics/blocked-ip-leads');
      assert.partialDeepStrictEqual(rejected.blocked_ip_leads[0], {
        ip: BLOCKED,
        received_at: new Date(clock.now()).toISOString().slice(0, 19).replace('T', ' '),
        contact_email: 'ada@example.org',
        contact_name: 'Ada',
        contact_phone: '98765 43210',
        contact_country_code: '+91',
        project_name: 'Riverside',
        source: 'WebSite',
        referer: SITE_PAGE,
        site_key: SITE_KEY,
        form_id: FORM_ID,
      });
    });

    test('a blocked client with a bad key, a bad site or an unreadable body cannot tell it from success', async () => {
      const normal = await sendForm(service);
      const expected = [normal.status, normal.headers.get('location'), await normal.text()];
      for (const [sent, headers] of [
        [{}, { 'x-api-key': 'wrong' }],
        [{ siteKey: 'nobody' }, {}],
        [{ formId: '' }, {}],
      ] as const) {
        const response = await sendForm(service, sent, { ip: BLOCKED, headers: { ...headers } });
        assert.deepEqual(
          [response.status, response.headers.get('location'), await response.text()],
          expected,
        );
      }
      const unreadable = await post(service, '{"EMAIL":', 'application/json', { 'x-forwarded-for': BLOCKED });
      assert.equal(unreadable.status, 200);
      assert.partialDeepStrictEqual(await unreadable.json(), { message: 'All set!', redirect_to: null });
    });

    test('a script of a blocked or testing address gets ids like any other, which become true on acceptance', async () => {
      const headers = { accept: 'application/json' };
      const UUID_7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
      for (const [ip, list] of [
        [BLOCKED, 'blocked-ip-leads'],
        [TESTING, 'testing-leads'],
      ] as const) {
        await emptyLeads(service);
        const answer = (await (await sendForm(service, {}, { ip, headers })).json()) as Record<
          string,
          string
        >;
        assert.deepEqual(Object.keys(answer), [
          'message',
          'redirect_to',
          'lead_public_id',
          'lead_submission_public_id',
        ]);
        assert.match(answer.lead_public_id ?? '', UUID_7);
        assert.match(answer.lead_submission_public_id ?? '', UUID_7);
        assert.notEqual(answer.lead_public_id, answer.lead_submission_public_id);
        assert.equal((await leads(service)).length, 0);
        const { id } = await row(service, 'select id from set_aside_leads');
        const accepted = await service.post(`/analytics/${list}/${id}/accept`, {}, admin);
        assert.equal(accepted.status, 201);
        assert.equal((await leads(service))[0]?.lead_public_id, answer.lead_public_id);
        const [first] = await submissions(service);
        assert.equal(first?.lead_submission_public_id, answer.lead_submission_public_id);
      }
    });

    test('a submission from an IP whitelisted with usage test is a testing lead only', async () => {
      const response = await sendForm(service, {}, { ip: TESTING });
      assert.equal(response.status, 301);
      assert.equal((await leads(service)).length + (await submissions(service)).length, 0);
      const testing = await service.get<{ testing_leads: { ip: string }[]; total: number }>(
        '/analytics/testing-leads',
      );
      assert.equal(testing.total, 1);
      assert.equal(testing.testing_leads[0]?.ip, TESTING);
    });

    test('a submission from a test IP must still pass authentication', async () => {
      assert.equal((await sendForm(service, { siteKey: 'nobody' }, { ip: TESTING })).status, 403);
    });

    test('a test is a use of the integration, too', async () => {
      const made = await service.post('/analytics/integrations', { name: 'tried out' }, admin);
      const { api_key, id } = (await made.json()) as { api_key: string; id: number };
      const lastUse = async () =>
        (await service.get<{ last_used_at: string | null }>(`/analytics/integrations/${id}`)).last_used_at;
      const headers = { 'x-api-key': api_key };
      await sendFromServer(service, {}, { ip: BLOCKED, headers });
      assert.equal(await lastUse(), null);
      await sendFromServer(service, {}, { ip: TESTING, headers });
      assert.notEqual(await lastUse(), null);
    });

    test('X-Forwarded-For from an untrusted peer is ignored', async () => {
      // The peer of these tests is the loopback address, which is trusted; this one says it is not the last hop.
      await assertCaptured(sendForm(service, {}, { ip: `${BLOCKED}, 198.51.100.50` }));
      assert.equal((await leads(service))[0]?.contact_ip, '198.51.100.50');
    });
  });
});

onBothStores('BOT_LEAD_DETECTION', (kind) => {
  const service = useService(kind, {
    env: { ...CAPTURE_ENV, BOT_LEAD_DETECTION: 'true', TRUSTED_PROXIES: 'loopback,203.0.113.250' },
  });
  before(() => setUpSite(service));
  beforeEach(() => emptyLeads(service));
  const blocked = async () =>
    (await service.get<{ blocked_ips: { ip: string; reason: string }[] }>('/analytics/blocked-ips'))
      .blocked_ips;

  test('bot-classified submissions are stored', async () => {
    for (const [sent, headers] of [
      [{ EMAIL: 'hp@x.org', __pg_hp: 'x' }, {}],
      [{ EMAIL: 'ua@x.org' }, { 'user-agent': 'Googlebot/2.1' }],
      [{ EMAIL: '', PHONE: '', __pg_tts: '1' }, {}],
    ] as const) {
      await assertCaptured(
        sendForm(service, { PHONE: '', ...sent }, { headers: { ...headers }, ip: '10.0.0.9' }),
      );
      assert.equal((await leads(service)).at(-1)?.is_bot_lead, 1, JSON.stringify(sent));
    }
    await assertCaptured(sendForm(service, { EMAIL: 'person@x.org', PHONE: '' }));
    assert.equal((await leads(service)).at(-1)?.is_bot_lead, 0);
  });

  test('a honeypot lead gets its IP blocked with reason Honeypot', async () => {
    await assertCaptured(sendForm(service, { __pg_hp: 'x' }, { ip: '203.0.113.5' }));
    assert.partialDeepStrictEqual(await blocked(), [
      { ip: '203.0.113.5', reason: 'Honeypot', referer: SITE_PAGE },
    ]);
    await sendForm(service, { EMAIL: 'again@x.org' }, { ip: '203.0.113.5' });
    assert.equal((await leads(service)).length, 1);
  });

  test('never a whitelisted, private or trusted-proxy address, nor that of a server that names it', async () => {
    await rows(service, 'delete from ip_rules');
    const ip = '203.0.113.90';
    await assertCaptured(sendFromServer(service, { __pg_hp: 'x', CLIENT_IP: ip }, { ip }));
    assert.equal(
      (await service.post('/analytics/whitelisted-ips', { ip: '203.0.113.6' }, admin)).status,
      201,
    );
    for (const ip of ['203.0.113.6', '10.1.2.3', '192.168.1.1', 'fd00::1', '203.0.113.250']) {
      await assertCaptured(sendForm(service, { __pg_hp: 'x' }, { ip }));
    }
    assert.deepEqual(await blocked(), []);
  });
});

onBothStores('LEGACY_LEAD_ROUTES=off', (kind) => {
  const service = useService(kind, { env: { ...CAPTURE_ENV, LEGACY_LEAD_ROUTES: 'off' } });

  test('POST /lead and POST / answer 410, /lead.capture goes on', async () => {
    const origin = 'https://www.example.com';
    for (const path of ['/lead', '/']) {
      const { status, headers } = await sendFromServer(service, {}, { path, headers: { origin } });
      assert.deepEqual([status, headers.get('access-control-allow-origin')], [410, origin]);
    }
    assert.equal((await sendFromServer(service)).status, 301);
    assert.equal((await row(service, 'select count(*) as n from submissions')).n, 1);
  });
});

function leads(service: TestService) {
  return rows(service, 'select * from leads order by lead_id');
}

function submissions(service: TestService) {
  return rows(service, 'select * from submissions order by submission_id');
}

function post(service: TestService, body: string, type: string, headers: Record<string, string> = {}) {
  return fetch(`${service.url}/lead.capture`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': type, 'x-api-key': INTEGRATION_KEY, ...headers },
    body,
  });
}

async function patch(service: TestService, path: string, body: unknown): Promise<void> {
  assert.equal((await call(service, 'PATCH', path, { body })).status, 200);
}

onBothStores('POST /lead.capture while neither store nor log can be written', (kind) => {
  const away = () => Promise.reject(unavailable('The store is away.'));
  const service = useService(kind, {
    overrides: {
      around: {
        store: (store) => ({ ...store, captureLead: away, isSiteOrigin: away }),
        leadLog: (log) => ({ ...log, append: away }),
      },
    },
  });
  before(async () => {
    await setUpSite(service);
    await service.app.senders.refresh();
  });

  test('a page may ask, and read that it has to try again', async () => {
    const origin = 'https://www.example.com';
    const preflight = await fetch(`${service.url}/lead.capture`, { method: 'OPTIONS', headers: { origin } });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), origin);
    const { status, headers } = await sendForm(service, {}, { headers: { origin } });
    assert.equal(status, 503);
    assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal(headers.get('access-control-allow-origin'), origin);
    assert.equal(headers.get('vary'), 'Origin');
  });
});
