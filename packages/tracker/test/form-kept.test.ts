import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { emptyLeads } from '@leadtrail/testing/leads';
import { onBothStores, useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { answered, answerOnce, CAPTURE } from './support/form-answers.ts';
import { ADA, fillIn, openFormPage, sendWithButton, thankYouPage, useVisits } from './support/form-visits.ts';
import { openKeepableSite } from './support/keepable-site.ts';
import { aFormPage, formScript, sentForms, setUpForms } from './support/lead-forms.ts';
import { aPage } from './support/site.ts';
import { eventually } from './support/tracked-visits.ts';

const RETRY_MS = 11_000;
const kept = (page: Page) => page.evaluate(() => localStorage.getItem('leadtrail_forms'));

onBothStores('A form that the service does not answer', (kind) => {
  const service = useService(kind);
  const { site, visit } = useVisits();
  before(() => setUpForms(service));
  beforeEach(() => emptyLeads(service));

  const open = async (page: Page, url = site.url) => {
    const extras = page.waitForResponse(/\/fx\.js/);
    await openFormPage(page, url);
    await (await extras).finished();
    await page.waitForFunction(
      () => new FormData(document.querySelector('form') ?? undefined).get('siteKey') !== null,
    );
  };
  const sent = (count: number) =>
    eventually(
      () => sentForms(service),
      (forms) => forms.length === count,
    );

  test('is kept encrypted and sent by itself, and the page shows that it has arrived', async () => {
    site.serve('/', aFormPage(service));
    await visit(
      async ({ page }) => {
        await page.clock.install();
        await open(page);
        await fillIn(page);
        await answerOnce(page, { status: 503, json: {} });
        await sendWithButton(page);
        await page.getByRole('alert').getByText('Your message is kept and sent by itself').waitFor();
        const text = await kept(page);
        assert.ok(text);
        // With characters that no encoded text contains by chance.
        assert.ok(!text.includes('ada@') && !text.includes('Call me'));
        assert.deepEqual(await sentForms(service), []);
        await page.clock.fastForward(RETRY_MS);
        await page.getByRole('status').getByText('All set!').waitFor();
        assert.equal(page.url(), `${site.url}/`);
        assert.equal(await page.locator('[name=EMAIL]').inputValue(), '');
        const [only, ...others] = await sent(1);
        assert.deepEqual(others, []);
        assert.partialDeepStrictEqual(only?.payload, ADA);
        assert.equal(await kept(page), null);
      },
      { complaints: [answered(503)] },
    );
  });

  test('is sent as it was, and what the visitor has typed since stays', async () => {
    site.serve('/', aFormPage(service));
    await visit(
      async ({ page }) => {
        await page.clock.install();
        await open(page);
        await fillIn(page);
        await answerOnce(page, { status: 503, json: {} });
        await sendWithButton(page);
        await page.getByRole('alert').getByText('Your message is kept').waitFor();
        await page.locator('[name=EMAIL]').fill('corrected@example.org');
        await page.clock.fastForward(RETRY_MS);
        const [only, ...others] = await sent(1);
        assert.deepEqual(others, []);
        assert.partialDeepStrictEqual(only?.payload, ADA);
        assert.equal(
          await eventually(
            () => kept(page),
            (left) => left === null,
          ),
          null,
        );
        assert.equal(await page.locator('[name=EMAIL]').inputValue(), 'corrected@example.org');
      },
      { complaints: [answered(503)] },
    );
  });

  test('is sent from a later page of the tab, and counts once with what had arrived after all', async () => {
    site.serve('/', aFormPage(service));
    site.serve('/later', aPage({ title: 'Later', head: formScript(service) }));
    await visit(
      async ({ page }) => {
        await page.clock.install();
        await open(page);
        await fillIn(page);
        // It arrives, and its answer is lost.
        await page.route(
          CAPTURE,
          async (route) => {
            await route.fetch();
            await route.fulfill({ status: 503, headers: { 'access-control-allow-origin': '*' }, json: {} });
          },
          { times: 1 },
        );
        await sendWithButton(page);
        await page.getByRole('alert').getByText('Your message is kept').waitFor();
        assert.equal((await sent(1)).length, 1);
        const extras = page.waitForResponse(/\/fx\.js/);
        await page.goto(`${site.url}/later`);
        await (await extras).finished();
        const again = page.waitForResponse(CAPTURE);
        await page.clock.fastForward(RETRY_MS);
        assert.equal((await again).status(), 200);
        await page.waitForFunction(() => localStorage.getItem('leadtrail_forms') === null);
        assert.equal((await sentForms(service)).length, 1);
      },
      { complaints: [answered(503)] },
    );
  });

  test('is sent ten seconds later, however long the page has been open', async () => {
    site.serve('/', aFormPage(service));
    await visit(
      async ({ page }) => {
        await page.clock.install();
        await open(page);
        // In steps: each pause begins after what follows the one before.
        for (let tick = 0; tick < 32; tick++) await page.clock.runFor(10_000);
        await fillIn(page);
        await answerOnce(page, { status: 503, json: {} });
        await sendWithButton(page);
        await page.getByRole('alert').getByText('Your message is kept').waitFor();
        await page.clock.fastForward(RETRY_MS);
        await page.getByRole('status').getByText('All set!').waitFor();
        await sent(1);
      },
      { complaints: [answered(503)] },
    );
  });

  test('is shown as sent on its page that was left and loaded again, unless something else is typed there', async (t) => {
    site.serve('/', aFormPage(service));
    site.serve('/later', aPage({ title: 'Later' }));
    const keepable = await openKeepableSite(site);
    t.after(() => keepable.close());
    for (const typed of [undefined, 'Bob']) {
      await emptyLeads(service);
      await visit(
        async ({ page }) => {
          await page.clock.install();
          await open(page, keepable.url);
          await fillIn(page);
          await answerOnce(page, { status: 503, json: {} });
          await sendWithButton(page);
          await page.getByRole('alert').getByText('Your message is kept').waitFor();
          await page.goto(`${keepable.url}/later`);
          await page.goBack();
          await page.locator('form [name=__pg_hp]').waitFor({ state: 'attached' });
          // The browser fills in again what was there.
          assert.equal(await page.locator('[name=EMAIL]').inputValue(), ADA.EMAIL);
          await page.waitForFunction(
            () => new FormData(document.querySelector('form') ?? undefined).get('siteKey') !== null,
          );
          if (typed !== undefined) await fillIn(page, { FIRSTNAME: typed });
          const arrived = page.waitForResponse(CAPTURE);
          await page.clock.fastForward(RETRY_MS);
          assert.equal((await arrived).status(), 200);
          await page.waitForFunction(() => localStorage.getItem('leadtrail_forms') === null);
          if (typed === undefined) await page.getByRole('status').getByText('All set!').waitFor();
          assert.equal(await page.locator('[name=FIRSTNAME]').inputValue(), typed ?? '');
          assert.equal(await page.getByRole('status').count(), typed === undefined ? 1 : 0);
          assert.equal((await sentForms(service)).length, 1);
        },
        { complaints: [answered(503)] },
      );
    }
  });

  test('is sent by hand again and counts once; nothing is left of it', async () => {
    site.serve('/', aFormPage(service));
    await visit(
      async ({ page }) => {
        await open(page);
        await fillIn(page);
        await answerOnce(page, { status: 503, json: {} });
        await sendWithButton(page);
        await page.getByRole('alert').getByText('Your message is kept').waitFor();
        await sendWithButton(page);
        await thankYouPage(page, site);
        assert.equal((await sentForms(service)).length, 1);
        assert.equal(await kept(page), null);
      },
      { complaints: [answered(503)] },
    );
  });

  test('is not kept where consent is required and missing', async () => {
    site.serve('/', aFormPage(service, { tag: 'data-consent="required"' }));
    await visit(
      async ({ page }) => {
        await page.goto(site.url);
        await page.locator('form [name=__pg_hp]').waitFor({ state: 'attached' });
        await fillIn(page);
        await answerOnce(page, { status: 503, json: {} });
        await sendWithButton(page);
        await page.getByRole('alert').getByText('could not be sent just now').waitFor();
        assert.equal(await kept(page), null);
        assert.equal(await page.evaluate(() => sessionStorage.length), 0);
      },
      { complaints: [answered(503)] },
    );
  });
});
