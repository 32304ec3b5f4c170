import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { CALLBACK_SECRET, CRM_CALLBACK, report } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { row, rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, type Fields, sendFromServer } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { ADMIN_KEY, MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { DAY_MS, HOUR_MS } from '../src/lib/utc-time.ts';

type Page = { leads: LeadItem[]; total: number; next_cursor: string | null; resume_cursor: string | null };

const AT_ONCE = 10;

onBothStores('programs', (kind) => {
  const clock = aClock();
  const service = useService(kind, {
    env: { ...CAPTURE_ENV, CRM_CALLBACK_SECRET: CALLBACK_SECRET },
    overrides: { now: clock.now },
  });
  const admin = { 'x-api-key': ADMIN_KEY };

  /** Each a person of their own. */
  let people = 0;
  async function submit(sent: Fields = {}): Promise<void> {
    people += 1;
    const person = { EMAIL: `p${people}@example.org`, PHONE: '', COUNTRYCODE: '', FIRSTNAME: `P${people}` };
    await assertCaptured(sendFromServer(service, { ...person, ...sent }));
  }
  const submitMany = async (count: number) => {
    for (let sent = 0; sent < count; sent += AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - sent) }, () => submit()));
    }
  };
  const list = (query: Record<string, string | number>, headers = {}) =>
    service.get<Page>(`/analytics/leads?${new URLSearchParams(query as Record<string, string>)}`, headers);
  const names = async (query: Record<string, string | number>) => {
    const { leads, total } = await list(query);
    assert.equal(total, leads.length);
    return leads.map(({ contact_name }) => contact_name);
  };
  const refusal = async (query: string) => {
    const { status, body } = await call<Refusal>(service, 'GET', `/analytics/leads?${query}`);
    assert.equal(status, 400, query);
    return body;
  };

  describe('filters', () => {
    before(async () => {
      clock.set(NOON);
      await emptyLeads(service);
      await submit({ FIRSTNAME: 'one', siteKey: 'site-1', formId: 'f', PROJECT: 'Riverside', SOURCE: 'FB' });
      clock.set(NOON + DAY_MS);
      await submit({ FIRSTNAME: 'two', PROJECT: 'RIVERSIDE', SOURCE: 'Straße  7', __utm_campaign: 'Spring' });
      clock.set(NOON + 2 * DAY_MS);
      await submit({ FIRSTNAME: 'three', PROJECT: 'Hill', SOURCE: 'fb', utm_campaign: 'SPRING ' });
    });

    const cases: readonly (readonly [Record<string, string>, readonly string[]])[] = [
      [{ site: 'site-1' }, ['one']],
      [{ site: 'nobody' }, []],
      [{ project: 'riverside' }, ['two', 'one']],
      [{ source: 'fb' }, ['three', 'one']],
      [{ source: ' STRASSE 7' }, ['two']],
      [{ campaign: 'spring' }, ['three', 'two']],
      [{ project: 'Riverside', source: 'FB' }, ['one']],
      [{ project: 'Hill', campaign: 'Spring', status: 'new' }, ['three']],
      [{ project: 'Hill', status: 'won' }, []],
      [{ from: '2026-03-11' }, ['three', 'two']],
      [{ to: '2026-03-11' }, ['two', 'one']],
      [{ from: '2026-03-11', to: '2026-03-11' }, ['two']],
      [{ from: '2026-03-11T13:00:00+01:00' }, ['three', 'two']],
      [{ from: '2026-03-11T12:00:01Z' }, ['three']],
      [{ to: '2026-03-10T11:59:59Z' }, []],
      [{ updated_since: '2026-03-12' }, ['three']],
      [{ source: 'fb', q: 'thre' }, ['three']],
      [{ project: 'riverside', sort: 'name_asc' }, ['one', 'two']],
      [{ project: 'riverside', sort: 'oldest' }, ['one', 'two']],
      [{ project: 'riverside', sort: 'updated' }, ['one', 'two']],
      [{ sort: 'updated', status: 'new' }, ['one', 'two', 'three']],
    ];
    for (const state of ['while the index follows', 'once it has followed']) {
      describe(state, () => {
        if (state.startsWith('once')) before(() => service.app.indexing.settled());
        for (const [query, expected] of cases) {
          test(JSON.stringify(query), async () => assert.deepEqual(await names(query), expected));
        }
      });
    }

    test('hold for the export, too', async () => {
      const csv = await fetch(
        `${service.url}/analytics/leads/export?project=riverside&from=2026-03-11&fields=contact_name,campaign`,
        { headers: admin },
      );
      assert.equal(await csv.text(), 'contact_name,campaign\r\ntwo,"{""utm_campaign"":""Spring""}"\r\n');
      const json = await service.get('/analytics/leads/export?format=json&source=fb&fields=contact_name');
      assert.deepEqual(json, [{ contact_name: 'three' }, { contact_name: 'one' }]);
    });

    test('400 names the field that cannot be used', async () => {
      for (const [query, field] of [
        ['from=yesterday', 'from'],
        ['to=2026-02-30', 'to'],
        ['updated_since=12', 'updated_since'],
        ['fields=lead_id,nothing', 'fields'],
        ['sort=changed', 'sort'],
        ['cursor=abc', 'cursor'],
      ] as const) {
        const { error, details } = (await refusal(query)) as Refusal & { details?: { path: string }[] };
        assert.ok(error.includes(field), error);
        assert.ok(details?.[0]?.path.startsWith(field), JSON.stringify(details));
      }
    });
  });

  describe('a lead', () => {
    beforeEach(async () => {
      clock.set(NOON);
      await emptyLeads(service);
    });

    test('has its message, campaign, custom fields, CRM id and ISO times in lists', async () => {
      await submit({ USER_MESSAGE: 'Call me', __gclid: 'g1', wohnung: 'Top 12', rooms: ['2', '3'] });
      const { leads } = await list({});
      assert.partialDeepStrictEqual(leads[0], {
        message: 'Call me',
        campaign: { gclid: 'g1' },
        fields: { wohnung: 'Top 12', rooms: '2, 3' },
        crm_lead_id: null,
        enquiry_datetime: '2026-03-10 12:00:00',
        enquiry_datetime_iso: '2026-03-10T12:00:00.000Z',
        last_follow_up_at_iso: null,
        updated_at_iso: '2026-03-10T12:00:00.000Z',
      });
      const detail = await service.get<{ lead: LeadItem; submissions: object[] }>(
        `/analytics/leads/${leads[0]?.lead_id}`,
      );
      assert.deepEqual(detail.lead.fields, { wohnung: 'Top 12', rooms: '2, 3' });
      const submitted = {
        submitted_at_iso: '2026-03-10T12:00:00.000Z',
        fields: { wohnung: 'Top 12', rooms: '2, 3' },
      };
      assert.partialDeepStrictEqual(detail.submissions[0], submitted);
      const history = await service.get<{ submissions: object[] }>(
        '/analytics/leads/submissions?period=range&date_from=2026-03-10',
      );
      assert.partialDeepStrictEqual(history.submissions[0], submitted);
    });

    test('shows the custom fields of its own submission, not those of a follow-up', async () => {
      await submit({ EMAIL: 'one@example.org', wohnung: 'Top 12' });
      await submit({ EMAIL: 'one@example.org', wohnung: 'Top 13' });
      assert.deepEqual((await list({})).leads[0]?.fields, { wohnung: 'Top 12' });
    });

    test('is found by its custom fields and those of its follow-ups, also after the texts are made anew', async () => {
      await submit({ EMAIL: 'one@example.org', FIRSTNAME: 'one', wohnung: 'Dachgeschoß' });
      await submit({ EMAIL: 'one@example.org', FIRSTNAME: 'one', wohnung: 'Erdgeschoss' });
      await submit({ FIRSTNAME: 'two' });
      const finds = async () => {
        assert.deepEqual(await names({ q: 'dachgeschoss' }), ['one']);
        assert.deepEqual(await names({ q: 'erdgesch' }), ['one']);
      };
      await finds();
      await rows(service, "update leads set search_text = ''");
      await rows(service, 'insert into lead_renewals (lead_id) select lead_id from leads');
      while ((await service.app.store.renewSearchTexts({ max: 100 })) > 0);
      await service.app.store.indexLeads({ max: 100 });
      await finds();
    });

    test('has only the fields that were asked for', async () => {
      await submit({ FIRSTNAME: 'one' });
      const { leads } = await list({ fields: 'contact_name, suspicion_score' });
      assert.deepEqual(leads, [{ contact_name: 'one', suspicion_score: 0 }]);
    });

    test('stays unseen with mark_seen=false', async () => {
      await submit();
      const { lead_id } = (await list({})).leads[0] as LeadItem;
      const seen = async (query: string) =>
        (await service.get<{ lead: LeadItem }>(`/analytics/leads/${lead_id}${query}`)).lead.seen_at;
      assert.equal(await seen('?mark_seen=false'), null);
      assert.equal((await list({ seen: 'false' })).total, 1);
      assert.equal(await seen('?mark_seen=false'), null);
      assert.equal(await seen('?mark_seen=true'), NOON);
      assert.equal((await call(service, 'GET', `/analytics/leads/${lead_id}?mark_seen=perhaps`)).status, 400);
    });

    test('comes after those that were changed before it, also where the index takes them in together', async () => {
      for (const name of ['one', 'two', 'three']) await submit({ FIRSTNAME: name });
      await service.app.indexing.settled();
      const { leads } = await list({ sort: 'oldest' });
      for (const { lead_id } of leads.toReversed()) {
        clock.advance(HOUR_MS);
        await call(service, 'PATCH', `/analytics/leads/${lead_id}`, { body: { status: 'won' } });
      }
      assert.deepEqual(await names({ sort: 'updated' }), ['three', 'two', 'one']);
    });

    test('is updated by a submission, a stage, a CRM id and a CRM event, and by nothing else', async () => {
      await submit({ EMAIL: 'one@example.org' });
      const { lead_id, lead_public_id } = (await list({})).leads[0] as LeadItem;
      const [submission] = await rows(service, 'select lead_submission_public_id as id from submissions');
      const changes: readonly (readonly [string, boolean, () => Promise<unknown>])[] = [
        ['follow-up', true, () => submit({ EMAIL: 'one@example.org' })],
        ['view', false, () => service.get(`/analytics/leads/${lead_id}`)],
        [
          'stage',
          true,
          () => call(service, 'PATCH', `/analytics/leads/${lead_id}`, { body: { status: 'contacted' } }),
        ],
        [
          'the same stage',
          false,
          () => call(service, 'PATCH', `/analytics/leads/${lead_id}`, { body: { status: 'contacted' } }),
        ],
        ['CRM id', true, () => report(service, CRM_CALLBACK, { lead_public_id, crm_lead_id: 'C-1' })],
        [
          'CRM id of a submission',
          true,
          () =>
            report(service, CRM_CALLBACK, {
              lead_submission_public_id: submission?.id,
              crm_lead_id: 'C-1',
            }),
        ],
        [
          'CRM event',
          true,
          () => report(service, '/webhooks/crm/lead', { crm_lead_id: 'C-1', event_type: 'won' }),
        ],
      ];
      for (const [what, isUpdate, change] of changes) {
        clock.advance(HOUR_MS);
        const since = new Date(clock.now()).toISOString();
        const { resume_cursor } = await list({ sort: 'updated' });
        await change();
        assert.equal((await list({ updated_since: since })).total, isUpdate ? 1 : 0, what);
        const pulled = await list({ sort: 'updated', cursor: resume_cursor ?? '' });
        assert.equal(pulled.leads.length, isUpdate ? 1 : 0, what);
      }
    });

    test('comes again for every change, even within a millisecond', async () => {
      await submit();
      let { resume_cursor: cursor } = await list({ sort: 'updated' });
      const { lead_id } = (await list({})).leads[0] as LeadItem;
      for (const status of ['contacted', 'won', 'lost']) {
        await call(service, 'PATCH', `/analytics/leads/${lead_id}`, { body: { status } });
        const page = await list({ sort: 'updated', cursor: cursor ?? '' });
        assert.deepEqual(
          page.leads.map((lead) => lead.status),
          [status],
        );
        cursor = page.resume_cursor;
      }
    });
  });

  describe('a cursor', () => {
    beforeEach(async () => {
      clock.set(NOON);
      await emptyLeads(service);
    });

    async function pullAll(query: Record<string, string>, between: () => Promise<void>): Promise<number[]> {
      const pulled: number[] = [];
      let cursor: string | null = null;
      do {
        const page: Page = await list({ ...query, limit: 10, ...(cursor === null ? {} : { cursor }) });
        pulled.push(...page.leads.map(({ lead_id }) => lead_id));
        cursor = page.next_cursor;
        await between();
      } while (cursor !== null);
      return pulled;
    }

    test('walks back from the newest lead while new ones come: each of the others once', async () => {
      await submitMany(45);
      const there = await rows<{ lead_id: number }>(
        service,
        'select lead_id from leads order by lead_id desc',
      );
      const pulled = await pullAll({}, () => submitMany(3));
      assert.deepEqual(
        pulled,
        there.map(({ lead_id }) => lead_id),
      );
    });

    test('with sort=updated goes on to what has come meanwhile, and later: each lead once', async () => {
      await submitMany(45);
      const pulled: number[] = [];
      let cursor = '';
      let sending: Promise<void> = submitMany(60);
      for (let round = 0; round < 3; round++) {
        let page: Page;
        do {
          page = await list({ sort: 'updated', limit: 10, ...(cursor === '' ? {} : { cursor }) });
          pulled.push(...page.leads.map(({ lead_id }) => lead_id));
          cursor = page.resume_cursor ?? '';
        } while (page.next_cursor !== null);
        await sending;
        sending = round === 0 ? submitMany(20) : Promise.resolve();
      }
      const all = await rows<{ lead_id: number }>(service, 'select lead_id from leads order by lead_id');
      assert.equal(all.length, 125);
      assert.deepEqual(
        pulled.toSorted((a, b) => a - b),
        all.map(({ lead_id }) => lead_id),
      );
    });

    test('does not bring a lead whose change is still to be numbered: it comes once, with that change', async () => {
      await submitMany(2);
      const { leads } = await list({ sort: 'updated' });
      const changed = leads[0]?.lead_id;
      await rows(service, `update leads set updated_at = updated_at + 1 where lead_id = ${changed}`);
      await rows(service, `insert into lead_changes (lead_id) values (${changed})`);
      const page = await service.app.store.leads({ q: '', sort: 'updated', limit: 10, offset: 0 });
      assert.deepEqual(
        page.leads.map(({ lead_id }) => lead_id),
        [leads[1]?.lead_id],
      );
      const all = await list({ sort: 'updated' });
      assert.deepEqual(
        all.leads.map(({ lead_id }) => lead_id),
        [leads[1]?.lead_id, changed],
      );
    });

    test('goes with filters, and its own ones only', async () => {
      for (let i = 0; i < 25; i++) await submit({ PROJECT: i % 2 === 0 ? 'Riverside' : 'Hill' });
      assert.equal((await pullAll({ project: 'hill' }, async () => undefined)).length, 12);
      assert.equal((await pullAll({ project: 'hill', sort: 'updated' }, async () => undefined)).length, 12);
      const cursor = (await list({ project: 'hill', limit: 5 })).next_cursor ?? '';
      for (const [query, message] of [
        [`cursor=${cursor}`, /cursor belongs to other filters/],
        [`cursor=${cursor}&project=hill&sort=updated`, /cursor belongs to sort=newest/],
        [`cursor=${cursor}&project=hill&sort=name_asc`, /cursor goes with sort newest or updated only/],
        [`cursor=${cursor}&project=hill&offset=5`, /cursor does not go together with offset/],
      ] as const) {
        assert.match((await refusal(query)).error, message);
      }
      assert.equal((await list({ sort: 'name_asc', limit: 5 })).next_cursor, null);
    });

    test('outlives leads that are erased, whose numbers are not given again', async () => {
      await submitMany(5);
      const { resume_cursor } = await list({ sort: 'updated' });
      for (let person = people - 4; person <= people; person++) {
        await service.post('/analytics/erase', { email: `p${person}@example.org` }, admin);
      }
      await submitMany(3);
      assert.equal((await list({ sort: 'updated', cursor: resume_cursor ?? '' })).leads.length, 3);
    });

    test('is for the marketing key, too', async () => {
      await submitMany(2);
      const page = await list({ limit: 1 }, { 'x-api-key': MARKETING_KEY });
      assert.equal(typeof page.next_cursor, 'string');
      assert.equal((await row(service, 'select count(*) as n from leads where seen_at is not null')).n, 0);
    });
  });
});
