import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { emptyLeads } from '@leadtrail/testing/leads';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import { answered, answerOnce, CAPTURE, eventsOf, watchEvents } from './support/form-answers.ts';
import { ADA, fillIn, openFormPage, sendWithButton, thankYouPage, useVisits } from './support/form-visits.ts';
import {
  aFormPage,
  aLeadForm,
  ELSEWHERE,
  FIELDS,
  formScript,
  NO_REFERRER,
  sentForms,
  setUpForms,
} from './support/lead-forms.ts';
import { aPage } from './support/site.ts';

onEitherStore('After it was sent, a form', (kind) => {
  const service = useService(kind);
  const { site, visit } = useVisits();
  before(() => setUpForms(service));
  beforeEach(() => emptyLeads(service));

  for (const status of [429, 500, 503]) {
    test(`says so when the service answers ${status}, keeps what was typed, and can be sent again`, async () => {
      site.serve('/', aFormPage(service));
      await visit(
        async ({ page }) => {
          await openFormPage(page, site.url);
          await fillIn(page);
          await answerOnce(page, { status, json: { error: 'For developers.' } });
          await sendWithButton(page);
          const alert = page.getByRole('alert');
          await alert
            .getByText('The form could not be sent just now. Please try again in a moment.')
            .waitFor();
          await page.waitForFunction(() => document.activeElement?.matches('form [role=alert]'));
          assert.equal(await page.locator('form').getAttribute('aria-busy'), null);
          for (const [name, typed] of Object.entries(ADA)) {
            assert.equal(await page.locator(`[name=${name}]`).inputValue(), typed);
          }
          assert.deepEqual(await sentForms(service), []);
          await sendWithButton(page);
          await thankYouPage(page, site);
          assert.equal((await sentForms(service)).length, 1);
        },
        { complaints: [answered(status)] },
      );
    });
  }

  test('says so when the visitor is offline, and is sent when the visitor presses again', async () => {
    site.serve('/', aFormPage(service));
    await visit(
      async ({ page, context }) => {
        await openFormPage(page, site.url);
        await fillIn(page);
        await context.setOffline(true);
        await sendWithButton(page);
        await page.getByRole('alert').getByText('You seem to be offline.').waitFor();
        assert.equal(page.url(), `${site.url}/`);
        assert.equal(await page.locator('[name=EMAIL]').inputValue(), ADA.EMAIL);
        await context.setOffline(false);
        assert.deepEqual(await sentForms(service), []);
        await sendWithButton(page);
        await thankYouPage(page, site);
        assert.equal((await sentForms(service)).length, 1);
      },
      { complaints: [/ERR_INTERNET_DISCONNECTED/] },
    );
  });

  test('says so when no answer comes, and does not send it a second time by itself', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await fillIn(page);
      let captures = 0;
      const first = Promise.withResolvers<void>();
      await page.route(CAPTURE, (route) => {
        captures += 1;
        if (captures > 1) return route.continue();
        return first.resolve();
      });
      // The time that the script waits is over when the test says so.
      await page.evaluate(() => {
        const { timeout } = AbortSignal;
        const waiting = new AbortController();
        AbortSignal.timeout = () => waiting.signal;
        Object.assign(window, {
          endWaiting() {
            AbortSignal.timeout = timeout;
            waiting.abort(new DOMException('Over.', 'TimeoutError'));
          },
        });
      });
      await sendWithButton(page);
      await first.promise;
      await page.evaluate(() => (window as unknown as { endWaiting(): void }).endWaiting());
      await page.getByRole('alert').getByText('The form could not be sent just now.').waitFor();
      assert.equal(page.url(), `${site.url}/`);
      assert.equal(captures, 1);
      await sendWithButton(page);
      await thankYouPage(page, site);
      assert.equal((await sentForms(service)).length, 1);
    });
  });

  test('says so when its site does not allow this page, in words for people', async () => {
    site.serve('/', aFormPage(service, { siteKey: ELSEWHERE.site, formId: ELSEWHERE.form }));
    await visit(
      async ({ page }) => {
        await openFormPage(page, site.url);
        await watchEvents(page, 'leadtrail:error');
        await fillIn(page);
        await sendWithButton(page);
        await page.getByRole('alert').getByText('The form cannot be sent from this page.').waitFor();
        assert.deepEqual(await eventsOf(page), [
          { status: 403, error: 'This domain is not allowed for the site.' },
        ]);
        assert.deepEqual(await sentForms(service), []);
      },
      { complaints: [answered(403)] },
    );
  });

  test('says so when it is too large', async () => {
    site.serve('/', aFormPage(service));
    await visit(
      async ({ page }) => {
        await openFormPage(page, site.url);
        await fillIn(page, { ...ADA, USER_MESSAGE: 'x'.repeat(300_000) });
        await sendWithButton(page);
        await page.getByRole('alert').getByText('The form is too large to send.').waitFor();
        await fillIn(page);
        await sendWithButton(page);
        await thankYouPage(page, site);
        assert.equal((await sentForms(service)).length, 1);
      },
      { complaints: [answered(413)] },
    );
  });

  test('leads to the field that the service names, and takes the mark away when it is sent again', async () => {
    const described = '<p id="hint">Where we reach you</p>';
    const fields = FIELDS.replace('name="EMAIL"', 'name="EMAIL" aria-describedby="hint"');
    site.serve('/', aFormPage(service, { fields: described + fields }));
    await visit(
      async ({ page }) => {
        await openFormPage(page, site.url);
        await fillIn(page);
        const details = [{ path: 'email', message: 'must be an address' }];
        await answerOnce(page, { status: 400, json: { error: 'For developers.', details } });
        await sendWithButton(page);
        const text = 'Some of your input was not accepted. Please check it and send it again.';
        await page.getByRole('alert').getByText(text).waitFor();
        await page.waitForFunction(() => document.activeElement?.matches('[name=EMAIL][aria-invalid=true]'));
        const alertId = await page.getByRole('alert').getAttribute('id');
        const email = page.locator('[name=EMAIL]');
        assert.equal(await email.getAttribute('aria-describedby'), `hint ${alertId}`);
        assert.equal(await page.locator('[name=FIRSTNAME]').getAttribute('aria-invalid'), null);

        await page.evaluate(() => addEventListener('leadtrail:sent', (event) => event.preventDefault()));
        await sendWithButton(page);
        await page.locator('form:not([aria-busy])').waitFor();
        assert.equal(await email.getAttribute('aria-invalid'), null);
        assert.equal(await email.getAttribute('aria-describedby'), 'hint');
        assert.equal(await page.getByRole('alert').count(), 0);
      },
      { complaints: [answered(400)] },
    );
  });

  test('says what the page wants it to say, where the page wants it', async () => {
    const attributes = `data-error-text="Leider nicht." data-offline-text="Kein Netz." data-success-text="Danke!"`;
    const outlets = '<p data-leadtrail-error hidden></p>';
    const body = `${aLeadForm(service, { attributes, fields: FIELDS + outlets })}
      <div data-leadtrail-success class="own"></div>`;
    site.serve('/', aPage({ head: NO_REFERRER + formScript(service), body }));
    await visit(
      async ({ page, context }) => {
        await openFormPage(page, site.url);
        await fillIn(page);
        await answerOnce(page, { status: 500, json: {} });
        await sendWithButton(page);
        await page.locator('p[data-leadtrail-error][role=alert]').getByText('Leider nicht.').waitFor();
        await context.setOffline(true);
        await sendWithButton(page);
        await page.getByRole('alert').getByText('Kein Netz.').waitFor();
        await context.setOffline(false);
        await sendWithButton(page);
        await page.locator('div.own[role=status]').getByText('Danke!').waitFor();
        assert.equal(await page.getByRole('alert').count(), 0);
        assert.equal(await page.locator('[data-leadtrail-error]').count(), 1);
        assert.equal(await page.locator('[data-leadtrail-success]').count(), 1);
      },
      { complaints: [answered(500), /ERR_INTERNET_DISCONNECTED/] },
    );
  });

  test('shows the success that the page has laid out itself', async () => {
    const success = '<div data-leadtrail-success hidden>We call you <b>today</b>.</div>';
    site.serve('/', aFormPage(service, { head: NO_REFERRER, fields: FIELDS + success }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await fillIn(page);
      await sendWithButton(page);
      await page.getByRole('status').locator('b').getByText('today').waitFor();
    });
  });

  test('shows the message of the service and is empty again where there is no page to go to', async () => {
    site.serve('/', aFormPage(service, { head: NO_REFERRER }));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await watchEvents(page, 'leadtrail:sent');
      for (let sent = 1; sent <= 2; sent++) {
        await fillIn(page);
        await sendWithButton(page);
        await page.locator('form + [role=status]').getByText('All set!').waitFor();
        await page.locator('form:not([aria-busy])').waitFor();
        assert.equal(await page.locator('[name=EMAIL]').inputValue(), '');
        assert.equal((await sentForms(service)).length, sent);
      }
      assert.deepEqual(await eventsOf(page), [
        { message: 'All set!', redirect_to: null },
        { message: 'All set!', redirect_to: null },
      ]);
      assert.equal(page.url(), `${site.url}/`);
    });
  });

  test('leaves the rest to a page that cancels leadtrail:sent', async () => {
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      await openFormPage(page, site.url);
      await watchEvents(page, 'leadtrail:sent', true);
      await fillIn(page);
      await sendWithButton(page);
      await page.waitForFunction(() => (window as unknown as { events: unknown[] }).events.length > 0);
      await page.locator('form:not([aria-busy])').waitFor();
      assert.deepEqual(await eventsOf(page), [
        { message: 'All set!', redirect_to: `${site.url}/thank-you.html` },
      ]);
      assert.equal(page.url(), `${site.url}/`);
      assert.equal(await page.getByRole('status').count(), 0);
      assert.equal(await page.locator('[name=EMAIL]').inputValue(), ADA.EMAIL);
      assert.equal((await sentForms(service)).length, 1);
    });
  });
});
