import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { emptyLeads } from '@leadtrail/testing/leads';
import { aForm, aSite } from '@leadtrail/testing/management';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { type Door, openDoor } from './support/door.ts';
import { FAILED } from './support/form-answers.ts';
import { ADA, fillIn, openFormPage, sendWithButton, thankYouPage, useVisits } from './support/form-visits.ts';
import { aFormPage, formScript, sentForms, setUpForms } from './support/lead-forms.ts';
import { aPage } from './support/site.ts';

const RETRY_MS = 11_000;
const REFUSED = /Failed to load resource: net::ERR_CONNECTION_REFUSED/;
const UNREADABLE = /blocked by CORS policy/;
const FORBIDDEN = /Content Security Policy/;

/** As an extension does that blocks what scripts send, and neither scripts nor pages. */
const blockFetch = (page: Page, { url }: { url: string }) =>
  page.route(`${url}/**`, (route) =>
    ['fetch', 'xhr'].includes(route.request().resourceType()) ? route.abort() : route.continue(),
  );

onEitherStore('A form whose way to the service is blocked', (kind) => {
  const service = useService(kind);
  const { site, visit } = useVisits();
  const door = {} as Door;
  before(async () => {
    await setUpForms(service);
    Object.assign(door, await openDoor(service));
  });
  beforeEach(() => emptyLeads(service));
  after(() => door.close?.());

  const openWithExtras = async (page: Page, address: string) => {
    const extras = page.waitForResponse(/\/fx\.js$/);
    await openFormPage(page, address);
    await (await extras).finished();
    await page.waitForFunction(
      () => new FormData(document.querySelector('form') ?? undefined).get('siteKey') !== null,
    );
  };
  const staysAndIsKept = async (page: Page) => {
    await page.getByRole('alert').getByText('Your message is kept and sent by itself').waitFor();
    assert.equal(page.url(), `${site.url}/`);
    assert.equal(await page.locator('form').getAttribute('aria-busy'), null);
    assert.equal(await page.locator('[name=EMAIL]').inputValue(), ADA.EMAIL);
    assert.deepEqual(await sentForms(service), []);
  };
  const isSentByItself = async (page: Page) => {
    await page.clock.fastForward(RETRY_MS);
    await page.getByRole('status').getByText('All set!').waitFor();
    assert.equal(page.url(), `${site.url}/`);
    assert.equal(await page.locator('[name=EMAIL]').inputValue(), '');
    const [only, ...others] = await sentForms(service);
    assert.deepEqual(others, []);
    assert.partialDeepStrictEqual(only?.payload, ADA);
    assert.equal(await page.evaluate(() => localStorage.getItem('leadtrail_forms')), null);
  };

  for (const { answer, by, complaints } of [
    // The form, and whether anything is there.
    { answer: 'refused', by: 'the service refuses connections', complaints: [REFUSED, REFUSED] },
    {
      answer: 'bad gateway',
      by: 'only a proxy answers',
      complaints: [UNREADABLE, FAILED, UNREADABLE, FAILED],
    },
  ] as const) {
    test(`stays on its page while ${by}, and is sent by itself when the service is back`, async () => {
      await door.open();
      site.serve('/', aFormPage(door));
      await visit(
        async ({ page }) => {
          await page.clock.install();
          await openWithExtras(page, site.url);
          await fillIn(page);
          await door.shut(answer);
          await sendWithButton(page);
          await staysAndIsKept(page);
          await door.open();
          await isSentByItself(page);
        },
        { complaints: [...complaints] },
      );
    });
  }

  test('is posted plainly where only scripts are stopped, and counts once with what was kept', async () => {
    site.serve('/', aFormPage(service));
    site.serve('/later', aPage({ head: formScript(service) }));
    await visit(
      async ({ page }) => {
        await page.clock.install();
        await openWithExtras(page, site.url);
        await fillIn(page);
        await blockFetch(page, service);
        await sendWithButton(page);
        await thankYouPage(page, site);
        assert.equal((await sentForms(service)).length, 1);
        await page.unrouteAll();
        const extras = page.waitForResponse(/\/fx\.js$/);
        await page.goto(`${site.url}/later`);
        await (await extras).finished();
        const again = page.waitForResponse(/\/lead\.capture$/);
        await page.clock.fastForward(RETRY_MS);
        assert.equal((await again).status(), 200);
        await page.waitForFunction(() => localStorage.getItem('leadtrail_forms') === null);
        assert.equal((await sentForms(service)).length, 1);
      },
      { complaints: [FAILED] },
    );
  });

  test('is posted plainly where the policy of the page stops scripts and frames', async () => {
    const policy = `default-src 'none'; script-src ${service.url}; connect-src 'none'; frame-src 'none'`;
    const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
    site.serve('/', aFormPage(service, { head }));
    await visit(
      async ({ page }) => {
        const extras = page.waitForResponse(/\/fx\.js$/);
        await page.goto(site.url);
        await (await extras).finished();
        await fillIn(page);
        await sendWithButton(page);
        await thankYouPage(page, site);
        assert.equal((await sentForms(service)).length, 1);
      },
      { complaints: [FORBIDDEN, FORBIDDEN, FORBIDDEN, FORBIDDEN] },
    );
  });

  test('is posted plainly where nothing can be kept', async () => {
    const keys = { siteKey: 'plain', formId: 'plain-form' };
    const { id } = await aSite(service, { site_key: 'plain', domains: [new URL(site.plainUrl).host] });
    await aForm(service, { site_id: id, form_id: keys.formId });
    site.serve('/', aFormPage(service, keys));
    await visit(
      async ({ page }) => {
        await openWithExtras(page, site.plainUrl);
        await fillIn(page);
        await blockFetch(page, service);
        const scripts: string[] = [];
        page.on('request', (sent) => scripts.push(sent.url()));
        await sendWithButton(page);
        await page.waitForURL(`${site.plainUrl}/thank-you.html`);
        assert.equal((await sentForms(service)).length, 1);
        assert.deepEqual(
          scripts.filter((url) => url.includes('fx.js')),
          [],
        );
      },
      { complaints: [FAILED] },
    );
  });

  test('is not posted plainly once its page was left and come back to', async () => {
    site.serve('/', aFormPage(service));
    await visit(
      async ({ page }) => {
        await openWithExtras(page, site.url);
        await fillIn(page);
        await blockFetch(page, service);
        const go = Promise.withResolvers<void>();
        await page.route(/\/fx\.js\?/, async (route) => {
          await go.promise;
          await route.continue();
        });
        const asked = page.waitForRequest(/\/fx\.js\?/);
        await sendWithButton(page);
        const request = await asked;
        await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
        go.resolve();
        await (await request.response())?.finished();
        await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
        assert.equal(page.url(), `${site.url}/`);
        assert.deepEqual(await sentForms(service), []);
      },
      { complaints: [FAILED] },
    );
  });
});
