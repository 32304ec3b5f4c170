import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { emptyLeads } from '@leadtrail/testing/leads';
import { onBothStores, useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { fillIn, sendWithButton, thankYouPage, useVisits } from './support/form-visits.ts';
import { aLeadForm, formScript, SITE_KEY, sentForms, setUpForms } from './support/lead-forms.ts';
import { aPage } from './support/site.ts';

const STUB =
  '<script>window.leadtrail = window.leadtrail || function () { (leadtrail.q = leadtrail.q || []).push(arguments) };</script>';
const consent = (page: Page) => page.evaluate(() => localStorage.getItem('leadtrail_consent'));

onBothStores('Where consent is required, a form', (kind) => {
  const service = useService(kind);
  const { site, visit } = useVisits();
  before(() => setUpForms(service));
  beforeEach(() => emptyLeads(service));

  const tracker = () =>
    `<script async src="${service.url}/t.js" data-site="${SITE_KEY}" data-consent="required"></script>`;
  const serve = (head: string) => site.serve('/', aPage({ head, body: aLeadForm(service) }));
  const watch = (page: Page) => {
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(service.url)) asked.push(new URL(request.url()).pathname);
    });
    return asked;
  };
  const ready = (page: Page) => page.locator('form [name=__pg_hp]').waitFor({ state: 'attached' });

  test('follows the tag of the tracker: nothing is asked for, kept or told before', async () => {
    serve(tracker() + formScript(service));
    await visit(async ({ page }) => {
      const asked = watch(page);
      await page.goto(`${site.url}/?utm_source=ads`);
      await ready(page);
      await page.waitForFunction('window.leadtrail?.isLoaded');
      await fillIn(page);
      assert.deepEqual(asked.sort(), ['/c.js', '/f.js', '/t.js']);
      assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);
      await sendWithButton(page);
      await thankYouPage(page, site);
      const [sent] = await sentForms(service);
      assert.equal('__visitor_id' in (sent?.payload ?? {}), false);
      assert.equal('__touches' in (sent?.payload ?? {}), false);
    });
  });

  test('is told of consent by the stub, before any script has loaded and without the tracker', async () => {
    serve(
      `${STUB}<script>leadtrail('consent', true)</script>${formScript(service, 'data-consent="required"')}`,
    );
    await visit(async ({ page }) => {
      await page.goto(site.url);
      await page.waitForFunction(() => localStorage.getItem('leadtrail_consent') === 'true');
      const config = page.waitForRequest(/forms\/config/);
      // As a banner does that goes away.
      await page.evaluate(() => document.body.append(document.createElement('p')));
      await config;
    });
  });

  test('follows Google consent mode: a refusal by default is no choice, an update is', async () => {
    const gtag = `<script>
      window.dataLayer = window.dataLayer || []; function gtag() { dataLayer.push(arguments) }
      gtag('consent', 'default', { analytics_storage: 'denied', ad_storage: 'denied' });</script>`;
    serve(gtag + tracker() + formScript(service));
    await visit(async ({ page }) => {
      const reader = page.waitForResponse(/\/c\.js/);
      await page.goto(site.url);
      await (await reader).finished();
      await ready(page);
      assert.equal(await consent(page), null);
      const started = page.waitForRequest(/session\/start/);
      await page.evaluate("gtag('consent', 'update', { analytics_storage: 'granted' })");
      await started;
      assert.equal(await consent(page), 'true');
      await page.evaluate("gtag('consent', 'update', { analytics_storage: 'denied' })");
      await page.waitForFunction(() => localStorage.getItem('leadtrail_consent') === 'false');
      assert.equal(await page.evaluate(() => localStorage.getItem('leadtrail_visitor')), null);
    });
  });

  test('waits for an update where Google consent mode is denied for some regions', async () => {
    const gtag = `<script>
      window.dataLayer = window.dataLayer || []; function gtag() { dataLayer.push(arguments) }
      gtag('consent', 'default', { analytics_storage: 'denied', region: ['DE'] });
      gtag('consent', 'default', { analytics_storage: 'granted' });</script>`;
    serve(gtag + tracker() + formScript(service));
    await visit(async ({ page }) => {
      const reader = page.waitForResponse(/\/c\.js/);
      await page.goto(site.url);
      await (await reader).finished();
      await ready(page);
      assert.equal(await consent(page), null);
      await page.evaluate("gtag('consent', 'update', { analytics_storage: 'granted' })");
      await page.waitForFunction(() => localStorage.getItem('leadtrail_consent') === 'true');
    });
  });

  for (const [purposes, expected] of [
    [{ 1: true, 8: true }, 'true'],
    [{ 1: true, 8: false }, 'false'],
  ] as const) {
    test(`follows the IAB signal: ${JSON.stringify(purposes)}`, async () => {
      const tool = `<script>
        window.__tcfapi = (command, version, listener) => {
          listener({ gdprApplies: true, eventStatus: 'cmpuishown', purpose: { consents: {} } }, true);
          window.choose = () => listener({ gdprApplies: true, eventStatus: 'useractioncomplete',
            purpose: { consents: ${JSON.stringify(purposes)} } }, true);
        };</script>`;
      serve(tool + tracker() + formScript(service));
      await visit(async ({ page }) => {
        await page.goto(site.url);
        await page.waitForFunction(() => 'choose' in window);
        assert.equal(await consent(page), null);
        await page.evaluate('choose()');
        await page.waitForFunction(
          (wanted) => localStorage.getItem('leadtrail_consent') === wanted,
          expected,
        );
      });
    });
  }
});
