import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import type { LeadItem, LeadNote } from '@leadtrail/contract/lead-records';
import { BULK_LEADS_MAX, NOTE_CHARS_MAX, NOTES_MAX, SAVED_VIEWS_MAX } from '@leadtrail/contract/limits';
import type { SavedView } from '@leadtrail/contract/saved-views';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { type CapturedLead, capture } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { row, rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV, setUpSite } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { ask } from '@leadtrail/testing/questions';
import { MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';
import type { LeadDetail } from '../src/store/leads/detail.ts';

/* What people do to leads: notes, many leads at once, views that everybody shares. */

const LEADS = '/analytics/leads';
type Listed = { leads: LeadItem[]; total: number };
type Bulk = {
  done: number;
  moved: { lead_id: number; from: string }[];
  skipped: { lead_id: number; reason: string }[];
  next_before: number | null;
};

onBothStores('what people do to leads', (kind) => {
  const clock = aClock();
  const service = useService(kind, {
    // Nothing listens there: sends stay pending.
    env: { ...CAPTURE_ENV, FLOW_WEBHOOK_URL: 'http://127.0.0.1:9/' },
    overrides: { now: clock.now },
  });
  before(() => setUpSite(service));

  const show = (id: number | string): Promise<LeadDetail> => service.get(`${LEADS}/${id}`);
  const onLead = <T = Refusal>(lead: CapturedLead, how: string, body: unknown, key?: string) =>
    call<T>(service, 'POST', `${LEADS}/${lead.lead_id}/${how}`, {
      body,
      ...(key === undefined ? {} : { key }),
    });

  describe('notes', () => {
    let lead: CapturedLead;
    beforeEach(async () => {
      await emptyLeads(service);
      lead = await capture(service);
    });

    const write = (text: unknown, on = lead) => onLead<LeadNote>(on, 'notes', { text });
    const notesOf = async (of = lead) => (await show(of.lead_id)).notes.map(({ text }) => text);

    test('are shown with the lead, latest first, with time and author', async () => {
      const first = await write('  Called, calls back\nCafé ☕ \u{1F600}  ');
      assert.equal(first.status, 201);
      clock.advance(60_000);
      await write('Second');
      const { notes } = await show(lead.lead_public_id);
      assert.deepEqual(notes[1], first.body);
      assert.partialDeepStrictEqual(notes, [
        { text: 'Second', by: 'admin' },
        { text: 'Called, calls back\nCafé ☕ \u{1F600}', by: 'admin' },
      ]);
      assert.ok((notes[0]?.written_at ?? '') > (notes[1]?.written_at ?? ''));
    });

    test('are deleted one by one, and only by way of their own lead', async () => {
      const other = await capture(service);
      const { body: note } = await write('Goes');
      await write('Stays');
      const remove = (of: CapturedLead) => call(service, 'DELETE', `${LEADS}/${of.lead_id}/notes/${note.id}`);
      assert.equal((await remove(other)).status, 404);
      assert.deepEqual((await remove(lead)).body as unknown, { deleted: true });
      assert.equal((await remove(lead)).status, 404);
      assert.deepEqual(await notesOf(), ['Stays']);
    });

    test('go along when leads are merged, and back when they are taken apart', async () => {
      const other = await capture(service);
      await write('Of this one');
      clock.advance(1000);
      const { body: note } = await write('Of the other', other);
      assert.equal((await onLead(lead, 'merge', { lead_id: other.lead_id })).status, 200);
      assert.deepEqual(await notesOf(), ['Of the other', 'Of this one']);
      await write('Written on the merged one', other);
      assert.equal((await onLead(lead, 'unmerge', { lead_id: other.lead_id })).status, 200);
      assert.deepEqual(await notesOf(other), ['Of the other']);
      assert.deepEqual((await notesOf()).sort(), ['Of this one', 'Written on the merged one']);

      await onLead(lead, 'merge', { lead_id: other.lead_id });
      const path = `${LEADS}/${lead.lead_id}/notes/${note.id}`;
      assert.equal((await call(service, 'DELETE', path)).status, 200, 'also those of merged leads');
    });

    test('go with a person that is erased', async () => {
      await write(`About ${lead.email}`);
      const erased = await call(service, 'POST', '/analytics/erase', { body: { email: lead.email } });
      assert.equal(erased.status, 200);
      assert.equal((await row(service, 'select count(*) as n from lead_notes')).n, 0);
    });

    test('are bounded, and need text, a lead and the admin key', async () => {
      for (const text of ['', '  ', 1, null, 'x'.repeat(NOTE_CHARS_MAX + 1)]) {
        assert.equal((await write(text)).status, 400, String(text).slice(0, 9));
      }
      assert.equal((await write('x', { ...lead, lead_id: 999_999 })).status, 404);
      assert.equal((await onLead(lead, 'notes', { text: 'x' }, MARKETING_KEY)).status, 403);
      assert.equal((await onLead(lead, 'notes', { text: 'x'.repeat(64 * 1024) })).status, 413);
      const notes = Array.from(
        { length: NOTES_MAX },
        (_, index) => `('note-${index}', ${lead.lead_id}, 'Text', 0, 'admin')`,
      );
      await rows(service, `insert into lead_notes values ${notes.join()}`);
      assert.equal((await write('One too many')).status, 409);
      assert.equal((await notesOf()).length, NOTES_MAX);
    });
  });

  describe('many at once', () => {
    let leads: CapturedLead[];
    let ids: number[];
    beforeEach(async () => {
      await emptyLeads(service);
      leads = [];
      for (let i = 0; i < 4; i += 1) leads.push(await capture(service, { PROJECT: i < 3 ? 'Many' : 'One' }));
      ids = leads.map(({ lead_id }) => lead_id);
    });

    const bulk = (body: object, key?: string) =>
      call<Bulk & Refusal>(service, 'POST', `${LEADS}/bulk`, { body, ...(key === undefined ? {} : { key }) });
    const stages = async () =>
      (await service.get<Listed>(`${LEADS}?sort=oldest`)).leads.map(({ status }) => status);

    test('are moved to a stage; what was not is said with the reason, and where they were to undo it', async () => {
      await call(service, 'PATCH', `${LEADS}/${ids[1]}`, { body: { status: 'won' } });
      const asked = [...ids.slice(0, 2), 999_999, Number(ids[0])];
      const { status, body } = await bulk({ ids: asked, action: 'stage', status: 'won' }, MARKETING_KEY);
      assert.equal(status, 200);
      assert.deepEqual(body as Bulk, {
        done: 1,
        moved: [{ lead_id: ids[0], from: 'new' }],
        skipped: [
          { lead_id: ids[1], reason: 'unchanged' },
          { lead_id: 999_999, reason: 'unknown' },
        ],
        next_before: null,
      });
      assert.deepEqual(await stages(), ['won', 'won', 'new', 'new']);
      const { history } = await show(Number(ids[0]));
      assert.partialDeepStrictEqual(history, [{ from: 'new', to: 'won', by: 'marketing' }]);
    });

    test('a move that is undone counts nowhere, and one that somebody else has changed since stays', async () => {
      const [slip, changed] = ids.map(Number) as [number, number];
      const figures = async () => (await ask(service, { metrics: ['qualified', 'won'] })).totals.metrics;
      const move = (id: number, body: object) => call(service, 'PATCH', `${LEADS}/${id}`, { body });
      await bulk({ ids: [slip, changed], action: 'stage', status: 'won' });
      assert.deepEqual(await figures(), [2, 2]);
      await move(changed, { status: 'qualified', from: 'won' });

      const { body } = await bulk({
        ids: [slip, changed],
        action: 'stage',
        status: 'new',
        from: 'won',
        undo: true,
      });
      assert.deepEqual(
        [body.moved, body.skipped],
        [[{ lead_id: slip, from: 'won' }], [{ lead_id: changed, reason: 'changed_meanwhile' }]],
      );
      assert.deepEqual((await show(slip)).history, []);
      assert.deepEqual(await figures(), [1, 0]);

      assert.equal((await move(changed, { status: 'lost', from: 'won' })).status, 409);
      // Its last move was another one: this is one more.
      assert.equal((await move(changed, { status: 'new', undo: true })).status, 200);
      assert.deepEqual(
        (await show(changed)).history.map(({ to }) => to),
        ['new', 'qualified', 'won'],
      );
      assert.deepEqual(await figures(), [1, 0]);
      assert.deepEqual(await stages(), ['new', 'new', 'new', 'new']);
    });

    test('all that match a filter, and no others', async () => {
      const filter = { project: 'many', seen: false, has_follow_ups: false };
      const { body } = await bulk({ filter, action: 'stage', status: 'fake' });
      assert.deepEqual([body.done, body.next_before], [3, null]);
      assert.deepEqual(await stages(), ['fake', 'fake', 'fake', 'new']);
      const before = await bulk({ filter: {}, before: ids[1], action: 'stage', status: 'lost' });
      assert.deepEqual(before.body.moved, [{ lead_id: ids[0], from: 'fake' }]);
    });

    test('are marked as reviewed', async () => {
      await show(Number(ids[0]));
      const { body } = await bulk({ ids, action: 'review' }, MARKETING_KEY);
      assert.equal(body.done, 3);
      assert.deepEqual(body.skipped, [{ lead_id: ids[0], reason: 'unchanged' }]);
      assert.equal((await service.get<Listed>(`${LEADS}?seen=false`)).total, 0);
    });

    test('are sent with the admin key, once unless it is said again', async () => {
      const sends = async () => Number((await row(service, 'select count(*) as n from flow_sends')).n);
      const before = await sends();
      assert.equal((await bulk({ ids, action: 'forward' }, MARKETING_KEY)).status, 403);
      const once = await bulk({ ids, action: 'forward' });
      assert.deepEqual(
        once.body.skipped.map(({ reason }) => reason),
        ids.map(() => 'already_sent'),
      );
      assert.equal(await sends(), before);
      assert.equal((await bulk({ ids, action: 'forward', again: true })).body.done, ids.length);
      assert.equal(await sends(), before + ids.length);

      const settings = '/analytics/settings';
      await call(service, 'PATCH', settings, { body: { flow_enabled: false } });
      assert.equal((await bulk({ ids, action: 'forward' })).status, 409);
      await call(service, 'PATCH', settings, { body: { flow_enabled: true } });
    });

    test('a call that makes no sense changes nothing', async () => {
      const tooMany = Array.from({ length: BULK_LEADS_MAX + 1 }, (_, index) => index + 1);
      for (const body of [
        { action: 'stage', status: 'won' },
        { ids: [], action: 'stage', status: 'won' },
        { ids, filter: {}, action: 'stage', status: 'won' },
        { ids, action: 'stage' },
        { ids, action: 'stage', status: 'gone' },
        { ids, action: 'delete' },
        { ids: tooMany, action: 'review' },
        { filter: { channel: 'Carrier pigeon' }, action: 'review' },
        // Left out, these would match all leads.
        { filter: { stage: 'new' }, action: 'stage', status: 'lost' },
        { filters: { project: 'many' }, filter: {}, action: 'stage', status: 'lost' },
      ]) {
        assert.equal((await bulk(body)).status, 400, JSON.stringify(body).slice(0, 80));
      }
      assert.deepEqual(await stages(), ['new', 'new', 'new', 'new']);
    });
  });

  describe('lists are narrowed', () => {
    const SPRING = 'https://www.example.com/?utm_source=Google&utm_medium=cpc&utm_campaign=Spring';
    before(async () => {
      await emptyLeads(service);
      await startSession(service, { visitor_id: 'ada', page: SPRING });
      await startSession(service, { visitor_id: 'bob', page: 'https://www.example.com/' });
      await service.settled();
      for (const name of ['ada', 'bob', 'cyd']) {
        await capture(service, {
          EMAIL: `${name}@example.org`,
          FIRSTNAME: name,
          PHONE: '',
          __visitor_id: name,
        });
      }
      await service.app.forwarding.settled();
      await rows(
        service,
        "update flow_sends set status = 'failed' where lead_id = (select max(lead_id) from leads)",
      );
      await rows(
        service,
        'insert into lead_changes select max(lead_id) from leads where true on conflict do nothing',
      );
    });

    const named = async (query: string) =>
      (await service.get<Listed>(`${LEADS}?${query}`)).leads.map(({ contact_name }) => contact_name);

    test('by channel, by the campaign of a visit, by engagement and by delivery, alone and together', async () => {
      await service.app.indexing.settled();
      for (const [query, expected] of [
        ['channel=paid+search', ['ada']],
        ['channel=Direct', ['bob']],
        ['campaign=spring', ['ada']],
        ['engagement=cold', ['cyd', 'bob', 'ada']],
        ['engagement=Very+Hot', []],
        ['delivery=failed', ['cyd']],
        ['delivery=pending', ['bob', 'ada']],
        ['delivery=none', []],
        ['delivery=pending&channel=direct&engagement=cold&seen=false&q=bob', ['bob']],
        ['delivery=failed&channel=direct', []],
      ] as const) {
        assert.deepEqual(await named(query), expected, query);
        assert.deepEqual(
          await named(`${query}&sort=score_asc`).then((all) => all.sort()),
          [...expected].sort(),
        );
      }
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('exports have the same names', async () => {
      const exported = await service.get<{ contact_name: string }[]>(
        `${LEADS}/export?format=json&delivery=failed&engagement=cold`,
      );
      assert.deepEqual(
        exported.map(({ contact_name }) => contact_name),
        ['cyd'],
      );
    });

    test('a delivery that fails or is sent again shows at once', async () => {
      const { flow_sends } = await service.get<{
        flow_sends: { flow_send_public_id: string; status: string }[];
      }>('/analytics/flow-sends?status=failed');
      const path = `/analytics/flow-sends/${flow_sends[0]?.flow_send_public_id}/resend`;
      assert.equal((await call(service, 'POST', path)).status, 200);
      assert.deepEqual(await named('delivery=failed'), []);
      assert.deepEqual(await named('delivery=pending'), ['cyd', 'bob', 'ada']);
    });

    test('400 for what there is not', async () => {
      for (const query of ['channel=x', 'engagement=lukewarm', 'delivery=lost']) {
        assert.equal((await call(service, 'GET', `${LEADS}?${query}`)).status, 400, query);
      }
    });
  });

  describe('views', () => {
    const VIEWS = '/analytics/views';
    const save = (body: object, key?: string) =>
      call<SavedView>(service, 'POST', VIEWS, { body, ...(key === undefined ? {} : { key }) });
    const shown = async (query = '', key = MARKETING_KEY) =>
      (await call<{ views: SavedView[] }>(service, 'GET', `${VIEWS}${query}`, { key })).body.views;

    test('are shared by everybody, sorted by name, by page', async () => {
      const won = await save({ page: 'leads', name: ' Won ', search: '?status=won' });
      assert.equal(won.status, 201);
      await save({ page: 'leads', name: 'éclair', search: '' });
      await save({ page: 'campaigns', name: 'won', search: '?when=today' });
      assert.deepEqual(
        (await shown('?page=leads')).map(({ name }) => name),
        ['Won', 'éclair'],
      );
      assert.deepEqual((await shown('?page=leads'))[0], won.body);
      assert.equal((await shown()).length, 3);
      assert.equal((await call(service, 'GET', `${VIEWS}?page=sites`)).status, 400);
    });

    test('are renamed, changed and deleted', async () => {
      const { body } = await save({ page: 'leads', name: 'Mine', search: '?q=a' });
      const path = `${VIEWS}/${body.id}`;
      const renamed = await call<SavedView>(service, 'PATCH', path, { body: { name: 'MINE too' } });
      assert.deepEqual([renamed.status, renamed.body.name, renamed.body.search], [200, 'MINE too', '?q=a']);
      await call(service, 'PATCH', path, { body: { search: '?q=b' } });
      assert.equal((await shown()).find(({ id }) => id === body.id)?.search, '?q=b');
      assert.equal((await call(service, 'DELETE', path)).status, 200);
      assert.equal((await call(service, 'DELETE', path)).status, 404);
      assert.equal((await call(service, 'PATCH', path, { body: {} })).status, 404);
    });

    test('a name is taken once for a page, in any case', async () => {
      const { body } = await save({ page: 'leads', name: 'Taken', search: '' });
      assert.equal((await save({ page: 'leads', name: 'TAKEN', search: '' })).status, 409);
      const { body: other } = await save({ page: 'leads', name: 'Free', search: '' });
      const path = `${VIEWS}/${other.id}`;
      assert.equal((await call(service, 'PATCH', path, { body: { name: 'taken' } })).status, 409);
      assert.equal(
        (await call(service, 'PATCH', `${VIEWS}/${body.id}`, { body: { name: 'TAKEN' } })).status,
        200,
      );
    });

    test('the marketing key uses them and changes none; names and searches are bounded', async () => {
      const view = { page: 'leads', name: 'Any', search: '' };
      assert.equal((await save(view, MARKETING_KEY)).status, 403);
      for (const wrong of [
        { name: ' ' },
        { name: 'x'.repeat(81) },
        { search: 'x'.repeat(4001) },
        { page: 'x' },
      ]) {
        assert.equal((await save({ ...view, ...wrong })).status, 400, JSON.stringify(wrong).slice(0, 40));
      }
      assert.equal((await save({ ...view, search: 'x'.repeat(70_000) })).status, 413);
      const { n } = await row(service, 'select count(*) as n from saved_views');
      const others = Array.from(
        { length: SAVED_VIEWS_MAX - Number(n) },
        (_, index) => `('other-${index}', 'leads', 'Other', 'other ${index}', '', 0)`,
      );
      await rows(service, `insert into saved_views values ${others.join()}`);
      assert.equal((await save(view)).status, 409);
    });
  });
});
