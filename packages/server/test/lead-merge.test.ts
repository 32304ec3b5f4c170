import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import { call } from '@leadtrail/testing/analytics-calls';
import { anEvent } from '@leadtrail/testing/builders';
import {
  CALLBACK_SECRET,
  CRM_WEBHOOK,
  capture,
  report,
  tellCrmId,
  WEBHOOK_SECRET,
} from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
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
import { sendEvents, startSession } from '@leadtrail/testing/visits';
import type { LeadDetail } from '../src/store/leads/detail.ts';

/** A merged lead shows what it would show if the newer enquiry had been a follow-up of the older one. */

const BARE = { FIRSTNAME: '', EMAIL: 'bare@example.org', PHONE: '', LOCATION: '', SOURCE: '', PAGE_URL: '' };
const FULL = {
  FIRSTNAME: 'Yan',
  EMAIL: 'full@example.org',
  PHONE: '+4930765432',
  LOCATION: 'Berlin',
  SOURCE: 'Google',
  PAGE_URL: 'https://www.example.com/full',
  USER_MESSAGE: 'Please call me',
  __visitor_id: 'v-full',
};
/** What the full one says, but for the e-mail address. */
const FILLED = {
  contact_name: 'Yan',
  contact_phone: '+4930765432',
  project_location: 'Berlin',
  project_source: 'Google',
  referer: 'https://www.example.com/full',
  message: 'Please call me',
  visitor_id: 'v-full',
};

