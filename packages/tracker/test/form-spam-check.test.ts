import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { emptyLeads } from '@leadtrail/testing/leads';
import { FORMS, patch } from '@leadtrail/testing/management';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { answered, CAPTURE, FAILED } from './support/form-answers.ts';
import { fillIn, openFormPage, sendWithButton, thankYouPage, useVisits } from './support/form-visits.ts';
import { aFormPage, FORM_ID, sentForms, setUpForms } from './support/lead-forms.ts';

const PROVIDER_SCRIPT = /^https:\/\/(challenges\.cloudflare|js\.hcaptcha)\.com\//;
/** What the providers' scripts do: a field in the form, with a token that is good once. */
const FAKE_PROVIDER = `
  let tokens = 0, field, done;
  const next = () => { field.value = 'token-' + ++tokens; done?.(); };
  window.turnstile = window.hcaptcha = {
    render(place, { sitekey, callback }) {
      const name = window.provider + '-response';
      place.innerHTML = '<p>Widget ' + sitekey + '</p><textarea hidden name="' + name + '"></textarea>';
      field = place.querySelector('textarea');
      done = callback;
      // A token of Turnstile comes by itself, after a while.
      if (window.provider === 'cf-turnstile') addEventListener('submit', next, { once: true });
      return 'w1';
    },
    getResponse: () => field.value,
    reset: next,
    execute: async () => next(),
  };`;

