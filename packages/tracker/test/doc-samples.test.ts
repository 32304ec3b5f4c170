import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openChromium } from '@leadtrail/testing/chromium';
import { rows } from '@leadtrail/testing/database';
import { samples } from '@leadtrail/testing/doc-samples';
import { ADMIN_KEY, useService } from '@leadtrail/testing/service';
import type { Browser, Page } from 'playwright-core';
import { PATIENCE_MS } from './support/form-visits.ts';
import { FORM_ID, SITE_KEY, setUpForms } from './support/lead-forms.ts';
import { renderedByReact } from './support/rendered-by-react.ts';
import { renderedByWordPress } from './support/rendered-by-wordpress.ts';
import { aPage, openSite, type Site } from './support/site.ts';
import { eventsOf, eventually, sessionsOf, visitorOf } from './support/tracked-visits.ts';

/** What docs/SITES.md and the README say to paste, pasted. */

describe('Samples for websites in the documentation', () => {
  const service = useService('sqlite', {});
  let browser: Browser;
  let site: Site;
  let pasted: string[];
  before(async () => {
    await setUpForms(service);
    site = await openSite();
    site.serve('/thank-you.html', aPage({ title: 'Thank you' }));
    browser = await openChromium();
    pasted = [...(await samples('docs/SITES.md', 'html')), ...(await samples('README.md', 'html'))].map(
      filledIn,
    );
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  const filledIn = (sample: string) =>
    sample
      .replaceAll('https://leads.example.com', service.url)
      .replaceAll('SITE_KEY', SITE_KEY)
      .replaceAll('FORM_ID', FORM_ID);

  const theOnly = (isMeant: (sample: string) => boolean): string => {
    const [first = '', ...more] = pasted.filter(isMeant);
    assert.deepEqual(more, []);
    assert.notEqual(first, '');
    return first;
  };
  const sampleWith = (text: string) => theOnly((sample) => sample.includes(text));

  async function open(path: string, html: string, look: (page: Page) => Promise<void>): Promise<void> {
    site.serve(path, html);
    const context = await browser.newContext();
    context.setDefaultTimeout(PATIENCE_MS);
    try {
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('pageerror', ({ message }) => problems.push(message));
      await page.goto(site.url + path);
      await look(page);
      assert.deepEqual(problems, []);
    } finally {
      await context.close();
    }
  }

  async function sendsLead(page: Page, email: string): Promise<void> {
    const visitor = await visitorOf(page);
    await page.locator('form [name=__pg_hp]').waitFor({ state: 'attached' });
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForURL('**/thank-you.html');
    const stored = await rows<{ visitor_id: string; project_name: string }>(
      service,
      `select visitor_id, project_name from leads where contact_email = '${email}'`,
    );
    assert.deepEqual(stored, [{ visitor_id: visitor, project_name: 'Riverside Gardens' }]);
  }

  const tags = () =>
    theOnly(
      (sample) => sample.startsWith(`<script async src="${service.url}/t.js"`) && !sample.includes('<form'),
    );
  const form = () => sampleWith('autocomplete="name"');
  const linesOf = (html: string) =>
    html
      .trim()
      .split('\n')
      .map((line) => line.trim());

  test('the README has the same tags', () => {
    const [scripts, opened] = theOnly((sample) => sample.includes('…')).split('<form');
    assert.equal(scripts, tags());
    assert.ok(form().startsWith(`<form${opened?.split('…')[0]}`));
  });

  test('scripts and form of a plain page', () =>
    open('/plain', aPage({ head: tags(), body: form() }), (page) => sendsLead(page, 'plain@example.org')));

  test('layout and form of a React application', async () => {
    const [layout = '', form = ''] = await samples('docs/SITES.md', 'tsx');
    const html = await renderedByReact(filledIn(layout), filledIn(form));
    await open('/react', `<!doctype html>${html}`, (page) => sendsLead(page, 'react@example.org'));
  });

  test('the functions of a WordPress theme', async () => {
    const [functions = ''] = await samples('docs/SITES.md', 'php');
    const head = await renderedByWordPress(filledIn(functions));
    assert.deepEqual(linesOf(head), linesOf(tags()));
    await open('/wordpress', aPage({ head, body: form() }), (page) => sendsLead(page, 'php@example.org'));
  });

  test('the script for a tag manager', () =>
    open('/tags', aPage({ head: sampleWith('dataset.site'), body: form() }), (page) =>
      sendsLead(page, 'tags@example.org'),
    ));

  test('the stub that may be called before the scripts are there', () =>
    open('/stub', aPage({ head: sampleWith('leadtrail.q') + tags() }), async (page) => {
      const visitor = await visitorOf(page);
      const types = await eventually(
        async () => {
          const [session] = await sessionsOf(service, visitor);
          return session === undefined
            ? []
            : (await eventsOf(service, session.session_id)).map(({ type }) => type);
        },
        (found) => found.includes('video_played'),
      );
      assert.ok(types.includes('video_played'));
    }));

  test('the select with options', async () => {
    const option = { kind: 'city', value: 'Pune' };
    const headers = { 'x-api-key': ADMIN_KEY };
    assert.equal((await service.post('/analytics/dropdown-options', option, headers)).status, 201);
    const withOptions = form().replace('<button>', `${sampleWith('data-leadtrail-options')}<button>`);
    await open('/options', aPage({ head: tags(), body: withOptions }), async (page) => {
      await page.locator('select option', { hasText: 'Pune' }).waitFor({ state: 'attached' });
    });
  });
});
