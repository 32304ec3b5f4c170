import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  CAPTURE_ENV,
  type Fields,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { onBothStores, useService } from '@leadtrail/testing/service';
import { until } from '@leadtrail/testing/torture/service-process';
import { type AppError, unavailable } from '../src/lib/errors.ts';
import type { Capture } from '../src/store/leads/submission.ts';

/** The service with a real store that can be taken away from leads, and a log that can be full. */

type Submission = { contact_email: string; lead_id: number; is_primary_lead: number };

onBothStores('leads while the store is away', (kind) => {
  const away = () => Promise.reject(unavailable('The store is away.'));
  const faults = { isAway: false, isAwayForLogged: false, isLogFull: false, losesAnswers: false };
  /** The e-mail addresses of logged leads, as the store got to them. */
  let begun: string[] = [];
  const service = useService(kind, {
    env: { ...CAPTURE_ENV, BOT_LEAD_DETECTION: 'on' },
    overrides: {
      around: {
        store: (store) => ({
          ...store,
          async captureLead(capture: Capture) {
            if (faults.isAway || (faults.isAwayForLogged && capture.isLogged)) return away();
            if (capture.isLogged) begun.push(capture.enquiry.form.email);
            const outcome = await store.captureLead(capture);
            return faults.losesAnswers && !capture.isLogged ? away() : outcome;
          },
        }),
        leadLog: (log) => ({ ...log, append: (line) => (faults.isLogFull ? away() : log.append(line)) }),
      },
    },
  });
  before(async () => {
    await setUpSite(service);
    const blocked = await call(service, 'POST', '/analytics/blocked-ips', {
      body: { ip: '203.0.113.64/28' },
    });
    assert.equal(blocked.status, 201);
    await service.app.senders.refresh();
  });
  beforeEach(async () => {
    Object.assign(faults, { isAway: false, isAwayForLogged: false, isLogFull: false, losesAnswers: false });
    await service.settled();
    await emptyLeads(service);
    await rows(service, "delete from ip_rules where reason = 'Honeypot'");
    begun = [];
  });

  const submissions = () =>
    rows<Submission>(
      service,
      `select s.contact_email, s.lead_id, s.is_primary_lead from submissions s order by s.submission_id`,
    );

  test('are answered as ever: a redirect, JSON for scripts, and refusals', async () => {
    faults.isAway = true;
    const redirected = await sendForm(service, { EMAIL: 'page@example.org' });
    assert.equal(redirected.status, 301);
    const asked = await sendFromServer(
      service,
      { EMAIL: 'script@example.org' },
      { headers: { accept: 'application/json' } },
    );
    assert.equal(asked.status, 200);
    const { message, lead_submission_public_id } = (await asked.json()) as Record<string, string>;
    assert.equal(message, 'All set!');

    assert.equal((await sendForm(service, { siteKey: 'unknown' })).status, 403);
    for (const formId of ['unknown', 'constructor', '__proto__'])
      assert.equal((await sendForm(service, { formId })).status, 403, formId);
    assert.equal((await sendFromServer(service, {}, { headers: { 'x-api-key': 'wrong' } })).status, 401);
    assert.deepEqual(await submissions(), []);

    faults.isAway = false;
    await service.settled();
    const stored = await submissions();
    assert.deepEqual(stored.map(({ contact_email }) => contact_email).toSorted(), [
      'page@example.org',
      'script@example.org',
    ]);
    const found = await rows(
      service,
      `select 1 as found from submissions where lead_submission_public_id = '${lead_submission_public_id}'`,
    );
    assert.equal(found.length, 1);
  });

  test('of one person are stored in order, as one lead and its follow-ups, and later ones queue behind', async () => {
    faults.isAway = true;
    for (const SOURCE of ['one', 'two', 'three'])
      await assertCaptured(sendForm(service, { EMAIL: 'ada@example.org', SOURCE }));
    await assertCaptured(sendForm(service, { EMAIL: 'bob@example.org', PHONE: '98765 00000' }));
    faults.isAway = false;
    await assertCaptured(sendForm(service, { EMAIL: 'ada@example.org', SOURCE: 'four' }));
    await service.settled();

    const sources = await rows<{ source: string; is_primary_lead: number }>(
      service,
      `select source, is_primary_lead from submissions where contact_email = 'ada@example.org'
      order by submission_id`,
    );
    assert.deepEqual(
      sources.map(({ source }) => source),
      ['one', 'two', 'three', 'four'],
    );
    assert.deepEqual(
      sources.map(({ is_primary_lead }) => is_primary_lead),
      [1, 0, 0, 0],
    );
    assert.equal((await rows(service, 'select lead_id from leads')).length, 2);
  });

  test('of many people are stored in the order in which they came', async () => {
    faults.isAway = true;
    const emails = Array.from({ length: 20 }, (_, i) => `person-${i % 17}@example.org`);
    for (const [i, EMAIL] of emails.entries())
      await assertCaptured(sendForm(service, { EMAIL, PHONE: '', PROJECT: `Project ${i}` }));
    faults.isAway = false;
    await service.settled();
    assert.deepEqual(begun, emails);
    if (kind === 'sqlite') {
      const leads = await rows<{ project_name: string }>(
        service,
        'select project_name from leads order by lead_id',
      );
      assert.deepEqual(
        leads.map(({ project_name }) => project_name),
        emails.map((_, i) => `Project ${i}`),
      );
    }
  });

  test('stay leads when a bot has their address blocked before they are stored, and later ones do not', async () => {
    const ip = '198.51.100.78';
    faults.isAway = true;
    await assertCaptured(sendForm(service, { EMAIL: 'person@example.org', PHONE: '' }, { ip }));
    Object.assign(faults, { isAway: false, isAwayForLogged: true, isLogFull: true });
    await assertCaptured(
      sendForm(service, { EMAIL: 'bot@example.org', PHONE: '', __pg_hp: 'filled' }, { ip }),
    );
    faults.isLogFull = false;
    await assertCaptured(sendForm(service, { EMAIL: 'later@example.org', PHONE: '' }, { ip }));
    faults.isAwayForLogged = false;
    await service.settled();
    const stored = await rows(service, 'select contact_email, is_bot_lead from leads order by lead_id');
    assert.deepEqual(
      stored.map((lead) => [lead.contact_email, Number(lead.is_bot_lead)]),
      [
        ['bot@example.org', 1],
        ['person@example.org', 0],
      ],
    );
    const aside = await rows(service, 'select contact_email from set_aside_leads');
    assert.deepEqual(
      aside.map(({ contact_email }) => contact_email),
      ['later@example.org'],
    );
  });

  test('from a blocked range are set aside, once', async () => {
    faults.isAway = true;
    await assertCaptured(sendForm(service, {}, { ip: '203.0.113.66' }));
    faults.isAway = false;
    await service.settled();
    assert.equal((await rows(service, 'select id from set_aside_leads')).length, 1);
    assert.deepEqual(await submissions(), []);
  });

  test('whose commit went through without an answer are stored once, set-aside ones too', async () => {
    faults.losesAnswers = true;
    await assertCaptured(sendForm(service, { EMAIL: 'once@example.org' }));
    await assertCaptured(sendForm(service, {}, { ip: '203.0.113.66' }));
    await service.settled();
    assert.equal((await submissions()).length, 1);
    assert.equal((await rows(service, 'select id from set_aside_leads')).length, 1);
  });

  test('whose commit went through without an answer and blocked its address are not set aside as well', async () => {
    faults.losesAnswers = true;
    await assertCaptured(sendForm(service, { __pg_hp: 'filled' }, { ip: '198.51.100.77' }));
    await service.settled();
    assert.equal((await submissions()).length, 1);
    assert.deepEqual(await rows(service, 'select id from set_aside_leads'), []);
    assert.equal(
      (await rows(service, "select 1 as found from ip_rules where reason = 'Honeypot'")).length,
      1,
    );
  });

  test('of servers with an idempotency key get the same answer again, and 422 for another body', async () => {
    const send = async (key: string, sent: Fields = {}) => {
      const headers = { accept: 'application/json', 'idempotency-key': key };
      const response = await sendFromServer(service, sent, { headers });
      const { lead_submission_public_id } = (await response.json()) as Record<string, unknown>;
      return { status: response.status, id: lead_submission_public_id };
    };
    const before = await send('before');
    faults.isAway = true;
    assert.deepEqual(await send('before'), before);
    assert.equal((await send('before', { EMAIL: 'other@example.org' })).status, 422);
    const [first, ...again] = await Promise.all([1, 2, 3].map(() => send('while')));
    assert.equal(first?.status, 200);
    assert.deepEqual(again, [first, first]);
    assert.equal((await send('while', { EMAIL: 'other@example.org' })).status, 422);
    faults.isAway = false;
    await service.settled();
    assert.deepEqual(await send('while'), first);
    assert.equal((await submissions()).length, 2);
  });

  test('answered 503 are not stored, and one answered otherwise is', async () => {
    faults.isAway = true;
    faults.isLogFull = true;
    const refused = await sendForm(service, { EMAIL: 'refused@example.org' });
    assert.equal(refused.status, 503);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    faults.isLogFull = false;
    await assertCaptured(sendForm(service, { EMAIL: 'taken@example.org' }));
    faults.isAway = false;
    await service.settled();
    const stored = await submissions();
    assert.deepEqual(
      stored.map(({ contact_email }) => contact_email),
      ['taken@example.org'],
    );
  });

  test('are taken although their form was deleted before the store was back', async () => {
    faults.isAway = true;
    const site = await call<{ id: number }>(service, 'POST', '/analytics/sites', {
      body: { site_key: 'site-2', name: 'Second', domains: ['example.com'] },
    });
    await call(service, 'POST', '/analytics/forms', {
      body: { site_key: 'site-2', form_id: 'form-2', name: 'Second' },
    });
    await service.app.senders.refresh();
    await assertCaptured(sendForm(service, { siteKey: 'site-2', formId: 'form-2' }));
    await call(service, 'DELETE', `/analytics/sites/${site.body.id}`);
    faults.isAway = false;
    await service.settled();
    assert.equal((await submissions()).length, 1);
  });

  test('that come too late for their sender are not stored by the first attempt', async () => {
    const late = { deadline: Date.now() - 1, enquiry: {} } as Capture;
    await assert.rejects(
      service.app.store.captureLead(late),
      (error: AppError) => error.code === 'unavailable',
    );
  });

  test('are counted while they wait', async () => {
    faults.isAway = true;
    await assertCaptured(sendForm(service));
    const metrics = await fetch(`${service.url}/metrics`, {
      headers: { 'x-api-key': 'admin-key-for-tests' },
    });
    assert.match(await metrics.text(), /^leadtrail_logged_leads 1$/m);
    faults.isAway = false;
    await until('The lead', async () => (await submissions()).length === 1);
  });
});