onEitherStore('A form with a spam check', (kind) => {
  let provider: Receiver;
  const addresses = { turnstile: '', hcaptcha: '' };
  before(async () => {
    provider = await startReceiver();
    addresses.turnstile = addresses.hcaptcha = provider.url;
  });
  after(() => provider.close());
  const service = useService(kind, { overrides: { captchaAddresses: addresses } });
  const { site, visit } = useVisits();
  before(() => setUpForms(service));
  beforeEach(() => emptyLeads(service));

  /** Forms that fail are refused, so that whatever arrives has passed. */
  async function set(settings: object): Promise<void> {
    const { forms } = await service.get<{ forms: { id: number; form_id: string }[] }>(FORMS);
    const { id } = forms.find(({ form_id }) => form_id === FORM_ID) ?? {};
    const keys = { spam_check_site_key: 'public', spam_check_secret: 'secret' };
    const answer = await patch(service, `${FORMS}/${id}`, {
      spam_check_failed: 'refuse',
      ...keys,
      ...settings,
    });
    assert.equal(answer.status, 200);
  }

  async function playProvider(page: Page, field: string): Promise<void> {
    provider.reset();
    provider.answer((response) => response.end('{"success":true}'));
    await page.addInitScript(`window.provider = ${JSON.stringify(field)}`);
    await page.route(PROVIDER_SCRIPT, (route) => route.fulfill({ body: FAKE_PROVIDER }));
  }
  const tokensAsked = () => provider.received.map(({ body }) => new URLSearchParams(body).get('response'));

  test('is sent with proof of its work', async () => {
    await set({ spam_check: 'proof_of_work' });
    site.serve('/', aFormPage(service));
    await visit(async ({ page }) => {
      const loaded = page.waitForResponse(/\/sc\.js$/);
      await openFormPage(page, site.url);
      await (await loaded).finished();
      await fillIn(page);
      await sendWithButton(page);
      await thankYouPage(page, site);
      assert.equal((await sentForms(service)).length, 1);
    });
  });

  test('proves it anew for other input after an answer that did not come, on insecure pages too', async () => {
    await set({ spam_check: 'proof_of_work' });
    site.serve('/', aFormPage(service));
    await visit(
      async ({ page }) => {
        await page.addInitScript(() => {
          Object.defineProperty(crypto, 'randomUUID', { value: undefined });
          Object.defineProperty(crypto, 'subtle', { value: undefined });
        });
        await openFormPage(page, site.url);
        const ids: (string | null)[] = [];
        let isAway = true;
        await page.route(CAPTURE, (route) => {
          ids.push(new URLSearchParams(route.request().postData() ?? '').get('__submission_id'));
          const headers = { 'access-control-allow-origin': '*' };
          return isAway ? route.fulfill({ status: 503, headers, body: '{}' }) : route.continue();
        });
        await fillIn(page);
        for (let attempts = 1; attempts <= 2; attempts += 1) {
          await sendWithButton(page);
          await page.waitForFunction(() => document.activeElement?.matches('[role=alert]'));
        }
        isAway = false;
        await fillIn(page, { USER_MESSAGE: 'Call me tomorrow' });
        await sendWithButton(page);
        await thankYouPage(page, site);
        assert.equal(ids[0], ids[1]);
        assert.notEqual(ids[1], ids[2]);
        assert.equal((await sentForms(service)).length, 1);
      },
      { complaints: [answered(503), answered(503)] },
    );
  });

  for (const [check, field] of [
    ['turnstile', 'cf-turnstile'],
    ['hcaptcha', 'h-captcha'],
  ] as const) {
    test(`shows the widget of ${check} before its button, waits for a token, and gets another after a refusal`, async () => {
      await set({ spam_check: check });
      site.serve('/', aFormPage(service));
      await visit(
        async ({ page }) => {
          await playProvider(page, field);
          await openFormPage(page, site.url);
          await page.locator('div:has(> p:text("Widget public")) + button').waitFor();
          await fillIn(page);
          provider.answer((response) => response.end('{"success":false}'));
          await sendWithButton(page);
          await page.waitForFunction(() => document.activeElement?.matches('[role=alert]'));
          provider.answer((response) => response.end('{"success":true}'));
          await sendWithButton(page);
          await thankYouPage(page, site);
          assert.deepEqual(tokensAsked(), ['token-1', 'token-2']);
          const [sent] = await sentForms(service);
          assert.equal(`${field}-response` in (sent?.payload ?? {}), false);
        },
        { complaints: [answered(400)] },
      );
    });
  }

  test('sends the token along where it has to be posted plainly', async () => {
    await set({ spam_check: 'hcaptcha' });
    site.serve('/', aFormPage(service));
    await visit(
      async ({ page }) => {
        await playProvider(page, 'h-captcha');
        await page.route(CAPTURE, (route) =>
          route.request().isNavigationRequest() ? route.continue() : route.abort(),
        );
        await openFormPage(page, site.url);
        await page.getByText('Widget public').waitFor();
        await fillIn(page);
        await sendWithButton(page);
        await thankYouPage(page, site);
        assert.deepEqual(tokensAsked(), ['token-1']);
      },
      { complaints: [FAILED] },
    );
  });

  test('is sent where the provider is blocked, and asks nothing of it without consent', async () => {
    await set({ spam_check: 'turnstile', spam_check_failed: 'suspicion' });
    site.serve('/', aFormPage(service, { tag: 'data-consent="required"' }));
    await visit(
      async ({ page }) => {
        const asked: string[] = [];
        await page.route(PROVIDER_SCRIPT, (route) => {
          asked.push(route.request().url());
          return route.abort();
        });
        await page.goto(site.url);
        await page.locator('form [name=__pg_hp]').waitFor({ state: 'attached' });
        await fillIn(page);
        assert.deepEqual(asked, []);
        const tried = page.waitForEvent('requestfailed', (request) => PROVIDER_SCRIPT.test(request.url()));
        await page.evaluate(() => {
          localStorage.setItem('leadtrail_consent', 'true');
          document.body.append(document.createElement('p'));
        });
        await tried;
        await sendWithButton(page);
        await thankYouPage(page, site);
        assert.match((await sentForms(service))[0]?.lead.suspicion_reasons ?? '', /spam check failed/);
      },
      { complaints: [FAILED] },
    );
  });
});
