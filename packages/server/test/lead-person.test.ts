import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import type { FlowSend } from '@leadtrail/contract/deliveries';
import { call } from '@leadtrail/testing/analytics-calls';
import { anEvent } from '@leadtrail/testing/builders';
import { capture, report } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { row, rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  BROWSER,
  CAPTURE_ENV,
  type Fields,
  SITE_KEY,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { onBothStores, useService } from '@leadtrail/testing/service';
import { sendEvents, startSession } from '@leadtrail/testing/visits';
import type { LeadDetail } from '../src/store/leads/detail.ts';

/*
 * One person, one lead: what strangers, bots and servers can do to the lead of somebody else, and what a lead keeps
 * learning about its own person.
 */

const HOME = '198.51.100.20';
const ELSEWHERE = '203.0.113.66';
const SERVER = '192.0.2.10';
/** The one whose lead it is. */
const ANNA = { FIRSTNAME: 'Anna', EMAIL: 'anna@example.org', PHONE: '', __visitor_id: 'v-anna' };
/** Somebody who knows her e-mail address. */
const STRANGER = { ...ANNA, FIRSTNAME: 'Mallory', PHONE: '98111 22333', __visitor_id: 'v-stranger' };

onBothStores('one person, one lead', (kind) => {
  const clock = aClock();
  const service = useService(kind, {
    env: {
      ...CAPTURE_ENV,
      BOT_LEAD_DETECTION: 'on',
      // Nothing listens there: sends stay pending.
      FLOW_WEBHOOK_URL: 'http://127.0.0.1:9/',
      CRM_CALLBACK_SECRET: 'callback-secret-for-tests',
      CRM_WEBHOOK_SECRET: 'webhook-secret-for-tests',
    },
    overrides: { now: clock.now, visitMsMax: 20_000 },
  });
  before(() => setUpSite(service));
  beforeEach(async () => {
    await emptyLeads(service);
    await rows(service, 'delete from ip_rules');
    clock.advance(60 * 60_000);
  });

  const write = (sent: Fields, ip = HOME) => assertCaptured(sendForm(service, sent, { ip }));
  const leadsNow = async () => {
    await service.settled();
    await service.app.indexing.settled();
    return (await service.get<{ leads: { lead_id: number }[] }>('/analytics/leads')).leads;
  };
  const show = async (id: number | string): Promise<LeadDetail> => service.get(`/analytics/leads/${id}`);
  /** The only lead there is, with everything. */
  async function theLead(): Promise<LeadDetail> {
    const leads = await leadsNow();
    assert.equal(leads.length, 1);
    return show(leads[0]?.lead_id ?? 0);
  }
  const payloads = async () =>
    (await rows<{ body: string }>(service, 'select body from flow_sends order by flow_send_public_id')).map(
      ({ body }) => JSON.parse(body),
    );
  const found = async (q: string) =>
    (await service.get<{ total: number }>(`/analytics/leads?q=${encodeURIComponent(q)}`)).total;

  describe('a bot', () => {
    test('40: in her name comes first: her own enquiry takes the lead over and is forwarded, once', async () => {
      await write({ ...STRANGER, __pg_hp: 'x', USER_MESSAGE: 'Buy pills' }, ELSEWHERE);
      assert.equal((await theLead()).lead.is_bot_lead, 1);
      assert.deepEqual(await payloads(), []);

      await write({ ...ANNA, SOURCE: 'Google', USER_MESSAGE: 'Please call me' });
      const { lead, identities, submissions } = await theLead();
      assert.partialDeepStrictEqual(lead, {
        contact_name: 'Anna',
        contact_phone: '',
        contact_ip: HOME,
        visitor_id: 'v-anna',
        project_source: 'Google',
        message: 'Please call me',
        suspicion_score: 0,
        is_bot_lead: 0,
      });
      assert.deepEqual(
        identities.map(({ kind: each, value, is_primary }) => [each, value, is_primary]),
        [
          ['email', 'anna@example.org', true],
          ['visitor', 'v-anna', true],
        ],
      );
      // In the history the bot's submission stays the first.
      assert.deepEqual(
        submissions.map((each) => [each.contact_name, each.is_primary_lead]),
        [
          ['Anna', 0],
          ['Mallory', 1],
        ],
      );
      const [sent, ...more] = await payloads();
      assert.deepEqual(more, []);
      assert.partialDeepStrictEqual(sent, { first_name: 'Anna', is_follow_up: false, is_bot_lead: false });

      await write(ANNA);
      assert.equal((await payloads()).length, 1);
    });

    test('tells the CRM nothing: what she left empty is empty, and what brought the bot did not bring her', async () => {
      const visitor_id = `v-bot-${kind}-${Date.now()}`;
      const page = 'https://www.example.com/?utm_source=botnet&utm_medium=cpc&utm_campaign=pills';
      await startSession(service, { visitor_id, fingerprint_id: visitor_id, page });
      await service.settled();
      await write({ ...STRANGER, __visitor_id: visitor_id, __pg_hp: 'x', LOCATION: 'Nowhere' }, ELSEWHERE);
      await write({ ...ANNA, FIRSTNAME: '' });
      assert.equal((await theLead()).lead.contact_name, '');
      const [sent, ...more] = await payloads();
      assert.deepEqual(more, []);
      assert.partialDeepStrictEqual(sent, {
        first_name: '',
        phone_mobile: '',
        location: '',
        visitor_id: 'v-anna',
        pages_visited: 0,
        utm_source: '',
        utm_campaign: '',
        first_source: '',
        form_submit_count: 2,
      });
    });

    test('what only bots brought binds nobody: the owner of that phone gets a lead of her own', async () => {
      await write({ ...STRANGER, __pg_hp: 'x' }, ELSEWHERE);
      await write(ANNA);
      await write({
        FIRSTNAME: 'Bea',
        EMAIL: 'bea@example.org',
        PHONE: STRANGER.PHONE,
        __visitor_id: 'v-bea',
      });
      assert.equal((await leadsNow()).length, 2);
      assert.equal((await payloads()).length, 2);
    });

    test('40: in her name comes later: nothing of her lead changes', async () => {
      await write(ANNA);
      const before = await theLead();
      await write({ ...STRANGER, __pg_hp: 'x', USER_MESSAGE: 'Buy pills' }, ELSEWHERE);
      const { lead, identities } = await theLead();
      assert.deepEqual(identities, before.identities);
      assert.partialDeepStrictEqual(lead, {
        contact_phone: '',
        message: before.lead.message,
        visitor_id: 'v-anna',
        suspicion_score: before.lead.suspicion_score,
        is_bot_lead: 0,
        follow_ups_count: 1,
      });
    });

    test('41: relayed by a server does not block the server, and later leads of it are taken', async () => {
      await assertCaptured(sendFromServer(service, { ...STRANGER, __pg_hp: 'x' }, { ip: SERVER }));
      assert.deepEqual(await rows(service, 'select ip from ip_rules'), []);
      await assertCaptured(
        sendFromServer(service, { ...STRANGER, EMAIL: 'm@example.org', __pg_hp: 'x', CLIENT_IP: ELSEWHERE }),
      );
      assert.deepEqual(await rows(service, 'select ip from ip_rules'), [{ ip: ELSEWHERE }]);
      await assertCaptured(sendFromServer(service, ANNA, { ip: SERVER }));
      assert.equal((await payloads()).length, 1);
    });
  });

  describe('a stranger', () => {
    test('fills what is empty and replaces nothing; which submission it was shows', async () => {
      await write(ANNA);
      await write({ ...STRANGER, SOURCE: 'Spam' }, ELSEWHERE);
      const { lead, identities, submissions } = await theLead();
      assert.partialDeepStrictEqual(lead, {
        contact_name: 'Anna',
        contact_phone: STRANGER.PHONE,
        visitor_id: 'v-anna',
        contact_ip: HOME,
        project_source: 'WebSite',
      });
      const phone = identities.find((each) => each.kind === 'phone');
      const [his] = submissions;
      assert.deepEqual([phone?.is_primary, phone?.submission_id], [false, his?.submission_id]);
    });

    test('fills source, page, location and message, too', async () => {
      const empty = { SOURCE: '', PAGE_URL: '', LOCATION: '', USER_MESSAGE: '' };
      const later = {
        SOURCE: 'Portal',
        PAGE_URL: 'https://www.example.com/later',
        LOCATION: 'Pune',
        USER_MESSAGE: 'Please call me',
      };
      const other = {
        SOURCE: 'Other',
        PAGE_URL: `${later.PAGE_URL}/2`,
        LOCATION: 'Goa',
        USER_MESSAGE: 'Again',
      };
      for (const sent of [empty, later, other]) {
        await assertCaptured(sendFromServer(service, { ...ANNA, ...sent }));
      }
      assert.partialDeepStrictEqual((await theLead()).lead, {
        project_source: later.SOURCE,
        referer: later.PAGE_URL,
        project_location: later.LOCATION,
        message: later.USER_MESSAGE,
      });
      const { total } = await service.get<{ total: number }>('/analytics/leads?source=portal');
      assert.equal(total, 1);
    });

    test('does not raise the risk of her lead; her own browser and address do', async () => {
      await write(ANNA);
      await write({ ...STRANGER, __pg_tts: '1' }, ELSEWHERE);
      assert.equal((await theLead()).lead.suspicion_score, 0);
      assert.equal((await theLead()).submissions[0]?.suspicion_score, 40);
      await write({ ...ANNA, __visitor_id: '', __pg_tts: '1' });
      assert.equal((await theLead()).lead.suspicion_score, 40);
    });

    test('cannot have it erased with a visitor id of his own', async () => {
      await write(ANNA);
      await write(STRANGER, ELSEWHERE);
      await startSession(service, { visitor_id: 'v-stranger' });
      await service.settled();
      const body = { visitor_id: 'v-stranger' };
      const dry = await call<{ counts: { leads: number; sessions: number }; leads: unknown[] }>(
        service,
        'POST',
        '/analytics/erase',
        { body: { ...body, dry_run: true } },
      );
      assert.equal(dry.status, 200);
      assert.deepEqual([dry.body.counts.leads, dry.body.counts.sessions, dry.body.leads], [0, 1, []]);
      await call(service, 'POST', '/analytics/erase', { body });
      const { lead, identities, submissions } = await theLead();
      assert.equal(lead.visitor_id, 'v-anna');
      assert.ok(!JSON.stringify([lead, identities, submissions]).includes('v-stranger'));
      assert.equal(await found('v-stranger'), 0);
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('who comes first does not keep her from the CRM: her details are forwarded', async () => {
      await write(STRANGER, ELSEWHERE);
      await write({ ...ANNA, PHONE: '98222 33444' });
      const [, hers] = await payloads();
      assert.partialDeepStrictEqual(hers, {
        first_name: 'Anna',
        phone_mobile: '98222 33444',
        is_follow_up: true,
        is_duplicate: true,
      });
    });
  });

  test('erasing says before what it would erase, and why', async () => {
    await write(ANNA);
    const { lead } = await theLead();
    // Counted with her in the totals, which stay as they are.
    await write(
      { ...ANNA, FIRSTNAME: 'Berta', EMAIL: 'berta@example.org', PHONE: '', __visitor_id: '' },
      ELSEWHERE,
    );
    const asked = { email: 'ANNA@example.org', visitor_id: 'v-anna', dry_run: true };
    const { body } = await call<object>(service, 'POST', '/analytics/erase', { body: asked });
    assert.partialDeepStrictEqual(body, {
      dry_run: true,
      counts: { leads: 1, submissions: 1, flow_sends: 1 },
      leads: [{ lead_id: lead.lead_id, contact_name: 'Anna', because: 'email, visitor_id' }],
    });
    const email = 'ANNA@example.org';
    const asQuery = await call<object>(service, 'POST', '/analytics/erase?dry_run=true', { body: { email } });
    assert.partialDeepStrictEqual(asQuery.body, { dry_run: true, counts: { leads: 1 } });
    const misspelt = await call(service, 'POST', '/analytics/erase', { body: { email, dryRun: true } });
    assert.equal(misspelt.status, 400);
    assert.equal((await leadsNow()).length, 2);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  describe('its figures', () => {
    const score = async () => (await theLead()).lead.engagement_score;
    const readMuch = async (visitor: string) => {
      const { session_id } = await startSession(service, {
        visitor_id: visitor,
        fingerprint_id: `f-${visitor}`,
      });
      await sendEvents(service, session_id, [
        anEvent({ type: 'page_view', page: 'https://example.com/a' }),
        anEvent({ type: 'page_view', page: 'https://example.com/b' }),
        anEvent({ type: 'engaged', data: { ms: 200_000 } }),
        anEvent({ type: 'scroll', data: { depth: 100 } }),
        anEvent({ type: 'form_submit' }),
      ]);
      await service.settled();
      return session_id;
    };

    test('stay when the same person writes from an untracked or hardly used device', async () => {
      const at = Date.now();
      await readMuch(`hot-${kind}-${at}`);
      await write({ ...ANNA, __visitor_id: `hot-${kind}-${at}` });
      const before = await score();
      assert.ok(before >= 60);
      await write({ ...ANNA, __visitor_id: '' });
      assert.equal(await score(), before);
      await startSession(service, { visitor_id: `cold-${kind}-${at}`, fingerprint_id: `fc-${kind}-${at}` });
      await service.settled();
      await write({ ...ANNA, __visitor_id: `cold-${kind}-${at}` });
      const { lead } = await theLead();
      assert.ok(lead.engagement_score >= before);
      assert.deepEqual([lead.pages_visited, lead.return_visits], [4, 1]);
      assert.equal(lead.visitor_id, `hot-${kind}-${at}`);
    });

    test('know a visit that began a moment ago, and so does what is forwarded', async () => {
      const visitor_id = `quick-${kind}-${Date.now()}`;
      const { session_id } = await startSession(service, { visitor_id, fingerprint_id: visitor_id });
      await sendEvents(service, session_id, [anEvent({ type: 'page_view', page: 'https://example.com/a' })]);
      await write({ ...ANNA, __visitor_id: visitor_id });
      const expected = { session_id, pages_visited: 2, engagement_score: 12 };
      const { lead, submissions } = await theLead();
      assert.partialDeepStrictEqual({ ...lead }, expected);
      assert.equal(submissions[0]?.session_id, session_id);
      const send = await row<{ body: string }>(service, 'select body from flow_sends');
      assert.partialDeepStrictEqual(JSON.parse(send.body), expected);
    });

    test('are forwarded with a follow-up, whether or not it brings a visitor', async () => {
      const at = Date.now();
      await readMuch(`known-${kind}-${at}`);
      await write({ ...ANNA, __visitor_id: `known-${kind}-${at}` });
      await write({ ...ANNA, PHONE: '98555 66777', __visitor_id: '' });
      const figuresOf = ({ lead }: LeadDetail) => ({
        engagement_score: lead.engagement_score,
        engagement_label: lead.engagement_label,
        pages_visited: lead.pages_visited,
        session_duration_seconds: lead.session_duration_s,
        return_visits: lead.return_visits,
        vpn_suspected: lead.vpn_suspected,
      });
      const own = figuresOf(await theLead());
      assert.ok(own.engagement_score >= 60);
      assert.partialDeepStrictEqual((await payloads())[1], { ...own, visitor_id: '', is_follow_up: true });

      await readMuch(`other-${kind}-${at}`);
      await write({ ...ANNA, PHONE: '98555 66888', __visitor_id: `other-${kind}-${at}` });
      const [, , forwarded] = await payloads();
      const both = figuresOf(await theLead());
      assert.deepEqual([both.pages_visited, both.return_visits], [6, 1]);
      assert.partialDeepStrictEqual(forwarded, both);
    });

    test('give a lead the session it was sent in, not one that began after it', async () => {
      const visitor_id = `between-${kind}-${Date.now()}`;
      // As if another process had taken the visit: this one knows nothing of it.
      await write({ ...ANNA, __visitor_id: visitor_id });
      const during = await startSession(service, { visitor_id, fingerprint_id: visitor_id });
      clock.advance(60 * 60_000);
      await startSession(service, { visitor_id, fingerprint_id: visitor_id });
      await service.settled();
      const { lead, submissions } = await theLead();
      assert.deepEqual([lead.session_id, submissions[0]?.session_id], [during.session_id, during.session_id]);
    });

    test('take in a session that is processed after the lead, and what it does later', async () => {
      const visitor = `late-${kind}-${Date.now()}`;
      await write({ ...ANNA, __visitor_id: visitor });
      assert.deepEqual([(await theLead()).lead.session_id, (await theLead()).lead.engagement_score], ['', 0]);
      const first = await readMuch(visitor);
      const { lead } = await theLead();
      assert.equal(lead.session_id, first);
      assert.ok(lead.engagement_score >= 60);
      clock.advance(3 * 24 * 60 * 60_000);
      await readMuch(visitor);
      const later = (await theLead()).lead;
      assert.deepEqual([later.return_visits, later.pages_visited, later.session_id], [1, 6, first]);
    });

    test('form_submit_count counts what the person sent for all projects', async () => {
      await write(ANNA);
      await write({ ...ANNA, PROJECT: 'Harbour' });
      await write({ ...ANNA, PROJECT: 'Harbour' });
      const counts = async () => {
        await leadsNow();
        return rows(service, 'select project_name, form_submit_count from leads order by lead_id');
      };
      assert.deepEqual(await counts(), [
        { project_name: 'Riverside', form_submit_count: 3 },
        { project_name: 'Harbour', form_submit_count: 3 },
      ]);
      // Known there by something else: the first lead has no part in what is written now.
      await write({ ...ANNA, PROJECT: 'Harbour', PHONE: '98765 00001' });
      await write({ FIRSTNAME: 'Anna', EMAIL: '', PHONE: '98765 00001', PROJECT: 'Harbour' });
      assert.deepEqual(await counts(), [
        { project_name: 'Riverside', form_submit_count: 5 },
        { project_name: 'Harbour', form_submit_count: 5 },
      ]);
    });
  });

  test('it is found by every identity and every name it used', async () => {
    await write(ANNA);
    await write({ ...ANNA, FIRSTNAME: 'Anna Karenina', EMAIL: 'second@example.org' });
    await write({ ...ANNA, FIRSTNAME: 'A. K.', PHONE: '98333 44555', __visitor_id: 'v-phone' });
    await leadsNow();
    for (const q of ['anna@', 'second@', '98333 44555', '+919833344555', 'v-anna', 'v-phone', 'karenina']) {
      assert.equal(await found(q), 1, q);
    }
  });

  test('it is found by them however much its forms ask besides', async () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
    for (const number of numbers) {
      await write({
        FIRSTNAME: `Anna Nr${number}`,
        EMAIL: `anna${number}@example.org`,
        PHONE: `98333 4455${number}`,
        __visitor_id: 'v-anna',
        wishes: `wish${number} ${'and another '.repeat(160)}`,
      });
      clock.advance(60 * 60_000);
    }
    const assertFound = async () => {
      await leadsNow();
      for (const number of numbers) {
        for (const q of [`nr${number}`, `anna${number}@example.org`, `+919833344 55${number}`]) {
          assert.equal(await found(q), 1, q);
        }
      }
      assert.deepEqual([await found('wish1'), await found('wish8')], [1, 0]);
      assert.deepEqual(await service.app.store.recount(), []);
    };
    await assertFound();
    // Made anew from the submissions.
    const { lead } = await theLead();
    const other = await capture(service, { EMAIL: 'late@example.org', PHONE: '' });
    const merged = await call(service, 'POST', `/analytics/leads/${lead.lead_id}/merge`, {
      body: { lead_id: other.lead_id },
    });
    assert.equal(merged.status, 200);
    await assertFound();
    assert.equal(await found('late@example.org'), 1);
  });

  describe('a server', () => {
    test('speaks for a person: address, geography, velocity and block list are those of CLIENT_IP', async () => {
      const headers = { 'cf-ipcountry': 'US' };
      const sent = { ...ANNA, CLIENT_IP: HOME, CLIENT_USER_AGENT: BROWSER };
      await assertCaptured(sendFromServer(service, sent, { ip: SERVER, headers }));
      const { lead } = await theLead();
      assert.deepEqual([lead.contact_ip, lead.user_agent], [HOME, BROWSER]);
      assert.notEqual(lead.contact_country_name, 'US');

      await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: ELSEWHERE } });
      await assertCaptured(
        sendFromServer(service, { EMAIL: 'b@example.org', CLIENT_IP: ELSEWHERE }, { ip: SERVER }),
      );
      assert.equal((await leadsNow()).length, 1);
    });

    test('many people of one server are not suspicious, however fast they come', async () => {
      for (let i = 0; i < 6; i += 1) {
        const sent = { EMAIL: `person-${i}@example.org`, PHONE: '', CLIENT_IP: `198.51.100.${100 + i}` };
        await assertCaptured(sendFromServer(service, sent, { ip: SERVER }));
        await assertCaptured(
          sendFromServer(service, { EMAIL: `other-${i}@example.org`, PHONE: '' }, { ip: SERVER }),
        );
      }
      const scores = await rows(service, 'select distinct suspicion_score as score from leads');
      assert.deepEqual(scores, [{ score: 0 }]);
    });

    test('an unusable CLIENT_IP is ignored and noted', async () => {
      await assertCaptured(sendFromServer(service, { ...ANNA, CLIENT_IP: 'n/a' }, { ip: SERVER }));
      const { lead } = await theLead();
      assert.deepEqual([lead.contact_ip, lead.suspicion_score], [SERVER, 0]);
      assert.match(lead.suspicion_reasons, /CLIENT_IP/);
    });

    test('no dial code is made up', async () => {
      const sent = { PHONE: '98765 43210', COUNTRYCODE: '' };
      await assertCaptured(sendFromServer(service, sent, { ip: SERVER, headers: { 'cf-ipcountry': 'US' } }));
      await assertCaptured(
        sendForm(service, { ...sent, EMAIL: 'x@example.org' }, { headers: { 'cf-ipcountry': 'IN' } }),
      );
      for (const sentPayload of await payloads()) {
        assert.deepEqual(
          [sentPayload.country_code, sentPayload.phone_with_country_code],
          ['', '98765 43210'],
        );
      }
    });

    test('an invalid key is 401, whatever the body', async () => {
      for (const body of ['{"EMAIL":', '']) {
        const response = await fetch(`${service.url}/lead.capture`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': 'wrong' },
          body,
        });
        assert.equal(response.status, 401);
      }
    });
  });

  describe('second chances', () => {
    const setAside = async (set: 'rejected' | 'testing') =>
      Number((await row(service, `select max(id) as id from set_aside_leads where kind = '${set}'`)).id);

    for (const [set, path] of [
      ['rejected', '/analytics/blocked-ip-leads'],
      ['testing', '/analytics/testing-leads'],
    ] as const) {
      test(`a ${set} lead can be accepted: it is stored as it came, and forwarded`, async () => {
        const body = set === 'rejected' ? { ip: HOME } : { ip: HOME, usage: 'test' };
        const list = set === 'rejected' ? '/analytics/blocked-ips' : '/analytics/whitelisted-ips';
        await call(service, 'POST', list, { body });
        await write(ANNA);
        const id = await setAside(set);
        const sentAt = clock.now();
        clock.advance(24 * 60 * 60_000);
        const accepted = await call<{ lead_id: number; lead_public_id: string; is_primary_lead: number }>(
          service,
          'POST',
          `${path}/${id}/accept`,
          { body: { unblock: true } },
        );
        assert.equal(accepted.status, 201, JSON.stringify(accepted.body));
        const { lead } = await theLead();
        assert.deepEqual(
          [accepted.body.lead_id, accepted.body.lead_public_id, accepted.body.is_primary_lead],
          [lead.lead_id, lead.lead_public_id, 1],
        );
        assert.deepEqual([lead.contact_ip, lead.contact_name, lead.visitor_id], [HOME, 'Anna', 'v-anna']);
        const { created_at } = await row(service, 'select created_at from leads');
        assert.equal(Number(created_at), sentAt);
        assert.equal((await payloads()).length, 1);
        assert.equal((await service.get<{ total: number }>(path)).total, 0);
        const listed = await rows(service, 'select ip from ip_rules');
        assert.equal(listed.length, set === 'rejected' ? 0 : 1);
        assert.equal((await call(service, 'POST', `${path}/${id}/accept`)).status, 409);
        assert.equal((await call(service, 'POST', `${path}/${id + 999}/accept`)).status, 404);
        assert.deepEqual(await service.app.store.recount(), []);
      });
    }

    for (const [source, from] of [
      ['address', (i: number) => [{ EMAIL: `${i}@example.org`, PHONE: '' }, HOME]],
      ['visitor', (i: number) => [{ ...ANNA, EMAIL: `${i}@example.org`, PHONE: '' }, `203.0.113.${i}`]],
    ] as const satisfies [string, (i: number) => [Fields, string]][]) {
      test(`a rejected lead counts no submissions that its ${source} sent after it`, async () => {
        await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: HOME } });
        await write(ANNA);
        const sentAt = clock.now();
        await rows(service, 'delete from ip_rules');
        clock.advance(60 * 60_000);
        for (let i = 1; i <= 4; i += 1) await write(...from(i));
        const path = `/analytics/blocked-ip-leads/${await setAside('rejected')}/accept`;
        assert.equal((await call(service, 'POST', path)).status, 201);
        const { suspicion_reasons } = await row(
          service,
          `select suspicion_reasons from submissions where submitted_at = ${sentAt}`,
        );
        assert.equal(suspicion_reasons, '');
      });
    }

    test('a deleted one is gone, and the marketing key may not accept', async () => {
      await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: HOME } });
      await write(ANNA);
      const id = await setAside('rejected');
      const path = `/analytics/blocked-ip-leads/${id}/accept`;
      assert.equal((await service.post(path, {}, { 'x-api-key': 'wrong' })).status, 401);
      await call(service, 'POST', '/analytics/blocked-ip-leads/bulk-delete', { body: { ids: [id] } });
      assert.equal((await call(service, 'POST', path)).status, 404);
    });

    test('a bot lead is forwarded by hand, and is one of a person from then on', async () => {
      await write({ ...ANNA, __pg_hp: 'x' });
      const { lead } = await theLead();
      const forward = (body?: object) =>
        call<{ flow_send_public_id: string }>(
          service,
          'POST',
          `/analytics/leads/${lead.lead_public_id}/forward`,
          body === undefined ? {} : { body },
        );
      const first = await forward();
      assert.equal(first.status, 202);
      const [sent] = await payloads();
      assert.partialDeepStrictEqual(sent, {
        flow_send_public_id: first.body.flow_send_public_id,
        lead_id: lead.lead_id,
        first_name: 'Anna',
        is_bot_lead: false,
        is_follow_up: false,
      });
      assert.equal((await theLead()).lead.is_bot_lead, 0);
      assert.equal((await forward()).status, 409);
      assert.equal((await forward({ again: true })).status, 202);
      await write({ ...ANNA, __visitor_id: 'v-other' });
      assert.equal((await payloads()).length, 2);
      const unknown = await call(service, 'POST', '/analytics/leads/999999/forward');
      assert.equal(unknown.status, 404);
    });

    test('all failed sends go again', async () => {
      await write(ANNA);
      await write({ ...ANNA, EMAIL: 'b@example.org', __visitor_id: 'v-b' });
      await service.app.forwarding.settled();
      await rows(service, "update flow_sends set status = 'failed', next_attempt_at = null");
      const again = (body: object) =>
        call<{ resent: number }>(service, 'POST', '/analytics/flow-sends/resend-failed', { body });
      assert.deepEqual((await again({ since: '2999-01-01' })).body, { resent: 0 });
      const all = await again({});
      assert.deepEqual([all.status, all.body], [202, { resent: 2 }]);
      const { flow_sends } = await service.get<{ flow_sends: FlowSend[] }>('/analytics/flow-sends');
      assert.ok(flow_sends.every(({ status }) => status === 'pending'));
      assert.equal((await again({ since: 'yesterday' })).status, 400);
    });

    test('of the failed sends those of some sites and of a time go again', async () => {
      const DAY_MS = 24 * 60 * 60_000;
      const day = () => new Date(clock.now()).toISOString().slice(0, 10);
      await write(ANNA);
      const first = day();
      clock.advance(2 * DAY_MS);
      await write({ ...ANNA, EMAIL: 'b@example.org', __visitor_id: 'v-b' });
      await write({ ...ANNA, EMAIL: 'c@example.org', __visitor_id: 'v-c' });
      await service.app.forwarding.settled();
      await rows(service, "update leads set site_key = 'other' where contact_email = 'c@example.org'");
      const again = async (body: object) => {
        await service.app.forwarding.settled();
        await rows(service, "update flow_sends set status = 'failed', next_attempt_at = null");
        const { status, body: answer } = await call<{ resent: number }>(
          service,
          'POST',
          '/analytics/flow-sends/resend-failed',
          { body },
        );
        if (status !== 202) return status;
        const { flow_sends } = await service.get<{ flow_sends: FlowSend[] }>(
          '/analytics/flow-sends?status=pending',
        );
        assert.equal(flow_sends.length, answer.resent);
        return flow_sends.map(({ contact_email }) => contact_email).toSorted();
      };
      const [anna, b, c] = [ANNA.EMAIL, 'b@example.org', 'c@example.org'];
      assert.deepEqual(await again({ until: first }), [anna]);
      assert.deepEqual(await again({ since: day() }), [b, c]);
      assert.deepEqual(await again({ sites: [SITE_KEY] }), [anna, b]);
      assert.deepEqual(await again({ sites: [SITE_KEY], since: day() }), [b]);
      assert.deepEqual(await again({ sites: ['other', 'unknown'], until: day() }), [c]);
      assert.deepEqual(await again({ sites: ['unknown'] }), []);
      assert.deepEqual(await again({}), [anna, b, c]);
      // A misspelt field would make it wider than meant.
      assert.equal(await again({ site: [SITE_KEY] }), 400);
      assert.equal(await again({ sites: [] }), 400);
      assert.equal(await again({ sites: SITE_KEY }), 400);
      assert.equal(await again({ until: 'tomorrow' }), 400);
    });
  });

  describe('merging', () => {
    /** Two leads that turn out to be one person: by e-mail address, and by phone. */
    async function twoLeads() {
      const byEmail = await capture(service, { EMAIL: 'anna@example.org', PHONE: '', FIRSTNAME: 'Anna' });
      clock.advance(1000);
      const byPhone = await capture(service, {
        EMAIL: '',
        PHONE: '98444 55666',
        FIRSTNAME: 'A. Karenina',
        __visitor_id: 'v-phone',
      });
      return { byEmail, byPhone };
    }
    const merge = (id: number | string, lead_id: number | string, how = 'merge') =>
      call<{ lead_id: number; error: string }>(service, 'POST', `/analytics/leads/${id}/${how}`, {
        body: { lead_id },
      });

    test('a submission with the details of both shows that they may be one', async () => {
      const { byEmail, byPhone } = await twoLeads();
      await capture(service, { EMAIL: 'anna@example.org', PHONE: '98444 55666' });
      for (const [one, other] of [
        [byEmail, byPhone],
        [byPhone, byEmail],
      ] as const) {
        const { possible_duplicates } = await show(one.lead_id);
        assert.deepEqual(
          possible_duplicates.map((each) => [each.lead_id, each.kind, each.value]),
          [[other.lead_id, 'phone', '+919844455666']],
        );
      }
    });

    test('what may be one with a merged lead may be one with its survivor', async () => {
      const { byEmail, byPhone } = await twoLeads();
      const other = await capture(service, { EMAIL: 'other@example.org', PHONE: '' });
      await capture(service, { EMAIL: 'anna@example.org', PHONE: '98444 55666' });
      assert.equal((await merge(other.lead_id, byEmail.lead_id)).status, 200);
      for (const [one, duplicate] of [
        [other, byPhone],
        [byPhone, other],
      ] as const) {
        const { possible_duplicates } = await show(one.lead_id);
        assert.deepEqual(
          possible_duplicates.map((each) => [each.lead_id, each.kind]),
          [[duplicate.lead_id, 'phone']],
        );
      }
    });

    test('makes one of two, and unmerging two of one again', async () => {
      const { byEmail, byPhone } = await twoLeads();
      await call(service, 'PATCH', `/analytics/leads/${byPhone.lead_id}`, { body: { status: 'qualified' } });
      await report(service, '/lead.capture/crm-callback', { lead_id: byPhone.lead_id, crm_lead_id: 'crm-p' });
      const before = [await show(byEmail.lead_id), await show(byPhone.lead_id)];

      clock.advance(1000);
      const merged = await merge(byEmail.lead_id, byPhone.lead_public_id);
      assert.deepEqual([merged.status, merged.body], [200, { merged: true, lead_id: byEmail.lead_id }]);
      const one = await theLead();
      assert.partialDeepStrictEqual(one.lead, {
        lead_id: byEmail.lead_id,
        contact_name: 'Anna',
        status: 'qualified',
        follow_ups_count: 1,
        crm_lead_id: 'crm-p',
      });
      assert.deepEqual(
        one.submissions.map((each) => each.is_primary_lead),
        [0, 1],
      );
      assert.equal(one.flow_sends.length, 2);
      assert.deepEqual(
        one.merged.map((each) => [each.lead_id, each.contact_name]),
        [[byPhone.lead_id, 'A. Karenina']],
      );
      assert.deepEqual(
        one.history.map(({ from, to, by }) => [from, to, by]),
        [
          ['new', 'qualified', 'merge'],
          ['new', 'qualified', 'admin'],
        ],
      );
      for (const id of [byPhone.lead_id, byPhone.lead_public_id]) {
        assert.equal((await show(id)).lead.lead_id, byEmail.lead_id);
      }
      await call(service, 'PATCH', `/analytics/leads/${byPhone.lead_public_id}`, { body: { status: 'won' } });
      assert.equal((await theLead()).lead.status, 'won');
      await leadsNow();
      assert.equal(await found('karenina'), 1);
      assert.deepEqual(await service.app.store.recount(), []);

      const event = { crm_lead_id: 'crm-p', event_type: 'updated', note: 'called' };
      const told = await service.post('/webhooks/crm/lead', event, {
        'x-api-key': 'webhook-secret-for-tests',
      });
      assert.equal(told.status, 200);
      assert.equal((await theLead()).crm_activity.length, 1);
      const callback = { lead_public_id: byPhone.lead_public_id, crm_lead_id: 'crm-q' };
      const answer = await report<{ lead_id: number }>(service, '/lead.capture/crm-callback', callback);
      assert.equal(answer.body.lead_id, byEmail.lead_id);

      // A follow-up by phone belongs to the survivor.
      await capture(service, { EMAIL: '', PHONE: '98444 55666' });
      assert.equal((await theLead()).lead.follow_ups_count, 2);

      const apart = await merge(byEmail.lead_id, byPhone.lead_id, 'unmerge');
      assert.deepEqual([apart.status, apart.body], [200, { unmerged: true, lead_id: byPhone.lead_id }]);
      assert.equal((await leadsNow()).length, 2);
      const after = [await show(byEmail.lead_id), await show(byPhone.lead_id)];
      assert.deepEqual(
        after.map(({ lead, identities }) => [lead.contact_name, lead.contact_email, identities]),
        before.map(({ lead, identities }) => [lead.contact_name, lead.contact_email, identities]),
      );
      // A stage that was chosen after the merge stays, and so does the follow-up.
      assert.deepEqual(
        after.map(({ lead }) => [lead.status, lead.follow_ups_count]),
        [
          ['won', 1],
          ['qualified', 0],
        ],
      );
      assert.deepEqual(
        after.map(({ merged: each }) => each),
        [[], []],
      );
      assert.deepEqual(await service.app.store.recount(), []);
      assert.equal(await found('karenina'), 1);
    });

    test('of the two first enquiries the older one shows, whichever lead stays', async () => {
      const { byEmail, byPhone } = await twoLeads();
      await merge(byPhone.lead_id, byEmail.lead_id);
      const { lead, submissions } = await theLead();
      assert.deepEqual([lead.lead_id, lead.contact_name], [byPhone.lead_id, 'Anna']);
      assert.deepEqual(
        submissions.map((each) => each.is_primary_lead),
        [0, 1],
      );
      await merge(byPhone.lead_id, byEmail.lead_id, 'unmerge');
      assert.equal((await show(byPhone.lead_id)).lead.contact_name, 'A. Karenina');
      assert.equal((await show(byEmail.lead_id)).lead.contact_name, 'Anna');
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('a lead that was merged twice over comes out with its own first enquiry', async () => {
      const oldest = await capture(service, { FIRSTNAME: 'Oldest', EMAIL: 'a@example.org', PHONE: '' });
      const inner = await capture(service, {
        ...{ FIRSTNAME: 'Inner', EMAIL: 'b@example.org', PHONE: '', __visitor_id: 'inner-visitor' },
      });
      const outer = await capture(service, { FIRSTNAME: 'Outer', EMAIL: 'c@example.org', PHONE: '' });
      await merge(outer.lead_id, inner.lead_id);
      await merge(oldest.lead_id, outer.lead_id);
      await merge(oldest.lead_id, inner.lead_id, 'unmerge');
      const primaries = async (id: number) =>
        (await show(id)).submissions.filter((each) => each.is_primary_lead === 1).length;
      assert.deepEqual([await primaries(oldest.lead_id), await primaries(inner.lead_id)], [1, 1]);
      const erased = await call(service, 'POST', '/analytics/erase', {
        body: { visitor_id: 'inner-visitor' },
      });
      assert.equal(erased.status, 200);
      assert.equal((await call(service, 'GET', `/analytics/leads/${inner.lead_id}`)).status, 404);
      assert.equal(await primaries(oldest.lead_id), 1);
    });

    test("what a person sent to a lead that was a bot's goes out with the person", async () => {
      await write({ ...STRANGER, EMAIL: 'bot@example.org', __pg_hp: 'x' }, ELSEWHERE);
      await write(ANNA);
      const [anna, bot] = await leadsNow();
      assert.ok(anna !== undefined && bot !== undefined);
      await merge(bot.lead_id, anna.lead_id);
      await write({ ...ANNA, PHONE: '98444 55666', USER_MESSAGE: 'Again' });
      await merge(bot.lead_id, anna.lead_id, 'unmerge');
      const apart = [await show(bot.lead_id), await show(anna.lead_id)];
      assert.deepEqual(
        apart.map(({ lead, submissions, flow_sends }) => [
          lead.is_bot_lead,
          submissions.length,
          flow_sends.length,
        ]),
        [
          [1, 1, 0],
          [0, 2, 2],
        ],
      );
      await write({ FIRSTNAME: 'Anna', EMAIL: '', PHONE: '98444 55666' });
      assert.equal((await show(anna.lead_id)).submissions.length, 3);
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('is refused with the reason', async () => {
      const { byEmail, byPhone } = await twoLeads();
      const elsewhere = await capture(service, { PROJECT: 'Harbour' });
      const itself = await merge(byEmail.lead_id, byEmail.lead_public_id);
      assert.equal(itself.status, 400);
      assert.match(itself.body.error, /itself/);
      const across = await merge(byEmail.lead_id, elsewhere.lead_id);
      assert.equal(across.status, 400);
      assert.match(across.body.error, /different projects/);
      assert.equal((await merge(byEmail.lead_id, 999_999)).status, 404);
      assert.equal((await merge(999_999, byEmail.lead_id)).status, 404);
      assert.equal((await merge(byEmail.lead_id, 'no id')).status, 400);
      assert.equal((await merge(byEmail.lead_id, byPhone.lead_id, 'unmerge')).status, 404);
    });

    test('an erased lead cannot come back', async () => {
      const { byEmail, byPhone } = await twoLeads();
      await merge(byEmail.lead_id, byPhone.lead_id);
      await call(service, 'POST', '/analytics/erase', { body: { email: 'anna@example.org' } });
      assert.equal((await merge(byEmail.lead_id, byPhone.lead_id, 'unmerge')).status, 404);
      assert.deepEqual(await rows(service, 'select merged_lead_id from lead_merges'), []);
    });
  });

  describe('follow-ups reach the CRM', () => {
    const setTo = (flow_send_follow_ups: string) =>
      call(service, 'PATCH', '/analytics/settings', { body: { flow_send_follow_ups } });
    const followUps = [
      ANNA,
      { ...ANNA, PHONE: '98555 66777' },
      { ...ANNA, FIRSTNAME: '', PHONE: '98555 66777' },
    ];

    for (const [setting, names] of [
      ['never', ['Anna']],
      ['new_details', ['Anna', 'Anna']],
      ['always', ['Anna', 'Anna', 'Anna', 'Anna']],
    ] as const) {
      test(setting, async (t) => {
        await setTo(setting);
        t.after(() => setTo('new_details'));
        await write(ANNA);
        for (const sent of followUps) await write(sent);
        const sent = await payloads();
        assert.deepEqual(
          sent.map((each) => each.first_name),
          names,
        );
        assert.ok(sent.slice(1).every((each) => each.is_follow_up && each.is_duplicate));
        assert.equal(new Set(sent.map((each) => each.lead_public_id)).size, 1);
      });
    }
  });

  test('Straße and STRASSE are one project', async () => {
    await write({ ...ANNA, PROJECT: 'Neue Straße' });
    await write({ ...ANNA, PROJECT: 'NEUE STRASSE' });
    assert.equal((await leadsNow()).length, 1);
  });

  test('a follow-up without a name is shown with that of the lead', async () => {
    await write(ANNA);
    await write({ ...ANNA, FIRSTNAME: '' });
    assert.deepEqual(
      (await theLead()).submissions.map((each) => each.contact_name),
      ['Anna', 'Anna'],
    );
    const recent = await service.get<{ contact_name: string }[]>('/analytics/leads/recent-submissions');
    const { submissions } = await service.get<{ submissions: { contact_name: string }[] }>(
      '/analytics/leads/submissions?period=range',
    );
    for (const listed of [recent, submissions]) {
      assert.deepEqual(
        listed.map((each) => each.contact_name),
        ['Anna', 'Anna'],
      );
    }
  });
});
