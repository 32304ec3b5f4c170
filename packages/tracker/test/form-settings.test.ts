import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { emptyLeads } from '@leadtrail/testing/leads';
import { FORMS, patch } from '@leadtrail/testing/management';
import { onBothStores, useService } from '@leadtrail/testing/service';
import { CAPTURE } from './support/form-answers.ts';
import { ADA, fillIn, openFormPage, sendWithButton, thankYouPage, useVisits } from './support/form-visits.ts';
import {
  aFormPage,
  aLeadForm,
  FIELDS,
  FORM_ID,
  formScript,
  sentForms,
  setUpForms,
  trackerScript,
} from './support/lead-forms.ts';
import { aPage } from './support/site.ts';

onBothStores('By its settings, a form', (kind) => {
  const service = useService(kind);
  const { site, visit } = useVisits();
  before(() => setUpForms(service));
  beforeEach(() => emptyLeads(service));

  async function set(settings: object): Promise<void> {
    const { forms } = await service.get<{ forms: { id: number; form_id: string }[] }>(FORMS);
    const { id } = forms.find(({ form_id }) => form_id === FORM_ID) ?? {};
    const usual = { after_sending: 'thank_you_page', texts: {}, field_names: {} };
    assert.equal((await patch(service, `${FORMS}/${id}`, { ...usual, ...settings })).status, 200);
  }

  test('stays and shows its text: focused, announced, and it cannot be sent again', async () => {
    await set({ after_sending: 'text', texts: { success: 'We call you today.' } });
    const style = '<style>form { display: grid }</style>';
    site.serve('/', aFormPage(service, { head: style }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await fillIn(page);
      await page.getByRole('button', { name: 'Send' }).dblclick();
      const text = page.getByRole('status').getByText('We call you today.');
      await text.waitFor();
      await page.waitForFunction(() => document.activeElement?.matches('[role=status]'));
      assert.equal(await page.locator('form').isVisible(), false);
      // Even a script that skips the browser's own validation.
      await page.evaluate(() => {
        const form = document.forms[0] as HTMLFormElement;
        form.noValidate = true;
        form.requestSubmit();
      });
      assert.equal(page.url(), `${site.url}/`);
      assert.equal((await sentForms(service)).length, 1);
    });
  });

  test('goes to its own address', async () => {
    await set({ after_sending: 'address', redirect_url: '/danke' });
    site.serve('/', aFormPage(service));
    site.serve('/danke', aPage({ title: 'Danke' }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await fillIn(page);
      await sendWithButton(page);
      await page.waitForURL(`${site.url}/danke`);
    });
  });

  test('can be sent again where its own address does not leave the page', async () => {
    await set({ after_sending: 'address', redirect_url: '/#danke' });
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await page.clock.install();
      await openFormPage(page, site.url);
      await fillIn(page);
      await sendWithButton(page);
      await page.waitForURL(`${site.url}/#danke`);
      assert.equal(await page.locator('form[aria-busy]').count(), 1);
      await page.clock.fastForward(60_000);
      assert.equal(await page.locator('form[aria-busy]').count(), 0);
    });
  });

  for (const [language, sending, success] of [
    ['en', 'Sending…', 'All set!'],
    ['de-AT', 'Wird gesendet …', 'Vielen Dank! Ihre Nachricht ist angekommen.'],
    ['ar', 'جارٍ الإرسال…', 'شكرًا لك! لقد وصلت رسالتك.'],
  ] as const) {
    test(`shows that it is being sent, in the language of the page: ${language}`, async () => {
      await set({ after_sending: 'text' });
      const body = `<div lang="${language}">${aLeadForm(service)}</div>`;
      site.serve('/', aPage({ head: formScript(service), body }));
      await visit(async ({ page }) => {
        await openFormPage(page, site.url);
        await fillIn(page);
        const go = Promise.withResolvers<void>();
        await page.route(CAPTURE, async (route) => {
          await go.promise;
          await route.continue();
        });
        await sendWithButton(page);
        const button = page.locator('form button');
        await button
          .getByText(sending)
          .or(button.filter({ hasText: sending }))
          .first()
          .waitFor();
        assert.equal(await button.getAttribute('aria-disabled'), 'true');
        go.resolve();
        const status = page.getByRole('status').getByText(success);
        await status.waitFor();
        assert.equal(
          await status.evaluate((text) => getComputedStyle(text).direction),
          language === 'ar' ? 'rtl' : 'ltr',
        );
      });
    });
  }

  test('offers the options of the dashboard after its own', async () => {
    await set({});
    for (const [value, label] of [
      ['Berlin', 'Berlin (DE)'],
      ['Pune', 'Pune (IN)'],
    ]) {
      const made = await call(service, 'POST', '/analytics/dropdown-options', {
        body: { kind: 'city', value, label },
      });
      assert.ok([201, 409].includes(made.status));
    }
    const select =
      '<select name="LOCATION" data-leadtrail-options="city"><option value="">Where?</option></select>';
    site.serve('/', aFormPage(service, { fields: FIELDS + select }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await page.locator('option[value=Pune]').waitFor({ state: 'attached' });
      assert.deepEqual(await page.locator('option').allTextContents(), [
        'Where?',
        'Berlin (DE)',
        'Pune (IN)',
      ]);
      await fillIn(page);
      await page.locator('select').selectOption('Pune');
      await sendWithButton(page);
      await thankYouPage(page, site);
      assert.equal((await sentForms(service))[0]?.lead.project_location, 'Pune');
    });
  });

  test('is understood by autocomplete and type, whatever its fields are called', async () => {
    await set({});
    const fields = `
      <input name="a1" autocomplete="section-x given-name"><input name="a2" autocomplete="family-name">
      <input name="a3" type="email"><input name="a4" type="tel"><input name="flat"><button>Send</button>`;
    site.serve('/', aFormPage(service, { fields }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await page.waitForFunction(
        () => new FormData(document.querySelector('form') ?? undefined).get('__fields') !== null,
      );
      await fillIn(page, {
        a1: 'Ada',
        a2: 'Lovelace',
        a3: 'ada@example.org',
        a4: '+49 30 123456',
        flat: '7b',
      });
      await sendWithButton(page);
      await thankYouPage(page, site);
      const [sent] = await sentForms(service);
      assert.partialDeepStrictEqual(sent?.lead, {
        contact_name: 'Ada Lovelace',
        contact_email: 'ada@example.org',
        contact_phone: '+49 30 123456',
        fields: { flat: '7b' },
      });
    });
  });

  test('names the call to action that was clicked last in the visit', async () => {
    await set({});
    const links = '<a href="#form" data-leadtrail-cta="Brochure">Get it</a>';
    const head = trackerScript(service) + formScript(service);
    site.serve('/', aPage({ head, body: links + aLeadForm(service) }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await page.waitForFunction(() => localStorage.getItem('leadtrail_session')?.includes('"started"'));
      await page.getByRole('link').click();
      await page.waitForFunction(
        () => new FormData(document.querySelector('form') ?? undefined).get('CTA_NAME') === 'Brochure',
      );
      await fillIn(page, ADA);
      await sendWithButton(page);
      await thankYouPage(page, site);
      assert.equal((await sentForms(service))[0]?.submission.cta_name, 'Brochure');
    });
  });
});
