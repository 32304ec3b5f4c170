import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Form } from '@leadtrail/contract/forms';
import type { Site, SiteSnippet } from '@leadtrail/contract/sites';
import { call } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import { aForm, aSite, FORMS, patch, SITES } from '@leadtrail/testing/management';
import { onBothStores, useService } from '@leadtrail/testing/service';

const clock = aClock();

onBothStores('sites', (kind) => {
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(async () => {
    clock.set(NOON);
    await emptyDatabase(service);
  });

  test('POST answers 201 with the record, which GET shows from then on', async () => {
    const given = { site_key: 'shop-1', name: 'Shop', domains: ['example.com'], enabled: false };
    const site = await aSite(service, given);
    assert.deepEqual(site, { id: site.id, ...given, created_at: '2026-03-10 12:00:00' });
    assert.deepEqual(await service.get(SITES), { sites: [site], total: 1 });
    assert.deepEqual(await service.get(`${SITES}/${site.id}`), site);
  });

  test('a site_key that is not given is generated, a site is enabled, and it has no domains', async () => {
    const one = await aSite(service);
    const two = await aSite(service, { site_key: null });
    for (const { site_key, domains, enabled } of [one, two]) {
      assert.match(site_key, /^site_[0-9a-f]{16}$/);
      assert.deepEqual([domains, enabled], [[], true]);
    }
    assert.notEqual(one.site_key, two.site_key);
  });

  test('domains are kept as they are compared, each once', async () => {
    const domains = [
      'Example.COM',
      'https://www.example.com/',
      '*.Example.com',
      'localhost:3000',
      ' example.com ',
    ];
    const kept = ['example.com', '*.example.com', 'localhost:3000'];
    const site = await aSite(service, { domains });
    assert.deepEqual(site.domains, kept);
    const changed = await patch<Site>(service, `${SITES}/${site.id}`, { domains: domains.toReversed() });
    assert.deepEqual(changed.body.domains, ['example.com', 'localhost:3000', '*.example.com']);
    assert.deepEqual((await patch<Site>(service, `${SITES}/${site.id}`, { domains: [] })).body.domains, []);
  });

  test('the snippet is what to paste: both scripts, the tag manager, and each form', async () => {
    const site = await aSite(service, { site_key: 'shop-1', name: 'Shop "1" & Co' });
    await aForm(service, { site_id: site.id, form_id: 'contact', name: '<Contact>' });
    await aForm(service, { site_id: (await aSite(service)).id });
    const snippet = await service.get<SiteSnippet>(`${SITES}/${site.id}/snippet?origin=${service.url}`);
    assert.equal(snippet.site_key, 'shop-1');
    assert.equal(snippet.tracker, `<script async src="${service.url}/t.js" data-site="shop-1"></script>`);
    assert.equal(snippet.form_script, `<script async src="${service.url}/f.js" data-site="shop-1"></script>`);
    assert.ok(snippet.google_tag_manager.includes(`["${service.url}/t.js", "${service.url}/f.js"]`));
    const [form, ...others] = snippet.forms;
    assert.deepEqual([form?.form_id, form?.name, others], ['contact', '<Contact>', []]);
    const start = `<form data-leadtrail-form="contact" data-site="shop-1" action="${service.url}/lead.capture" method="post">`;
    assert.equal(form?.html.slice(0, start.length), start);
    const values = [...(form?.html.matchAll(/name="(\w+)" value="(.*?)"/g) ?? [])];
    assert.deepEqual(
      values.map(([, name, value]) => [name, value]),
      [
        ['siteKey', 'shop-1'],
        ['formId', 'contact'],
        ['PROJECT', 'Shop &quot;1&quot; &amp; Co'],
      ],
    );
    assert.equal((await call(service, 'GET', `${SITES}/999/snippet`)).status, 404);
  });

  test('the snippet names the address that was asked for, and never a Host header', async () => {
    const { id } = await aSite(service);
    const snippetAt = (query: string, headers = {}) =>
      service.get<SiteSnippet>(`${SITES}/${id}/snippet${query}`, headers);
    const { tracker } = await snippetAt('?origin=https%3A%2F%2Fleads.example%3A8443%2Fdashboard%2F');
    assert.ok(tracker.includes('src="https://leads.example:8443/t.js"'), tracker);
    const relative = await snippetAt('', {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    });
    assert.ok(relative.tracker.includes('src="/t.js"'), relative.tracker);
    const refused = await call(service, 'GET', `${SITES}/${id}/snippet?origin=javascript:alert(1)`);
    assert.equal(refused.status, 400);
  });

  test('a domain that is none answers 400 and is named', async () => {
    const { id } = await aSite(service, { domains: ['example.com'] });
    for (const bad of [
      '',
      'two words',
      'javascript:alert(1)',
      '*',
      'user@example.com',
      '-a.example',
      'ftp://example.com',
    ]) {
      const domains = ['example.com', bad];
      const created = await call(service, 'POST', SITES, { body: { name: 'Shop', domains } });
      for (const { status, body } of [created, await patch(service, `${SITES}/${id}`, { domains })]) {
        assert.equal(status, 400, bad);
        assert.deepEqual(
          body.details?.map(({ path }) => path),
          ['domains.1'],
        );
        assert.ok(body.error.includes(`"${bad}"`), body.error);
      }
    }
    assert.deepEqual((await service.get<Site>(`${SITES}/${id}`)).domains, ['example.com']);
  });

  test('a site has at most 100 domains', async () => {
    const domains = Array.from({ length: 101 }, (_, i) => `shop-${i}.example`);
    assert.equal((await aSite(service, { domains: domains.slice(0, 100) })).domains.length, 100);
    const { status, body } = await call(service, 'POST', SITES, { body: { name: 'Shop', domains } });
    assert.equal(status, 400);
    assert.match(body.error, /domains must have at most 100 items/);
  });

  test('a site_key that exists answers 409; a name may be used twice', async () => {
    await aSite(service, { site_key: 'shop' });
    const again = await call(service, 'POST', SITES, { body: { name: 'Other', site_key: 'shop' } });
    assert.equal(again.status, 409);
    assert.deepEqual(again.body, { error: 'Another site has this site_key.', code: 'conflict' });
    const other = await aSite(service, { site_key: 'Shop' });
    const renamed = await patch(service, `${SITES}/${other.id}`, { site_key: 'shop', name: 'Renamed' });
    assert.equal(renamed.status, 409);
    assert.deepEqual(await service.get(`${SITES}/${other.id}`), other);
  });

  test('PATCH changes what it is given and nothing else', async () => {
    const site = await aSite(service, { site_key: 'shop', domains: ['example.com'] });
    let expected = site;
    clock.advance(1000);
    for (const changes of [
      { name: 'New name' },
      { enabled: false },
      { domains: ['example.org'] },
      { site_key: 'shop-2' },
      { site_key: 'shop-2', name: 'Again', enabled: true },
      {},
    ]) {
      expected = { ...expected, ...changes };
      const { status, body } = await patch(service, `${SITES}/${site.id}`, changes);
      assert.deepEqual([status, body], [200, expected]);
    }
    const ignored = { id: 7, created_at: 'now', color: 'red' };
    assert.deepEqual((await patch(service, `${SITES}/${site.id}`, ignored)).body, expected);
    assert.deepEqual(await service.get(SITES), { sites: [expected], total: 1 });
  });

  test('DELETE answers {deleted: true} and takes the forms of the site with it', async () => {
    const [site, other] = [await aSite(service), await aSite(service)];
    await aForm(service, { site_id: site.id });
    const kept = await aForm(service, { site_id: other.id });
    const { status, body } = await call<unknown>(service, 'DELETE', `${SITES}/${site.id}`);
    assert.deepEqual([status, body], [200, { deleted: true }]);
    assert.deepEqual(await service.get(SITES), { sites: [other], total: 1 });
    assert.deepEqual(await service.get(FORMS), { forms: [kept], total: 1 });
    assert.equal((await rows(service, 'select id from forms')).length, 1);
  });

  test('a number is never given to two sites', async () => {
    const site = await aSite(service);
    await call(service, 'DELETE', `${SITES}/${site.id}`);
    assert.notEqual((await aSite(service)).id, site.id);
  });

  test('the demo site is there where nothing has been set up, and only there', async () => {
    const demo = { domains: ['localhost'], now: NOON };
    for (let start = 0; start < 2; start += 1) await service.app.store.ensureDemoSite(demo);
    const { sites } = await service.get<{ sites: Site[] }>(SITES);
    assert.deepEqual(
      sites.map(({ site_key, domains, enabled }) => ({ site_key, domains, enabled })),
      [{ site_key: 'demo-site', domains: ['localhost'], enabled: true }],
    );
    const { forms } = await service.get<{ forms: Form[] }>(FORMS);
    assert.deepEqual(
      forms.map(({ form_id, site_key, enabled }) => ({ form_id, site_key, enabled })),
      [{ form_id: 'demo-form', site_key: 'demo-site', enabled: true }],
    );

    await emptyDatabase(service);
    await aSite(service, { site_key: 'own' });
    await service.app.store.ensureDemoSite(demo);
    assert.equal((await service.get<{ total: number }>(SITES)).total, 1);
    assert.equal((await service.get<{ total: number }>(FORMS)).total, 0);
  });
});