onBothStores('a merged lead', (kind) => {
  const clock = aClock();
  const service = useService(kind, {
    env: {
      ...CAPTURE_ENV,
      BOT_LEAD_DETECTION: 'on',
      CRM_CALLBACK_SECRET: CALLBACK_SECRET,
      CRM_WEBHOOK_SECRET: WEBHOOK_SECRET,
    },
    overrides: { now: clock.now },
  });
  before(() => setUpSite(service));
  beforeEach(async () => {
    await emptyLeads(service);
    await rows(service, 'delete from ip_rules');
    clock.advance(60 * 60_000);
  });

  const aLead = async (sent: Fields) => {
    clock.advance(60_000);
    return (await capture(service, sent)).lead_id;
  };
  const aBot = async (sent: Fields) => {
    clock.advance(60_000);
    await assertCaptured(sendForm(service, { ...sent, __pg_hp: 'x' }, { ip: '203.0.113.66' }));
    const [bot] = await rows<{ lead_id: number }>(service, 'select max(lead_id) as lead_id from leads');
    return Number(bot?.lead_id);
  };
  const send = async (how: 'merge' | 'unmerge', id: number, lead_id: number) => {
    const { status } = await call(service, 'POST', `/analytics/leads/${id}/${how}`, { body: { lead_id } });
    assert.equal(status, 200);
  };
  const show = (id: number) => service.get<LeadDetail>(`/analytics/leads/${id}`);
  const listed = async () => (await service.get<{ leads: LeadItem[] }>('/analytics/leads')).leads;
  /** Without when it was changed and looked at. */
  const rowOf = async (id: number) => {
    await service.settled();
    await service.app.indexing.settled();
    const [lead] = await rows(service, `select * from leads where lead_id = ${id}`);
    const { updated_at, seen_at, last_viewed_at, needs_review, ...rest } = lead ?? {};
    return rest;
  };

  describe('is filled by the newer enquiry', () => {
    test('whichever lead stays, and taking them apart gives each back what it had', async () => {
      const [bare, full] = [await aLead(BARE), await aLead(FULL)];
      const had = [await rowOf(bare), await rowOf(full)];
      for (const [survivor, going] of [
        [bare, full],
        [full, bare],
      ] as const) {
        await send('merge', survivor, going);
        const { lead } = await show(survivor);
        assert.partialDeepStrictEqual(lead, { ...FILLED, contact_email: BARE.EMAIL });
        await send('unmerge', survivor, going);
        assert.deepEqual([await rowOf(bare), await rowOf(full)], had);
      }
    });

    test('as by the same enquiry sent as a follow-up', async () => {
      const [bare, full] = [await aLead(BARE), await aLead(FULL)];
      await send('merge', bare, full);
      const followed = await aLead({ ...BARE, PROJECT: 'Harbour' });
      await aLead({ ...FULL, EMAIL: BARE.EMAIL, PROJECT: 'Harbour' });
      const shown = async (id: number) => {
        const { lead_id, lead_public_id, project_key, project_name, related_projects, ...rest } =
          await rowOf(id);
        const { created_at, last_follow_up_at, search_text, form_submit_count, ...lead } = rest;
        return lead;
      };
      assert.deepEqual(await shown(bare), await shown(followed));
    });

    test('but nothing is replaced', async () => {
      const [older, newer] = [
        await aLead(FULL),
        await aLead({ ...FULL, EMAIL: 'b@example.org', PHONE: '+4930111111', __visitor_id: 'v-b' }),
      ];
      const had = await rowOf(older);
      await send('merge', newer, older);
      const { contact_email, contact_phone } = (await show(newer)).lead;
      assert.deepEqual([contact_email, contact_phone], [had.contact_email, had.contact_phone]);
    });

    test('but not by that of a bot', async () => {
      const [bare, bot] = [await aLead(BARE), await aBot(FULL)];
      await send('merge', bare, bot);
      const { contact_name, contact_phone, message } = (await show(bare)).lead;
      assert.deepEqual([contact_name, contact_phone, message], ['', '', '']);
    });
  });

  describe('is worth', () => {
    const value = (id: number, worth: number | null) =>
      call(service, 'PATCH', `/analytics/leads/${id}`, { body: { value: worth } });
    const worthOf = async (id: number) => (await show(id)).lead.value;

    test('what the lead that went was worth, and taking them apart gives it back', async () => {
      const [bare, full] = [await aLead(BARE), await aLead(FULL)];
      await value(full, 250_000.5);
      const had = [await rowOf(bare), await rowOf(full)];
      await send('merge', bare, full);
      assert.equal(await worthOf(bare), 250_000.5);
      await send('unmerge', bare, full);
      assert.deepEqual([await rowOf(bare), await rowOf(full)], had);
    });

    test('what it was worth itself, where both were', async () => {
      const [bare, full] = [await aLead(BARE), await aLead(FULL)];
      await value(bare, 0);
      await value(full, 1000);
      await send('merge', bare, full);
      assert.equal(await worthOf(bare), 0);
      await send('unmerge', bare, full);
      assert.deepEqual([await worthOf(bare), await worthOf(full)], [0, 1000]);
    });

    test('what somebody has said since, also once they are taken apart', async () => {
      const [bare, full] = [await aLead(BARE), await aLead(FULL)];
      await value(full, 1000);
      await send('merge', bare, full);
      await value(bare, 2000);
      await send('unmerge', bare, full);
      assert.deepEqual([await worthOf(bare), await worthOf(full)], [2000, 1000]);
    });

    test('what the other one brings where one of two is taken out', async () => {
      const [bare, full] = [await aLead(BARE), await aLead(FULL)];
      const third = await aLead({ ...BARE, EMAIL: 'third@example.org' });
      await value(full, 1000);
      await value(third, 3000);
      await send('merge', bare, full);
      await send('merge', bare, third);
      assert.equal(await worthOf(bare), 1000);
      await send('unmerge', bare, full);
      assert.deepEqual([await worthOf(bare), await worthOf(full)], [3000, 1000]);
      await send('unmerge', bare, third);
      assert.deepEqual([await worthOf(bare), await worthOf(third)], [null, 3000]);
    });
  });

  describe('whose CRM id comes after the merge', () => {
    const aCapture = (EMAIL: string) => capture(service, { ...BARE, EMAIL });
    const crmIdOf = async (id: number) => (await show(id)).lead.crm_lead_id;
    let events = 0;
    /** The lead that an event of this CRM id is stored with. */
    const leadOf = async (crm_lead_id: string) => {
      events += 1;
      const event = { crm_lead_id, event_id: `e-${events}` };
      const { body } = await report<{ lead_id?: number }>(service, CRM_WEBHOOK, event, {
        'x-api-key': WEBHOOK_SECRET,
      });
      return body.lead_id;
    };

    for (const key of ['lead_public_id', 'lead_id'] as const) {
      test(`keeps the one it has, is found by both, and each has its own again once they are taken apart (${key})`, async () => {
        const [stays, goes] = [await aCapture('stays@example.org'), await aCapture('goes@example.org')];
        await tellCrmId(service, { lead_id: stays.lead_id, crm_lead_id: '100' });
        await send('merge', stays.lead_id, goes.lead_id);
        const told = await tellCrmId(service, { [key]: goes[key], crm_lead_id: '200' });
        assert.deepEqual([told.updated_lead, told.lead_id], [true, stays.lead_id]);
        assert.equal(await crmIdOf(stays.lead_id), '100');
        assert.equal(await leadOf('100'), stays.lead_id);
        assert.equal(await leadOf('200'), stays.lead_id);

        await send('unmerge', stays.lead_id, goes.lead_id);
        assert.deepEqual([await crmIdOf(stays.lead_id), await crmIdOf(goes.lead_id)], ['100', '200']);
        assert.deepEqual([await leadOf('100'), await leadOf('200')], [stays.lead_id, goes.lead_id]);
      });
    }

    test('takes it while it has none, follows when it is replaced, and gives it back', async () => {
      const [stays, goes] = [await aLead(BARE), await aLead(FULL)];
      await send('merge', stays, goes);
      for (const crm_lead_id of ['200', '201']) {
        await tellCrmId(service, { lead_id: goes, crm_lead_id });
        assert.equal(await crmIdOf(stays), crm_lead_id);
      }
      assert.deepEqual([await leadOf('200'), await leadOf('201')], [undefined, stays]);
      await send('unmerge', stays, goes);
      assert.deepEqual([await crmIdOf(stays), await crmIdOf(goes)], [null, '201']);
    });

    test('is found by those of all leads that a lead merged into it had taken in', async () => {
      const [last, middle, first] = [
        await aLead(BARE),
        await aLead(FULL),
        await aLead({ ...BARE, EMAIL: 'first@example.org' }),
      ];
      const ids = () => Promise.all([last, middle, first].map(crmIdOf));
      await send('merge', middle, first);
      await send('merge', last, middle);
      await tellCrmId(service, { lead_id: first, crm_lead_id: '300' });
      assert.equal(await crmIdOf(last), '300');
      await tellCrmId(service, { lead_id: middle, crm_lead_id: '200' });
      assert.equal(await crmIdOf(last), '200');
      await tellCrmId(service, { lead_id: last, crm_lead_id: '100' });
      assert.deepEqual([await leadOf('100'), await leadOf('200'), await leadOf('300')], [last, last, last]);

      await send('unmerge', last, middle);
      assert.deepEqual(await ids(), ['100', '200', '200']);
      assert.deepEqual([await leadOf('100'), await leadOf('300')], [last, middle]);
      await send('unmerge', middle, first);
      assert.deepEqual(await ids(), ['100', '200', '300']);
    });

    test('gives what came with another merge after it the right place', async () => {
      const [stays, one, other] = [
        await aLead(BARE),
        await aLead(FULL),
        await aLead({ ...BARE, EMAIL: 'other@example.org' }),
      ];
      await tellCrmId(service, { lead_id: other, crm_lead_id: '300' });
      await send('merge', stays, one);
      await send('merge', stays, other);
      assert.equal(await crmIdOf(stays), '300');
      await tellCrmId(service, { lead_id: one, crm_lead_id: '200' });
      assert.deepEqual([await leadOf('200'), await leadOf('300')], [stays, stays]);
      await send('unmerge', stays, other);
      assert.deepEqual([await crmIdOf(stays), await crmIdOf(other)], ['200', '300']);
      await send('unmerge', stays, one);
      assert.deepEqual([await crmIdOf(stays), await crmIdOf(one)], [null, '200']);
    });
  });

  test('goes on counting what was submitted to leads that retention has removed', async () => {
    const [bare, full] = [await aLead(BARE), await aLead(FULL)];
    await rows(service, `update leads set forgotten_submissions = 3 where lead_id = ${full}`);
    await send('merge', bare, full);
    assert.equal((await show(bare)).lead.form_submit_count, 5);
    await send('unmerge', bare, full);
    assert.deepEqual(
      [(await show(bare)).lead.form_submit_count, (await show(full)).lead.form_submit_count],
      [1, 4],
    );
  });

  describe('that is taken apart', () => {
    test('keeps what a follow-up since then brought', async () => {
      const [bare, full] = [await aLead(BARE), await aLead(FULL)];
      await send('merge', bare, full);
      const followUp = {
        FIRSTNAME: 'Xenia',
        PHONE: '+4930222222',
        LOCATION: 'Rome',
        USER_MESSAGE: 'Me again',
      };
      await aLead({ ...BARE, ...followUp });
      assert.partialDeepStrictEqual((await show(bare)).lead, FILLED);
      await send('unmerge', bare, full);
      assert.partialDeepStrictEqual((await show(bare)).lead, {
        contact_name: 'Xenia',
        contact_phone: '+4930222222',
        project_location: 'Rome',
        message: 'Me again',
        project_source: '',
        visitor_id: '',
      });
      assert.equal((await show(full)).lead.contact_name, 'Yan');
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('loses the session of a visitor that goes, also when it was stored after the merge', async () => {
      const [bare, full] = [await aLead(BARE), await aLead(FULL)];
      await send('merge', bare, full);
      const { session_id } = await startSession(service, { visitor_id: 'v-full', fingerprint_id: 'v-full' });
      await rowOf(bare);
      assert.equal((await show(bare)).lead.session_id, session_id);
      await send('unmerge', bare, full);
      const { visitor_id, session_id: left } = await rowOf(bare);
      assert.deepEqual([visitor_id, left], ['', '']);
      assert.equal((await rowOf(full)).session_id, session_id);
    });

    test("is a bot's again with what it had, and what people sent fills the lead of the person", async () => {
      const bot = await aBot({ ...BARE, EMAIL: 'bot@example.org' });
      const person = await aLead({ ...BARE, FIRSTNAME: 'Anna' });
      const had = await rowOf(bot);
      await send('merge', bot, person);
      await aLead({ ...BARE, PHONE: '+4930333333', USER_MESSAGE: 'Again' });
      await send('unmerge', bot, person);
      assert.deepEqual(await rowOf(bot), had);
      assert.partialDeepStrictEqual((await show(person)).lead, {
        contact_name: 'Anna',
        contact_phone: '+4930333333',
        message: 'Again',
      });
    });
  });

  describe('counts at once', () => {
    const counted = ({ follow_ups_count, form_submit_count, engagement_score }: LeadItem) => ({
      follow_ups_count,
      form_submit_count,
      engagement_score,
    });
    const figuresOf = async (id: number) => {
      const lead = (await listed()).find(({ lead_id }) => lead_id === id);
      assert.ok(lead !== undefined);
      const { lead: detail } = await show(id);
      assert.deepEqual(counted(detail), counted(lead));
      return counted(lead);
    };

    test('what was submitted and visited, in the list and in the detail', async () => {
      const { session_id } = await startSession(service, { visitor_id: 'v-full', fingerprint_id: 'v-full' });
      await sendEvents(service, session_id, [anEvent({ type: 'engaged', data: { ms: 180_000 } })]);
      await service.settled();
      const [bare, full] = [await aLead(BARE), await aLead(FULL)];
      await Promise.all([rowOf(bare), rowOf(full)]);
      const alone = await figuresOf(full);
      assert.ok(alone.engagement_score > 0);

      await send('merge', bare, full);
      assert.deepEqual(await figuresOf(bare), { ...alone, follow_ups_count: 1, form_submit_count: 2 });
      assert.equal((await listed()).length, 1);
      await send('unmerge', bare, full);
      assert.deepEqual(await figuresOf(bare), { ...alone, form_submit_count: 1, engagement_score: 0 });
      assert.deepEqual(await figuresOf(full), alone);
    });

    test('also those of whom no more than the address is known', async () => {
      const unknown = (CLIENT_IP: string) =>
        assertCaptured(sendFromServer(service, { ...BARE, EMAIL: '', CLIENT_IP }));
      await unknown('198.51.100.1');
      await unknown('198.51.100.2');
      const [one, other] = (await listed()).map(({ lead_id }) => lead_id);
      assert.ok(one !== undefined && other !== undefined);
      await send('merge', one, other);
      assert.equal((await figuresOf(one)).form_submit_count, 2);
      await send('unmerge', one, other);
      assert.equal((await figuresOf(one)).form_submit_count, 1);
    });
  });
});
