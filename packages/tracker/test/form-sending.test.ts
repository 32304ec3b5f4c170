import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { emptyLeads } from '@leadtrail/testing/leads';
import { aForm, aSite } from '@leadtrail/testing/management';
import { onEitherStore, useService } from '@leadtrail/testing/service';
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

onEitherStore('A form on a page', (kind) => {
  const service = useService(kind);
  const { site, visit } = useVisits();
  before(() => setUpForms(service));
  beforeEach(() => emptyLeads(service));

  test('works without any script: the lead is stored and the browser goes to the thank-you page', async () => {
    site.serve('/', aFormPage(service, { fields: KEYS + FIELDS }));
    await visit(
      async ({ page }) => {
        await page.goto(site.url);
        await fillIn(page);
        await sendWithButton(page);
        await thankYouPage(page, site);
        const [sent, ...others] = await sentForms(service);
        assert.deepEqual(others, []);
        assert.deepEqual(sent?.payload, { siteKey: SITE_KEY, formId: FORM_ID, ...ADA });
      },
      { javaScriptEnabled: false },
    );
  });

  test('with the script it is sent in the background, with everything that the visitor does not type', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await openFormPage(page, `${site.url}/?utm_source=ads&gclid=g1&other=1#offer`);
      await page.evaluate(() => localStorage.setItem('leadtrail_visitor', 'visitor-1'));
      await fillIn(page);
      const request = page.waitForRequest((sent) => sent.url().endsWith('/lead.capture'));
      await sendWithButton(page);
      assert.equal((await request).isNavigationRequest(), false);
      assert.equal((await request).headers()['content-type'], 'application/x-www-form-urlencoded');
      await thankYouPage(page, site);

      const [sent, ...others] = await sentForms(service);
      assert.deepEqual(others, []);
      const { __pg_tts, __touches, __submission_id, ...payload } = sent?.payload ?? {};
      assert.match(String(__pg_tts), /^\d+$/);
      assert.match(String(__submission_id), /^[0-9a-f]{11}-[0-9a-f-]{36}$/);
      assert.equal(JSON.parse(String(__touches)).length, 2);
      assert.deepEqual(payload, {
        ...ADA,
        siteKey: SITE_KEY,
        formId: FORM_ID,
        __visitor_id: 'visitor-1',
        __pg_hp: '',
        __utm_source: 'ads',
        __gclid: 'g1',
        PAGE_URL: `${site.url}/?utm_source=ads&gclid=g1&other=1#offer`,
      });
      assert.deepEqual(sent?.lead.campaign, { gclid: 'g1', utm_source: 'ads' });
    });
  });

  test('beside the tracker it is sent with the visitor that the tracker knows', async () => {
    const head = trackerScript(service) + formScript(service);
    site.serve('/', aPage({ head, body: aLeadForm(service) }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      const known = await page.waitForFunction(() => localStorage.getItem('leadtrail_visitor'));
      const visitor = await known.jsonValue();
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, site);
      const [sent] = await sentForms(service);
      assert.equal(sent?.payload.__visitor_id, visitor);
      assert.equal(sent?.lead.visitor_id, visitor);
    });
  });

  test('what the page fills in itself stays, in whatever case it is written', async () => {
    const own = `
      <input type="hidden" name="page_url" value="https://landing.example/own">
      <input type="hidden" name="__utm_source" value="own">
      <input type="hidden" name="__utm_medium" value="">
      <input name="__pg_hp" hidden>`;
    site.serve('/', aFormPage(service, { fields: FIELDS + own }));
    await visit(async ({ page }) => {
      const config = page.waitForResponse(/forms\/config/);
      await page.goto(`${site.url}/?utm_source=ads&utm_medium=cpc`);
      await config;
      await fillIn(page);
      assert.equal(await page.locator('[name=__pg_hp]').count(), 1);
      await sendWithButton(page);
      await thankYouPage(page, site);
      const [sent] = await sentForms(service);
      assert.partialDeepStrictEqual(sent?.payload, {
        page_url: 'https://landing.example/own',
        __utm_source: 'own',
        __utm_medium: 'cpc',
      });
      assert.equal('PAGE_URL' in (sent?.payload ?? {}), false);
    });
  });

  test('the button that was pressed is sent with its name and value', async () => {
    const buttons = '<button name="CTA_NAME" value="brochure">Brochure</button>';
    site.serve('/', aFormPage(service, { fields: FIELDS + buttons }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await fillIn(page);
      await page.getByRole('button', { name: 'Brochure' }).click();
      await thankYouPage(page, site);
      assert.deepEqual(
        (await sentForms(service)).map(({ payload }) => payload.CTA_NAME),
        ['brochure'],
      );
    });
  });

  test('Enter and requestSubmit send it too', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await fillIn(page);
      await page.locator('[name=EMAIL]').press('Enter');
      await thankYouPage(page, site);
      await openFormPage(page, site.url);
      await fillIn(page);
      await page.evaluate(() => document.querySelector('form')?.requestSubmit());
      await thankYouPage(page, site);
      assert.equal((await sentForms(service)).length, 2);
    });
  });

  test('a double click, or Enter pressed twice, sends it once', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await fillIn(page);
      await page.getByRole('button', { name: 'Send' }).dblclick();
      await thankYouPage(page, site);
      assert.equal((await sentForms(service)).length, 1);

      let captures = 0;
      const answer = Promise.withResolvers<void>();
      await page.route(/lead\.capture/, async (route) => {
        captures += 1;
        await answer.promise;
        await route.continue();
      });
      await openFormPage(page, site.url);
      await fillIn(page);
      for (let i = 0; i < 2; i++) await page.locator('[name=EMAIL]').press('Enter');
      await page.evaluate(() => document.querySelector('form')?.requestSubmit());
      assert.equal(await page.locator('form').getAttribute('aria-busy'), 'true');
      answer.resolve();
      await thankYouPage(page, site);
      assert.equal(captures, 1);
      assert.equal((await sentForms(service)).length, 2);
    });
  });

  test("the browser's own validation stays: what is not valid is not sent", async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      const captured: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/lead.capture')) captured.push(request.method());
      });
      await openFormPage(page, site.url);
      await fillIn(page, { FIRSTNAME: 'Ada', EMAIL: 'no address' });
      await sendWithButton(page);
      const email = page.locator('[name=EMAIL]');
      assert.equal(await email.evaluate((field) => field.matches(':invalid:focus')), true);
      assert.equal(await page.locator('form').getAttribute('aria-busy'), null);
      assert.deepEqual(captured, []);
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, site);
      assert.equal((await sentForms(service)).length, 1);
    });
  });

  test('a submit event that the page has cancelled is not sent', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await page.evaluate(() => {
        document.addEventListener('submit', (event) => event.preventDefault(), { once: true });
      });
      await fillIn(page);
      await sendWithButton(page);
      assert.equal(await page.locator('form').getAttribute('aria-busy'), null);
      await sendWithButton(page);
      await thankYouPage(page, site);
      assert.equal((await sentForms(service)).length, 1);
    });
  });

  test('the time to submit is counted in whole seconds from when the form could be used', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await page.clock.install();
      await openFormPage(page, site.url);
      await fillIn(page);
      await page.clock.pauseAt(Date.now() + 3_600_000);
      const before = Number(
        await page.evaluate(() => new FormData(document.querySelector('form') ?? undefined).get('__pg_tts')),
      );
      assert.ok(before >= 3500, String(before));
      await page.clock.fastForward(7000);
      await sendWithButton(page);
      await thankYouPage(page, site);
      const [sent] = await sentForms(service);
      assert.equal(sent?.payload.__pg_tts, String(before + 7));
      assert.equal(sent?.lead.time_to_submit_s, before + 7);
    });
  });

  test('the campaign of the first page is kept for a form on the second', async () => {
    site.serve('/', aPage({ head: formScript(service), body: '<a href="/contact">Contact</a>' }));
    site.serve('/contact', aFormPage(service));
    await visit(async ({ page }) => {
      await page.goto(`${site.url}/?utm_source=ads&utm_campaign=spring&msclkid=m1`);
      await page.waitForFunction(() => localStorage.getItem('leadtrail_campaign') !== null);
      await page.getByRole('link').click();
      await fillIn(page);
      await page.locator('form [aria-hidden] input').waitFor({ state: 'attached' });
      await sendWithButton(page);
      await thankYouPage(page, site);
      const [sent] = await sentForms(service);
      assert.deepEqual(sent?.lead.campaign, { utm_source: 'ads', utm_campaign: 'spring', msclkid: 'm1' });
    });
  });

  test('how the person came first and last is kept for a later, direct visit', async () => {
    site.serve('/', aFormPage(service));
    site.serve('/contact', aFormPage(service));
    await visit(async ({ page }) => {
      await openFormPage(page, `${site.url}/?page=1`, { referer: 'https://search.example/find?q=flats' });
      await openFormPage(page, `${site.url}/?utm_source=ads&session=secret`);
      await page.evaluate(() => localStorage.removeItem('leadtrail_campaign'));
      await openFormPage(page, `${site.url}/contact`);
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, site);
      const [sent] = await sentForms(service);
      // The form itself names none: it is that of the last touch.
      assert.equal(sent?.payload.__utm_source, undefined);
      assert.deepEqual(sent?.lead.campaign, { utm_source: 'ads' });
      const touches = JSON.parse(String(sent?.payload.__touches)) as unknown[][];
      assert.deepEqual(
        touches.map(([, address]) => address),
        [`${site.url}/?`, `${site.url}/?utm_source=ads`],
      );
      assert.match(String(touches[0]?.[2]), /^https:\/\/search\.example\//);
    });
  });

  test('the campaign outlives a change of the address, also where nothing may be kept', async () => {
    site.serve('/', aFormPage(service, { tag: 'data-consent="required"' }));
    await visit(async ({ page }) => {
      // Nothing is asked for before consent, so there is no configuration to wait for.
      await page.goto(`${site.url}/?utm_source=ads`);
      await page.locator('form [name=__pg_hp]').waitFor({ state: 'attached' });
      await page.evaluate(() => {
        localStorage.setItem('leadtrail_visitor', 'left over');
        history.pushState(null, '', '/contact');
      });
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, site);
      const [sent] = await sentForms(service);
      assert.deepEqual(sent?.lead.campaign, { utm_source: 'ads' });
      assert.equal(sent?.payload.PAGE_URL, `${site.url}/contact`);
      assert.equal('__visitor_id' in (sent?.payload ?? {}), false);
      assert.equal(await page.evaluate(() => localStorage.getItem('leadtrail_campaign')), null);
      assert.equal(await page.evaluate(() => localStorage.getItem('leadtrail_touches')), null);
    });
  });

  test('several forms on a page are sent each for itself; one without data-site is of the script tag’s site', async () => {
    const forms =
      aLeadForm(service, { attributes: 'id="first"' }) +
      aLeadForm(service, { formId: 'callback', siteKey: null, attributes: 'id="second"' });
    site.serve('/', aPage({ head: NO_REFERRER + formScript(service), body: forms }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      for (const id of ['second', 'first']) {
        await fillIn(page, ADA, `#${id}`);
        await page.locator(`#${id} button`).click();
        await page.locator(`#${id} + [role=status]`).getByText('All set!').waitFor();
      }
      assert.deepEqual(
        (await sentForms(service)).map(({ payload }) => [payload.siteKey, payload.formId]),
        [
          [SITE_KEY, 'callback'],
          [SITE_KEY, FORM_ID],
        ],
      );
    });
  });

  test('a form that appears later is sent the same way, also when it becomes another form', async () => {
    site.serve('/', aPage({ head: NO_REFERRER + formScript(service) }));
    await visit(async ({ page }) => {
      await page.goto(site.url);
      const config = page.waitForResponse(/formId=enquiry/);
      await page.evaluate((form) => document.body.insertAdjacentHTML('beforeend', form), aLeadForm(service));
      await config;
      await fillIn(page);
      await sendWithButton(page);
      await page.getByRole('status').getByText('All set!').waitFor();

      const otherConfig = page.waitForResponse(/formId=callback/);
      await page.locator('form').evaluate((form) => form.setAttribute('data-leadtrail-form', 'callback'));
      await otherConfig;
      await fillIn(page);
      await sendWithButton(page);
      await page.getByRole('status').getByText('All set!').waitFor();
      assert.deepEqual(
        (await sentForms(service)).map(({ payload }) => payload.formId),
        [FORM_ID, 'callback'],
      );
      assert.equal(await page.locator('form [aria-hidden] input').count(), 1);
    });
  });

  test('a form with a file is sent as multipart, and so is one that says so', async () => {
    const file = '<label>Plan <input type="file" name="PLAN"></label>';
    site.serve('/file', aFormPage(service, { fields: FIELDS + file }));
    site.serve('/multipart', aFormPage(service, { attributes: 'enctype="multipart/form-data"' }));
    await visit(async ({ page }) => {
      for (const path of ['/file', '/multipart']) {
        await openFormPage(page, site.url + path);
        await fillIn(page);
        if (path === '/file') {
          const plan = { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('plan') };
          await page.getByLabel('Plan').setInputFiles(plan);
        }
        const request = page.waitForRequest((sent) => sent.url().endsWith('/lead.capture'));
        await sendWithButton(page);
        assert.match((await request).headers()['content-type'] ?? '', /^multipart\/form-data; boundary=/);
        await thankYouPage(page, site);
      }
      const [withFile, without] = await sentForms(service);
      assert.partialDeepStrictEqual(withFile?.payload, { ...ADA, PLAN: 'plan.pdf', siteKey: SITE_KEY });
      assert.partialDeepStrictEqual(without?.payload, { ...ADA, siteKey: SITE_KEY });
    });
  });

  test('fields may be called like the parts of a form: action, method, submit, reset', async () => {
    const names = ['action', 'method', 'submit', 'reset', 'enctype', 'append', 'target'];
    const odd = names.map((name) => `<input type="hidden" name="${name}" value="odd">`).join('');
    site.serve('/', aFormPage(service, { head: NO_REFERRER, fields: FIELDS + odd }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await fillIn(page);
      await sendWithButton(page);
      await page.getByRole('status').getByText('All set!').waitFor();
      const [sent] = await sentForms(service);
      assert.partialDeepStrictEqual(sent?.payload, Object.fromEntries(names.map((name) => [name, 'odd'])));
      assert.equal(await page.locator('[name=FIRSTNAME]').inputValue(), '');
    });
  });

  test('a form without an action goes to where the service says', async () => {
    site.serve('/', aFormPage(service, { action: null }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, site);
      assert.equal((await sentForms(service)).length, 1);
    });
  });

  test('a page that is not encrypted can send it too', async () => {
    await aSite(service, { site_key: 'plain', domains: [new URL(site.plainUrl).host] });
    await aForm(service, { site_key: 'plain', form_id: 'plain-form' });
    site.serve('/', aFormPage(service, { siteKey: 'plain', formId: 'plain-form' }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.plainUrl);
      await fillIn(page);
      await sendWithButton(page);
      await page.waitForURL(`${site.plainUrl}/thank-you.html`);
      assert.equal((await sentForms(service)).length, 1);
    });
  });
});