onBothStores('forms', (kind) => {
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(async () => {
    clock.set(NOON);
    await emptyDatabase(service);
  });

  test('POST answers 201 with the record, which GET shows from then on', async () => {
    const { id: site_id } = await aSite(service, { site_key: 'shop' });
    const form = await aForm(service, { site_id, form_id: 'contact', enabled: false });
    assert.deepEqual(form, {
      id: form.id,
      form_id: 'contact',
      site_id,
      site_key: 'shop',
      name: 'Contact',
      enabled: false,
      after_sending: 'thank_you_page',
      redirect_url: '',
      texts: {},
      spam_check: 'none',
      spam_check_failed: 'suspicion',
      spam_check_site_key: '',
      spam_check_secret_set: false,
      field_names: {},
      created_at: '2026-03-10 12:00:00',
    });
    assert.deepEqual(await service.get(FORMS), { forms: [form], total: 1 });
    assert.deepEqual(await service.get(`${FORMS}/${form.id}`), form);
  });

  test('the site is named by its number or by its key', async () => {
    const { id: site_id } = await aSite(service, { site_key: 'shop' });
    for (const site of [
      { site_id },
      { site_key: 'shop' },
      { site_id, site_key: 'shop' },
      { site_key: 'shop', site_id: null },
    ]) {
      const form = await aForm(service, site);
      assert.deepEqual([form.site_id, form.site_key], [site_id, 'shop']);
    }
  });

  test('an unknown site, or none, answers 400 and names the field', async () => {
    const { id } = await aSite(service, { site_key: 'shop' });
    const wrong: [object, string][] = [
      [{}, 'site_id'],
      [{ site_id: null, site_key: null }, 'site_id'],
      [{ site_id: id + 1000 }, 'site_id'],
      [{ site_id: String(id) }, 'site_id'],
      [{ site_id: 0 }, 'site_id'],
      [{ site_id: 1.5 }, 'site_id'],
      [{ site_key: 'other' }, 'site_key'],
      [{ site_id: id, site_key: 'other' }, 'site_id'],
    ];
    for (const [site, path] of wrong) {
      const { status, body } = await call(service, 'POST', FORMS, { body: { name: 'Contact', ...site } });
      assert.equal(status, 400, JSON.stringify(site));
      assert.deepEqual(
        body.details?.map((detail) => detail.path),
        [path],
        body.error,
      );
    }
    assert.equal((await service.get<{ total: number }>(FORMS)).total, 0);
  });

  test('a form_id that is not given is generated, and a form is enabled', async () => {
    const { id: site_id } = await aSite(service);
    const [one, two] = [await aForm(service, { site_id }), await aForm(service, { site_id, form_id: null })];
    for (const { form_id, enabled } of [one, two]) {
      assert.match(form_id, /^form_[0-9a-f]{16}$/);
      assert.equal(enabled, true);
    }
    assert.notEqual(one.form_id, two.form_id);
  });

  test('a form_id that exists within its site answers 409; another site may have it', async () => {
    const [site, other] = [await aSite(service), await aSite(service)];
    await aForm(service, { site_id: site.id, form_id: 'contact' });
    await aForm(service, { site_id: other.id, form_id: 'contact' });
    const body = { name: 'Contact', site_id: site.id, form_id: 'contact' };
    const again = await call(service, 'POST', FORMS, { body });
    assert.equal(again.status, 409);
    assert.deepEqual(again.body, { error: 'Another form of the site has this form_id.', code: 'conflict' });

    const second = await aForm(service, { site_id: site.id, form_id: 'callback' });
    assert.equal((await patch(service, `${FORMS}/${second.id}`, { form_id: 'contact' })).status, 409);
    assert.deepEqual(await service.get(`${FORMS}/${second.id}`), second);
  });

  test('PATCH changes what it is given and nothing else', async () => {
    const { id: site_id } = await aSite(service);
    const other = await aSite(service);
    const form = await aForm(service, { site_id, form_id: 'contact' });
    let expected = form;
    for (const changes of [
      { name: 'New' },
      { enabled: false },
      { form_id: 'contact-2' },
      { form_id: 'contact-2' },
      {},
    ]) {
      expected = { ...expected, ...changes };
      const { status, body } = await patch(service, `${FORMS}/${form.id}`, changes);
      assert.deepEqual([status, body], [200, expected]);
    }
    const ignored = { id: 7, site_id: other.id, site_key: other.site_key };
    assert.deepEqual((await patch(service, `${FORMS}/${form.id}`, ignored)).body, expected);
    assert.deepEqual(await service.get(`${FORMS}/${form.id}`), expected);
  });

  test('a form shows the key that its site has now', async () => {
    const site = await aSite(service, { site_key: 'old' });
    const form = await aForm(service, { site_id: site.id });
    await patch(service, `${SITES}/${site.id}`, { site_key: 'new' });
    assert.equal((await service.get<Form>(`${FORMS}/${form.id}`)).site_key, 'new');
  });

  test('DELETE answers {deleted: true}, and the site stays', async () => {
    const site = await aSite(service);
    const form = await aForm(service, { site_id: site.id });
    const { status, body } = await call<unknown>(service, 'DELETE', `${FORMS}/${form.id}`);
    assert.deepEqual([status, body], [200, { deleted: true }]);
    assert.equal((await service.get<{ total: number }>(FORMS)).total, 0);
    assert.equal((await service.get<{ total: number }>(SITES)).total, 1);
  });

  test('site_id shows the forms of one site', async () => {
    const [site, other] = [await aSite(service), await aSite(service)];
    const form = await aForm(service, { site_id: site.id });
    await aForm(service, { site_id: other.id });
    assert.deepEqual(await service.get(`${FORMS}?site_id=${site.id}`), { forms: [form], total: 1 });
    assert.deepEqual(await service.get(`${FORMS}?site_id=${other.id + 1000}`), { forms: [], total: 0 });
    assert.equal((await service.get<{ total: number }>(FORMS)).total, 2);
    for (const site_id of ['x', '1.5', '-1', '9007199254740993']) {
      assert.equal((await call(service, 'GET', `${FORMS}?site_id=${site_id}`)).status, 400, site_id);
    }
  });
});
