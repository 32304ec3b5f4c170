import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { emptyLeads } from '@leadtrail/testing/leads';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import type { Page, Route } from 'playwright-core';
import { answered, answerOnce, CAPTURE, FAILED } from './support/form-answers.ts';
import { ADA, fillIn, openFormPage, sendWithButton, thankYouPage, useVisits } from './support/form-visits.ts';
import {
  aFormPage,
  aLeadForm,
  FIELDS,
  FORM_ID,
  formScript,
  KEYS,
  NO_REFERRER,
  SITE_KEY,
  sentForms,
  setUpForms,
  trackerScript,
} from './support/lead-forms.ts';
import { aPage } from './support/site.ts';

/** As an extension does that blocks what scripts send, but not the pages that people go to. */
const blockScripts = (page: Page, address: RegExp) =>
  page.route(address, (route) => (route.request().isNavigationRequest() ? route.continue() : route.abort()));

onEitherStore('When something is in the way, a form', (kind) => {
  const service = useService(kind);
  const { site, visit } = useVisits();
  before(() => setUpForms(service));
  beforeEach(() => emptyLeads(service));

  test('is posted plainly where a script may not send it, with the same fields', async () => {
    const button = '<button name="CTA_NAME" value="brochure">Brochure</button>';
    const odd =
      '<input type="hidden" name="submit" value="odd"><input type="hidden" name="action" value="odd">';
    site.serve('/', aFormPage(service, { fields: FIELDS + button + odd }));
    site.serve('/no-action', aFormPage(service, { action: null, fields: FIELDS + button + odd }));
    await visit(
      async ({ page }) => {
        await blockScripts(page, CAPTURE);
        for (const path of ['/', '/no-action']) {
          await openFormPage(page, `${site.url}${path}?utm_source=ads`);
          await page.evaluate(() => localStorage.setItem('leadtrail_visitor', 'visitor-1'));
          await fillIn(page);
          await page.getByRole('button', { name: 'Brochure' }).dblclick();
          await thankYouPage(page, site);
        }
        const sent = await sentForms(service);
        assert.equal(sent.length, 2);
        for (const { payload } of sent) {
          const { __pg_tts, __touches, PAGE_URL, __submission_id, ...fields } = payload;
          assert.match(String(__touches), /utm_source=ads/);
          assert.match(String(__pg_tts), /^\d+$/);
          assert.match(String(__submission_id), /^[0-9a-f]{11}-[0-9a-f-]{36}$/);
          assert.match(String(PAGE_URL), /\?utm_source=ads$/);
          assert.deepEqual(fields, {
            ...ADA,
            siteKey: SITE_KEY,
            formId: FORM_ID,
            __visitor_id: 'visitor-1',
            __pg_hp: '',
            __utm_source: 'ads',
            CTA_NAME: 'brochure',
            submit: 'odd',
            action: 'odd',
          });
        }
      },
      { complaints: [FAILED, FAILED] },
    );
  });

  test('is sent although nothing is known about it, be the answer blocked, an error or slow', async () => {
    site.serve('/', aFormPage(service, { action: null }));
    const never = new Promise<void>(() => undefined);
    const faults: ((route: Route) => unknown)[] = [
      (route) => route.abort(),
      (route) => route.fulfill({ status: 503, body: '' }),
      (route) => route.fulfill({ headers: { 'access-control-allow-origin': '*' }, body: '<html>' }),
      () => never,
    ];
    for (const fault of faults) {
      await visit(
        async ({ page }) => {
          await page.route(/forms\/config/, fault);
          await page.goto(`${site.url}/?utm_source=ads`);
          await page.locator('form [name=__pg_hp]').waitFor({ state: 'attached' });
          await fillIn(page);
          await sendWithButton(page);
          await thankYouPage(page, site);
        },
        { complaints: fault === faults[0] ? [FAILED] : fault === faults[1] ? [answered(503)] : [] },
      );
    }
    const sent = await sentForms(service);
    assert.equal(sent.length, faults.length);
    for (const { payload, lead } of sent) {
      assert.equal(payload.__pg_hp, '');
      assert.equal(lead.campaign.utm_source, 'ads');
    }
  });

  test('is sent without a visitor where the tracker is blocked', async () => {
    const head = formScript(service) + trackerScript(service);
    site.serve('/', aPage({ head, body: aLeadForm(service) }));
    await visit(
      async ({ page }) => {
        await page.route(/\/t\.js$/, (route) => route.abort('blockedbyclient'));
        await openFormPage(page, site.url);
        await fillIn(page);
        await sendWithButton(page);
        await thankYouPage(page, site);
        const [sent] = await sentForms(service);
        assert.equal('__visitor_id' in (sent?.payload ?? {}), false);
      },
      { complaints: [/ERR_BLOCKED_BY_CLIENT/] },
    );
  });

  test('is posted by the browser where this script is blocked', async () => {
    site.serve('/', aFormPage(service, { fields: KEYS + FIELDS }));
    await visit(
      async ({ page }) => {
        await page.route(/\/f\.js$/, (route) => route.abort('blockedbyclient'));
        await page.goto(site.url);
        await fillIn(page);
        await sendWithButton(page);
        await thankYouPage(page, site);
        assert.equal((await sentForms(service)).length, 1);
      },
      { complaints: [/ERR_BLOCKED_BY_CLIENT/] },
    );
  });

  test('is sent from a page with storage blocked', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await page.addInitScript(() => {
        Object.defineProperty(window, 'localStorage', {
          get: () => {
            throw new DOMException('Denied', 'SecurityError');
          },
        });
      });
      await openFormPage(page, `${site.url}/?gclid=g1`);
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, site);
      const [sent] = await sentForms(service);
      assert.deepEqual(sent?.lead.campaign, { gclid: 'g1' });
    });
  });

  test('is sent from a page with a strict policy', async () => {
    const policy = `default-src 'none'; script-src ${service.url}; connect-src ${service.url}; form-action 'none'`;
    const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">${NO_REFERRER}`;
    site.serve('/', aFormPage(service, { head }));
    await visit(
      async ({ page }) => {
        await openFormPage(page, site.url);
        await answerOnce(page, { status: 503, json: { error: 'Away.' } });
        await fillIn(page);
        await sendWithButton(page);
        await page.getByRole('alert').getByText('could not be sent').waitFor();
        await sendWithButton(page);
        await page.getByRole('status').getByText('All set!').waitFor();
        assert.equal((await sentForms(service)).length, 1);
        const box = await page.locator('form [name=__pg_hp]').boundingBox();
        assert.ok(box && box.y < 0);
      },
      { complaints: [answered(503)] },
    );
  });

  test('is loaded twice and still sent once', async () => {
    site.serve(
      '/',
      aPage({ head: formScript(service) + formScript(service, 'id="again"'), body: aLeadForm(service) }),
    );
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await page.waitForLoadState('load');
      assert.equal(await page.locator('form [name=__pg_hp]').count(), 1);
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, site);
      assert.equal((await sentForms(service)).length, 1);
    });
  });
});
