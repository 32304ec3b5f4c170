import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { emptyLeads } from '@leadtrail/testing/leads';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import type { Route } from 'playwright-core';
import { CAPTURE, FAILED } from './support/form-answers.ts';
import { ADA, fillIn, openFormPage, sendWithButton, thankYouPage, useVisits } from './support/form-visits.ts';
import { openKeepableSite, openKeepingChromium } from './support/keepable-site.ts';
import { aFormPage, FIELDS, sentForms, setUpForms } from './support/lead-forms.ts';
import { aPage } from './support/site.ts';

onEitherStore('A form that the visitor comes back to', (kind) => {
  const service = useService(kind);
  const { site, visit } = useVisits();
  before(() => setUpForms(service));
  beforeEach(() => emptyLeads(service));

  test('is not sent again by itself when the page was left in between and sending has failed', async () => {
    site.serve('/', aFormPage(service));
    await visit(
      async ({ page }) => {
        await openFormPage(page, site.url);
        await fillIn(page);
        const held = Promise.withResolvers<Route>();
        await page.route(CAPTURE, (route) => held.resolve(route), { times: 1 });
        await sendWithButton(page);
        const route = await held.promise;
        await page.evaluate(() => {
          for (const name of ['pagehide', 'pageshow']) {
            dispatchEvent(new PageTransitionEvent(name, { persisted: true }));
          }
        });
        assert.equal(await page.locator('form').getAttribute('aria-busy'), null);
        const failed = page.waitForEvent('requestfailed');
        await route.abort();
        await failed;
        assert.equal(await page.getByRole('alert').count(), 0);
        assert.deepEqual(await sentForms(service), []);
        await sendWithButton(page);
        await thankYouPage(page, site);
        assert.equal((await sentForms(service)).length, 1);
      },
      { complaints: [FAILED] },
    );
  });

  test('can be used again after the back button, and nothing is sent by itself', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, site);
      await page.goBack();
      await page.locator('form [name=__pg_hp]').waitFor({ state: 'attached' });
      assert.equal(await page.locator('form').getAttribute('aria-busy'), null);
      assert.equal((await sentForms(service)).length, 1);
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, site);
      assert.equal((await sentForms(service)).length, 2);
    });
  });
});

onEitherStore('A form on a page that the browser has kept', (kind) => {
  const service = useService(kind);
  const { site, visit } = useVisits(openKeepingChromium);
  before(() => setUpForms(service));

  test('can be used again after the back button, and its time counts anew', async (t) => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      const kept = await openKeepableSite(site);
      t.after(() => kept.close());
      await page.clock.install();
      await openFormPage(page, kept.url);
      await page.clock.fastForward(3_600_000);
      await page.evaluate(() => {
        addEventListener('pageshow', ({ persisted }) => Object.assign(window, { isRestored: persisted }));
      });
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, kept);
      await page.evaluate(() => history.back());
      await page.waitForFunction(() => 'isRestored' in window && window.isRestored);
      assert.equal(await page.locator('form').getAttribute('aria-busy'), null);
      assert.equal((await sentForms(service)).length, 1);

      await sendWithButton(page);
      await thankYouPage(page, kept);
      const [first, second, ...others] = await sentForms(service);
      assert.deepEqual(others, []);
      assert.ok(Number(first?.payload.__pg_tts) >= 3600, String(first?.payload.__pg_tts));
      assert.ok(Number(second?.payload.__pg_tts) < 3600, String(second?.payload.__pg_tts));
      assert.equal(second?.payload.EMAIL, ADA.EMAIL);
    });
  });
});

onEitherStore('A form whose page is left while it is being sent', (kind) => {
  const reached = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const service = useService(kind, {
    overrides: {
      around: {
        store: (store) => ({
          ...store,
          captureLead: async (capture) => {
            reached.resolve();
            await go.promise;
            const outcome = await store.captureLead(capture);
            stored.resolve();
            return outcome;
          },
        }),
      },
    },
  });
  const { site, visit } = useVisits();
  before(() => setUpForms(service));

  test('is stored once, and the visitor stays on the other page', async () => {
    site.serve('/', aFormPage(service, { fields: `${FIELDS}<a href="/other">Other</a>` }));
    site.serve('/other', aPage({ title: 'Other' }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await fillIn(page);
      await sendWithButton(page);
      await reached.promise;
      await page.getByRole('link').click();
      await page.waitForURL(`${site.url}/other`);
      go.resolve();
      await stored.promise;
      await page.goBack();
      await page.locator('form [name=__pg_hp]').waitFor({ state: 'attached' });
      assert.equal(await page.locator('form').getAttribute('aria-busy'), null);
      assert.equal((await sentForms(service)).length, 1);
    });
  });
});
