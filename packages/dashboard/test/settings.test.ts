import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  CAPTURE_ENV,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { aForm, anIntegration, aSite } from '@leadtrail/testing/management';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { type TestService, useService } from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';
import type { Page } from 'playwright-core';
import { assertAccessible, assertFits, atRest, DESKTOP, PHONE, useDashboard } from './support/dashboard.ts';
import { shows } from './support/shows.ts';

const ENV = { EDGE_ACCOUNT_ID: 'a', ANALYTICS_ENGINE_API_TOKEN: 'b', FLOW_ALLOW_PRIVATE_NETWORK: '1' };

/** Browsers log every error response. */
const refusedWith = (status: number) => ({ expectedErrors: new RegExp(`status of ${status}`) });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const settingsOf = (service: TestService) => service.get<Record<string, unknown>>('/analytics/settings');

describe('Sites and forms', () => {
  const service = useService('sqlite', { env: ENV });
  const dashboard = useDashboard(service);

  it('A site is added, and the domain that is none is shown at its field', () =>
    dashboard.visit(
      '/settings',
      async (page) => {
        await button(page, 'Add site').click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name').fill('Riverside');
        await dialog.getByLabel('Domains').fill('riverside.example\nno domain');
        await dialog.getByRole('button', { name: 'Add site' }).click();
        await dialog.getByText('Must be a domain, not "no domain".').waitFor();
        await dialog.getByLabel('Domains').fill('riverside.example\n*.riverside.example');
        await dialog.getByRole('button', { name: 'Add site' }).click();
        await page.getByRole('heading', { name: 'Riverside', exact: true }).waitFor();
        const { sites } = await service.get<{ sites: { id: number; domains: string[] }[] }>(
          '/analytics/sites',
        );
        assert.deepEqual(sites[0]?.domains, ['riverside.example', '*.riverside.example']);
        assert.match(page.url(), new RegExp(`/settings/sites\\?site=${sites[0]?.id}$`));
      },
      refusedWith(400),
    ));

  it('A domain with an umlaut is shown as it is written, and stays what it was when the site is saved', async () => {
    const { id } = await aSite(service, { name: 'Mill', domains: ['müller.example', '*.пример.example'] });
    const stored = ['xn--mller-kva.example', '*.xn--e1afmkfd.example'];
    const domains = async () => (await service.get<{ domains: string[] }>(`/analytics/sites/${id}`)).domains;
    await shows(domains, stored);
    await dashboard.visit('/settings/sites', async (page) => {
      await page.getByRole('cell', { name: 'müller.example, *.пример.example' }).waitFor();
      await page.getByRole('link', { name: 'Mill' }).click();
      await page.getByRole('link', { name: 'Open müller.example' }).waitFor();
      await page.getByRole('definition').getByText('*.пример.example').waitFor();
      await button(page, 'Edit').click();
      const dialog = page.getByRole('dialog');
      await shows(() => dialog.getByLabel('Domains').inputValue(), 'müller.example\n*.пример.example');
      await dialog.getByLabel('Name').fill('The mill');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'The mill', exact: true }).waitFor();
    });
    await shows(domains, stored);
  });

  it('A site_key that is taken is shown at its field', async () => {
    await aSite(service, { site_key: 'taken', name: 'First' });
    await dashboard.visit(
      '/settings/sites',
      async (page) => {
        await button(page, 'Add site').click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name').fill('Second');
        await dialog.getByLabel('Site key').fill('taken');
        await dialog.getByRole('button', { name: 'Add site' }).click();
        await dialog.getByText('Another site has this site key.').waitFor();
        await shows(() => dialog.getByLabel('Site key').getAttribute('aria-invalid'), 'true');
      },
      refusedWith(409),
    );
  });

  it('What was typed into a dialog is not lost to the Escape key', () =>
    dashboard.visit('/settings/sites', async (page) => {
      await button(page, 'Add site').click();
      await page.getByRole('dialog').getByLabel('Name').fill('Half a na');
      await page.keyboard.press('Escape');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await shows(() => page.getByRole('dialog').getByLabel('Name').inputValue(), 'Half a na');
    }));

  it('A site is turned off and on', async () => {
    const { id } = await aSite(service, { name: 'Switched' });
    await dashboard.visit('/settings/sites', async (page) => {
      const toggle = page.getByRole('switch', { name: 'Switched is on' });
      await toggle.click();
      await page.getByText('Switched is off').waitFor();
      await shows(
        async () => (await service.get<{ enabled: boolean }>(`/analytics/sites/${id}`)).enabled,
        false,
      );
      await toggle.click();
      await page.getByText('Switched is on', { exact: true }).waitFor();
      await shows(
        async () => (await service.get<{ enabled: boolean }>(`/analytics/sites/${id}`)).enabled,
        true,
      );
    });
  });

  it('A site gets forms, and code to paste for each of them', async () => {
    const site = await aSite(service, { name: 'With forms', domains: ['forms.example'] });
    await dashboard.visit(`/settings/sites?site=${site.id}`, async (page) => {
      await button(page, 'Add form').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Brochure');
      await dialog.getByLabel('Form id').fill('brochure');
      await dialog.getByRole('button', { name: 'Add form' }).click();
      await page.getByRole('tab', { name: 'Brochure' }).click();
      await page.getByText('data-leadtrail-form="brochure"').waitFor();
      await button(page, 'Copy code').click();
      await shows(
        () => page.evaluate(() => navigator.clipboard.readText()),
        /^<form data-leadtrail-form="brochure"/,
      );
      await page.reload();
      await page.getByText('data-leadtrail-form="brochure"').waitFor();
      await page.getByRole('tab', { name: 'Google Tag Manager' }).click();
      await page.getByText('document.createElement').waitFor();
    });
  });

  it('A form with a long name leaves the other code in view', async () => {
    const site = await aSite(service, { name: 'Long names', domains: ['long.example'] });
    const name = 'Brochure and price list for the second phase by the river, with financing and a call back';
    await aForm(service, { site_id: site.id, form_id: 'long', name });
    await dashboard.visit(`/settings/sites?site=${site.id}`, async (page) => {
      const tab = page.getByRole('tab', { name });
      const tabs = page.getByRole('tablist', { name: 'Code' });
      const [row, last] = [
        await tabs.boundingBox(),
        await page.getByRole('tab', { name: 'Google Tag Manager' }).boundingBox(),
      ];
      assert.ok(row && last && last.x + last.width <= row.x + row.width);
      await shows(() => tab.getByTitle(name).count(), 1);
    });
  });

  it('A form is told what follows after sending and what its fields are', async () => {
    const site = await aSite(service, { name: 'Own names', site_key: 'own-names', domains: ['example.com'] });
    const form = await aForm(service, { site_id: site.id, form_id: 'own', name: 'Own form' });
    const fields = { siteKey: 'own-names', formId: 'own', EMAIL: '', PHONE: '', kontakt: 'ada@example.org' };
    await assertCaptured(sendForm(service, fields));
    await dashboard.visit(
      `/settings/sites?site=${site.id}`,
      async (page) => {
        await page.getByText('Own form sends contact data that is not understood').waitFor();
        await page.getByRole('link', { name: 'Own form', exact: true }).click();
        await page.getByText('Contact data was not understood').waitFor();
        await page.getByText('Looks like an e-mail address').waitFor();
        await assertAccessible(page);
        await page.getByRole('combobox', { name: 'Meaning of kontakt' }).click();
        await page.getByRole('option', { name: 'E-mail address' }).click();
        await page.getByText('kontakt is set for new submissions').waitFor();
        await page.getByText('Contact data was not understood').waitFor({ state: 'detached' });
        await page.getByRole('combobox', { name: 'Next step' }).click();
        await page.getByRole('option', { name: 'Go to another page' }).click();
        await button(page, 'Save').click();
        await page.getByText('Is required with after sending "address".').waitFor();
        await page.getByLabel('Page', { exact: true }).fill('/danke');
        await button(page, 'Save').click();
        await page.getByText('Saved', { exact: true }).waitFor();
        const saved = await service.get<Record<string, unknown>>(`/analytics/forms/${form.id}`);
        assert.deepEqual(
          [saved.after_sending, saved.redirect_url, saved.field_names],
          ['address', '/danke', { kontakt: 'EMAIL' }],
        );
        await page.getByRole('combobox', { name: 'Next step' }).click();
        await page.getByRole('option', { name: 'Stay and show a text' }).click();
        await page.getByLabel('Text', { exact: true }).fill('We call you today.');
        await button(page, 'Save').click();
        await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
        const text = await service.get<Record<string, unknown>>(`/analytics/forms/${form.id}`);
        assert.deepEqual([text.after_sending, text.texts], ['text', { success: 'We call you today.' }]);
        await page.getByRole('combobox', { name: 'Check' }).click();
        await page.getByRole('option', { name: 'Cloudflare Turnstile' }).click();
        await page.getByRole('combobox', { name: 'If it fails' }).click();
        await page.getByRole('option', { name: 'Refuse' }).click();
        await page.getByLabel('Site key').fill('public-key');
        await page.getByLabel('Secret key').fill('secret-key');
        await button(page, 'Save').click();
        await page.getByText('One is set. What you type replaces it.').waitFor();
        await shows(() => page.getByLabel('Secret key').inputValue(), '');
        assert.partialDeepStrictEqual(await service.get(`/analytics/forms/${form.id}`), {
          ...{ spam_check: 'turnstile', spam_check_failed: 'refuse' },
          ...{ spam_check_site_key: 'public-key', spam_check_secret_set: true },
        });
        await assertAccessible(page);
        await page.getByRole('link', { name: 'Back to the site' }).click();
        await page.getByRole('tab', { name: 'Own form' }).click();
        await page.getByText('data-sitekey="public-key"').waitFor();
      },
      refusedWith(400),
    );
  });

  it('A form is renamed and deleted', async () => {
    const site = await aSite(service, { name: 'With one form' });
    const form = await aForm(service, { site_id: site.id, name: 'Contact' });
    await dashboard.visit(`/settings/sites?site=${site.id}`, async (page) => {
      await button(page, 'Actions for Contact').click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Callback');
      await button(page, 'Save').click();
      await button(page, 'Actions for Callback').click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await button(page, 'Delete form').click();
      await page.getByText('No forms yet').waitFor();
      assert.equal((await call(service, 'GET', `/analytics/forms/${form.id}`)).status, 404);
    });
  });

  it('Deleting a site says what goes with it', async () => {
    const site = await aSite(service, { name: 'To go' });
    await aForm(service, { site_id: site.id, name: 'One' });
    await aForm(service, { site_id: site.id, name: 'Two' });
    await dashboard.visit(`/settings/sites?site=${site.id}`, async (page) => {
      await button(page, 'Delete').click();
      const asked = page.getByRole('alertdialog');
      await asked.getByText('Its 2 forms are deleted, too').waitFor();
      await asked.getByText('Leads and figures are kept.').waitFor();
      await button(page, 'Delete site').click();
      await button(page, 'Add site').waitFor();
      await shows(() => page.getByRole('link', { name: 'To go' }).count(), 0);
      assert.equal((await call(service, 'GET', `/analytics/sites/${site.id}`)).status, 404);
    });
  });

  it('A visit to a page of the site tells that the tracker is installed', async () => {
    const site = await aSite(service, { name: 'Installed', domains: ['installed.example'] });
    await dashboard.visit(`/settings/sites?site=${site.id}`, async (page) => {
      const looked = page.waitForResponse(/\/analytics\/pages\/top/);
      await button(page, 'Start check').click();
      await looked;
      await page.getByText('Waiting for the visit').waitFor();
      await startSession(service, { page: 'https://www.installed.example/offer?utm_source=x' });
      await service.settled();
      await page.getByText('It works').waitFor();
      await page.getByText('A visit to https://www.installed.example/offer has arrived.').waitFor();
    });
  });

  it('A visit to a page that is on no listed domain is told apart', async () => {
    const site = await aSite(service, { name: 'Elsewhere', domains: ['elsewhere.example'] });
    await dashboard.visit(
      `/settings/sites?site=${site.id}`,
      async (page) => {
        await page.clock.install();
        const looked = page.waitForResponse(/\/analytics\/pages\/top/);
        await button(page, 'Start check').click();
        await looked;
        await page.getByText('Waiting for the visit').waitFor();
        await startSession(service, { page: 'https://staging.test/' });
        await service.settled();
        await page.clock.fastForward(61_000);
        await page.getByText('https://staging.test/ is not on a listed domain.').waitFor();
      },
      { ownPage: true },
    );
  });
});

describe('Integrations', () => {
  const service = useService('sqlite', { env: ENV });
  const dashboard = useDashboard(service);
  const send = (key: string) => sendFromServer(service, {}, { headers: { 'x-api-key': key } });
  const shownKey = (page: Page) =>
    page
      .getByRole('dialog')
      .getByText(/^lt_lead_\S+$/)
      .innerText();

  it('The key of a new integration is shown once, and not closed by accident', () =>
    dashboard.visit('/settings/integrations', async (page) => {
      await button(page, 'Add integration').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Portal');
      await dialog.getByRole('button', { name: 'Add integration' }).click();
      await page.getByText('Key for Portal').waitFor();
      const key = await shownKey(page);
      await page.keyboard.press('Escape');
      await page.getByText('Have you stored the key?').waitFor();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
      await button(page, 'I have stored the key').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('cell', { name: 'Never used' }).waitFor();
      await shows(async () => (await page.content()).includes(key), false);
      await assertCaptured(send(key));
    }));

  it('A new key replaces the old one, which stops working', async () => {
    const { api_key: old } = await anIntegration(service, { name: 'Rotated' });
    await dashboard.visit('/settings/integrations', async (page) => {
      await button(page, 'Actions for Rotated').click();
      await page.getByRole('menuitem', { name: 'New key' }).click();
      await page.getByText('The old key stops working at once.').waitFor();
      await button(page, 'Create new key').click();
      await page.getByText('Key for Rotated').waitFor();
      const key = await shownKey(page);
      await shows(async () => (await send(old)).status, 401);
      await assertCaptured(send(key));
    });
  });

  it('An integration is renamed, turned off and deleted', async () => {
    const { id } = await anIntegration(service, { name: 'Odd' });
    const now = () =>
      call<{ name: string; enabled: boolean }>(service, 'GET', `/analytics/integrations/${id}`);
    await dashboard.visit('/settings/integrations', async (page) => {
      await button(page, 'Actions for Odd').click();
      await page.getByRole('menuitem', { name: 'Rename' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Even');
      await button(page, 'Save').click();
      await page.getByRole('switch', { name: 'Even is on' }).click();
      await page.getByText('Even is off').waitFor();
      await shows(async () => [(await now()).body.name, (await now()).body.enabled], ['Even', false]);
      await button(page, 'Actions for Even').click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await button(page, 'Delete integration').click();
      await page.getByText('Even was deleted').waitFor();
      await shows(async () => (await now()).status, 404);
    });
  });
});

describe('Settings that are saved by section', () => {
  const service = useService('sqlite', { env: { ...ENV, ...CAPTURE_ENV } });
  const dashboard = useDashboard(service);

  it('Save is there for what was changed, and only that is sent', () =>
    dashboard.visit('/settings/leads', async (page) => {
      await shows(() => button(page, 'Save').isDisabled(), true);
      await page.getByLabel('Teams').fill('Sales North');
      await page.keyboard.press('Enter');
      await page.getByLabel('Duplicate window').fill('90');
      await page.getByLabel('Duplicate window').fill('60');
      const sent = page.waitForRequest((request) => request.method() === 'PATCH');
      await button(page, 'Save').click();
      assert.deepEqual((await sent).postDataJSON(), { internal_teams: ['Sales North'] });
      await page.getByText('Saved', { exact: true }).waitFor();
      await shows(() => button(page, 'Save').isDisabled(), true);
      await shows(async () => (await settingsOf(service)).internal_teams, ['Sales North']);
      await button(page, 'Remove Sales North').click();
      await button(page, 'Save').click();
      await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
      await shows(async () => (await settingsOf(service)).internal_teams, []);
    }));

  it('What the service refuses is said at the field until it is changed', () =>
    dashboard.visit(
      '/settings/drought',
      async (page) => {
        await page.getByLabel('Time without a lead').fill('-1');
        await page.getByLabel('Alert webhook').fill('nowhere');
        await button(page, 'Save').click();
        await page.getByText('Must be more than 0.').waitFor();
        await page.getByText('Must be an http or https URL.').waitFor();
        const hours = page.getByLabel('Time without a lead');
        await shows(() => hours.evaluate((field) => field === document.activeElement), true);
        await hours.fill('48');
        await page.getByText('Must be more than 0.').waitFor({ state: 'detached' });
        await page.getByLabel('Alert webhook').fill('https://hooks.example/drought');
        await page.getByRole('switch', { name: 'Alert me when leads stop coming in' }).click();
        await button(page, 'Save').click();
        await page.getByText('Saved', { exact: true }).waitFor();
        const saved = await settingsOf(service);
        assert.equal(saved.lead_drought_enabled, true);
        assert.equal(saved.lead_drought_hours, 48);
        assert.equal(saved.lead_drought_webhook_url, 'https://hooks.example/drought');
      },
      refusedWith(400),
    ));

  it('Unsaved changes are not left behind without a question', () =>
    dashboard.visit('/settings/retention', async (page) => {
      await page.getByLabel('Keep archives').fill('10');
      await page.getByRole('link', { name: 'Integrations' }).click();
      await page.getByText('Leave without saving?').waitFor();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await shows(() => page.getByLabel('Keep archives').inputValue(), '10');
      await page.getByRole('link', { name: 'Integrations' }).click();
      await button(page, 'Discard changes').click();
      await page.getByRole('heading', { name: 'Integrations' }).waitFor();
      await shows(async () => (await settingsOf(service)).archive_retention_days, 90);
    }));

  it('What retention would remove is shown before it is saved', () =>
    dashboard.visit(
      '/settings/retention',
      async (page) => {
        const preview = page.getByRole('table', { name: 'What the next run removes' });
        await preview.getByRole('row', { name: /Leads Forever 0/ }).waitFor();
        await page.getByLabel('Keep leads').fill('30');
        await preview.getByRole('row', { name: /Leads 30 days 0/ }).waitFor();
        await page.getByLabel('Keep leads').fill('soon');
        await page.getByText('Enter whole numbers of days').waitFor();
        await button(page, 'Save').click();
        await page.getByRole('alert').waitFor();
        await page.getByLabel('Keep leads').fill('365');
        await page.getByRole('checkbox', { name: 'New' }).click();
        await page.getByLabel('Keep CRM events').fill('');
        await button(page, 'Save').click();
        await page.getByText('Saved', { exact: true }).waitFor();
        const saved = await settingsOf(service);
        assert.equal(saved.lead_retention_days, 365);
        assert.deepEqual(saved.lead_retention_stages, ['new', 'lost', 'fake']);
        assert.equal(saved.unmatched_event_retention_days, null);
      },
      refusedWith(400),
    ));

  it('Nothing and 0 both keep for ever, whatever it is', () =>
    dashboard.visit('/settings/retention', async (page) => {
      const before = await settingsOf(service);
      const keeping = page.getByLabel(/^Keep .*days/);
      const count = await keeping.count();
      assert.equal(count, 7);
      await shows(() => page.getByText(/Empty or 0 keeps them forever\.$/).count(), count);
      for (const typed of ['0', '']) {
        for (const each of await keeping.all()) {
          await each.fill('20');
          await each.fill(typed);
        }
        for (const row of ['Leads', 'Visits', 'Archives of visits', 'Parts of recordings'])
          await page.getByRole('row', { name: new RegExp(`^${row} Forever 0`) }).waitFor();
        if (typed === '') break;
        await button(page, 'Save').click();
        await page.getByText('Saved', { exact: true }).waitFor();
        for (const each of await keeping.all()) {
          await shows(() => each.inputValue(), '');
          await shows(() => each.getAttribute('placeholder'), 'Forever');
        }
      }
      const saved = await settingsOf(service);
      assert.equal(saved.lead_retention_days, null);
      assert.equal(saved.archive_retention_days, 0);
      const { archive_retention_days, replay_retention_days, unmatched_event_retention_days } = before;
      await page.getByLabel('Keep archives').fill(String(archive_retention_days));
      await page.getByLabel('Keep recordings').fill(String(replay_retention_days));
      await page.getByLabel('Keep CRM events').fill(String(unmatched_event_retention_days ?? ''));
      const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
      await button(page, 'Save').click();
      await answered;
      await shows(async () => (await settingsOf(service)).archive_retention_days, archive_retention_days);
    }));

  it('The sample rate is typed as a percentage', () =>
    dashboard.visit(
      '/settings/retention',
      async (page) => {
        await page.getByLabel('Visits to record').fill('700');
        await button(page, 'Save').click();
        await page.getByText('Must be a number from 0 to 100.').waitFor();
        await page.getByLabel('Visits to record').fill('7');
        await page.getByLabel('Keep recordings').fill('0');
        await page.getByLabel('Storage for recordings').fill('512');
        await page.getByLabel('More parameters').fill('member_id');
        await page.getByLabel('Pause between refreshes').fill('60');
        await button(page, 'Save').click();
        await page.getByText('Saved', { exact: true }).waitFor();
        const saved = await settingsOf(service);
        assert.equal(saved.replay_sample_rate, 0.07);
        assert.equal(saved.replay_retention_days, 0);
        assert.equal(saved.replay_storage_mb, 512);
        assert.deepEqual(saved.redacted_parameters, ['member_id']);
        assert.equal(saved.analytics_refresh_cooldown_seconds, 60);
        await page.reload();
        await page.getByLabel('Visits to record').waitFor();
        await shows(() => page.getByLabel('Visits to record').inputValue(), '7');
      },
      refusedWith(400),
    ));

  it('What would remove leads at the next run is saved only after a question', async () => {
    for (const EMAIL of ['ada@example.org', 'bob@example.org'])
      await assertCaptured(sendFromServer(service, { EMAIL, PHONE: '' }));
    await rows(service, "update leads set created_at = 1000000000000, status = 'lost'");
    const days = async () => (await settingsOf(service)).lead_retention_days;
    const before = await days();
    await dashboard.visit('/settings/retention', async (page) => {
      const preview = page.getByRole('table', { name: 'What the next run removes' });
      await page.getByLabel('Keep leads').fill('1');
      await preview.getByRole('row', { name: /Leads 1 day 2/ }).waitFor();
      await button(page, 'Save').click();
      const question = page.getByRole('alertdialog', { name: 'Remove 2 leads at the next run?' });
      await question.getByText(/^With these settings, the run on .* removes them for good\.$/).waitFor();
      await question.getByText(/^Overview and Campaigns no longer count/).waitFor();
      await assertAccessible(page);
      await question.getByRole('button', { name: 'Cancel' }).click();
      await question.waitFor({ state: 'hidden' });
      await shows(days, before);
      await shows(() => page.getByLabel('Keep leads').inputValue(), '1');

      await button(page, 'Save').click();
      await question.getByRole('button', { name: 'Save and remove' }).click();
      await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
      await shows(days, 1);

      // Confirmed before, and not asked again when another setting changes.
      await page.getByLabel('Pause between refreshes').fill('61');
      await button(page, 'Save').click();
      await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
      await shows(async () => (await settingsOf(service)).analytics_refresh_cooldown_seconds, 61);
    });
    await emptyLeads(service);
  });

  it('Signed reports are required with a switch', () =>
    dashboard.visit('/settings/forwarding', async (page) => {
      await page.getByRole('switch', { name: 'Require signed reports' }).click();
      await button(page, 'Save').click();
      await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
      await shows(async () => (await settingsOf(service)).callbacks_require_signature, true);
    }));

  it('A secret is set, kept by an empty field, and removed', () =>
    dashboard.visit('/settings/forwarding', async (page) => {
      const isSet = async () => (await settingsOf(service)).crm_callback_secret_set;
      const saved = () => page.getByText('Unsaved changes').waitFor({ state: 'detached' });
      await button(page, 'Add the callback secret').click();
      await page.getByLabel('Callback secret').fill('s3cret');
      await button(page, 'Save').click();
      await button(page, 'Replace the callback secret').click();
      await shows(isSet, true);
      await shows(() => button(page, 'Save').isDisabled(), true);
      await page.getByRole('switch', { name: 'Forward new leads' }).click();
      await button(page, 'Save').click();
      await saved();
      await shows(isSet, true);
      await button(page, 'Remove the callback secret').click();
      await page.getByText('Removed when you save').waitFor();
      await button(page, 'Save').click();
      await button(page, 'Add the callback secret').waitFor();
      await shows(isSet, false);
    }));

  it('Which follow-ups are sent is chosen by keyboard', () =>
    dashboard.visit('/settings/forwarding', async (page) => {
      const choice = page.getByRole('combobox', { name: 'Send follow-ups' });
      await shows(() => choice.innerText(), 'With new contact details');
      await choice.press('Enter');
      await page.getByRole('option', { name: 'Always' }).waitFor();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await choice.getByText('Always').waitFor();
      const sent = page.waitForRequest((request) => request.method() === 'PATCH');
      await button(page, 'Save').press('Enter');
      assert.deepEqual((await sent).postDataJSON(), { flow_send_follow_ups: 'always' });
      await page.getByText('Saved', { exact: true }).waitFor();
      await shows(async () => (await settingsOf(service)).flow_send_follow_ups, 'always');
    }));

  it('The addresses to report back to can be copied', () =>
    dashboard.visit('/settings/forwarding', async (page) => {
      for (const path of [
        '/lead.capture/crm-callback',
        '/lead.capture/flow-callback',
        '/webhooks/crm/lead',
      ]) {
        await page.getByText(service.url + path, { exact: true }).waitFor();
      }
      await button(page, 'Copy').first().click();
      await shows(
        () => page.evaluate(() => navigator.clipboard.readText()),
        `${service.url}/lead.capture/crm-callback`,
      );
    }));
});

describe('What is not forwarded', () => {
  const service = useService('sqlite', { env: ENV });
  const dashboard = useDashboard(service);

  it('Bot detection is switched on', () =>
    dashboard.visit('/settings/leads', async (page) => {
      await page.getByRole('switch', { name: 'Detect bots' }).click();
      await button(page, 'Save').click();
      await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
      await shows(async () => (await settingsOf(service)).bot_lead_detection, true);
    }));

  it('The highest risk to forward is set, refused where it is none, and taken back', () =>
    dashboard.visit(
      '/settings/forwarding',
      async (page) => {
        const risk = page.getByLabel('Highest risk to forward');
        for (const [typed, saved] of [
          ['60', 60],
          ['', null],
        ] as const) {
          await risk.fill(typed);
          await button(page, 'Save').click();
          await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
          await shows(async () => (await settingsOf(service)).flow_risk_max, saved);
        }
        await risk.fill('most');
        await button(page, 'Save').click();
        await page.locator('[aria-invalid="true"]').waitFor();
        await shows(async () => (await settingsOf(service)).flow_risk_max, null);
      },
      refusedWith(400),
    ));
});

describe('Trying the forwarding', () => {
  const service = useService('sqlite', { env: ENV });
  const dashboard = useDashboard(service);
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.close());

  it('The latest lead is sent again, and what the target answers is shown', () =>
    dashboard.visit('/settings/forwarding', async (page) => {
      await page.getByText('No lead has been forwarded yet.').waitFor();
      await page.getByLabel('Webhook address').fill(receiver.url);
      await button(page, 'Save').click();
      await page.getByText('Saved', { exact: true }).waitFor();
      await setUpSite(service);
      await assertCaptured(sendForm(service));
      await receiver.got(1);
      await page.reload();
      receiver.answer((response) => response.writeHead(202).end('thank you'));
      await button(page, 'Resend').click();
      // Delivered already, so it is sent again only after a question.
      await page.getByRole('alertdialog').getByRole('button', { name: 'Resend' }).click();
      await page.getByText('Delivery succeeded').waitFor();
      await page.getByText('Answered 202').waitFor();
      await page.getByText('thank you', { exact: true }).waitFor();
      assert.equal(receiver.received.length, 2);
      await page.getByLabel('Webhook address').fill('https://other.example');
      await shows(() => button(page, 'Resend').isDisabled(), true);
      await shows(() => button(page, 'Send test lead').isDisabled(), true);
    }));

  it('A test is sent while there is no lead and forwarding is off, and what came back is said', async () => {
    await call(service, 'PATCH', '/analytics/settings', {
      body: { flow_enabled: false, flow_webhook_url: receiver.url },
    });
    receiver.reset();
    receiver.answer((response) => response.writeHead(404).end(`no such workflow\n${'… '.repeat(1000)}`));
    await dashboard.visit('/settings/forwarding', async (page) => {
      await page.getByText('Forwarding is off: only the test lead is sent.').waitFor();
      await button(page, 'Send test lead').click();
      const said = page.locator('[aria-live="polite"]', { hasText: 'Delivery failed' });
      await said.getByText(/^Answered 404 after \d+ ms\. Test leads are not retried\.$/).waitFor();
      await said.getByText('no such workflow').waitFor();
      await assertAccessible(page);
      receiver.reset();
      await button(page, 'Send test lead').click();
      await page.getByText('Delivery succeeded', { exact: true }).waitFor();
      assert.equal(JSON.parse(receiver.received[0]?.body ?? '').test_lead, 'yes');
    });
  });

  it('What came of one address is gone once another is saved', async () => {
    await call(service, 'PATCH', '/analytics/settings', { body: { flow_webhook_url: receiver.url } });
    receiver.reset();
    await dashboard.visit('/settings/forwarding', async (page) => {
      await button(page, 'Send test lead').click();
      await page.getByText('Delivery succeeded', { exact: true }).waitFor();
      await page.getByLabel('Webhook address').fill(`${receiver.url}/other`);
      await button(page, 'Save').click();
      await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
      await shows(() => page.getByText('Delivery succeeded', { exact: true }).count(), 0);
    });
  });

  it('Without an address there is nothing to try, and the page says so', async () => {
    await call(service, 'PATCH', '/analytics/settings', { body: { flow_webhook_url: null } });
    await dashboard.visit('/settings/forwarding', async (page) => {
      await page.getByText('Enter an address first.').waitFor();
      await shows(() => button(page, 'Send test lead').isDisabled(), true);
    });
  });
});

describe('Addresses in the own network', () => {
  const service = useService('sqlite');
  const dashboard = useDashboard(service);
  const REFUSED = 'Nothing is sent to this address, because it is not on the public internet.';

  for (const [path, label] of [
    ['/settings/forwarding', 'Webhook address'],
    ['/settings/drought', 'Alert webhook'],
  ] as const) {
    it(`${path} says as soon as one is saved that nothing is sent there, until it is replaced`, () =>
      dashboard.visit(path, async (page) => {
        await page.getByLabel(label).fill('http://localhost:5678/webhook/1');
        await button(page, 'Save').click();
        await page.getByRole('status').getByText(REFUSED).waitFor();
        await assertAccessible(page);
        await page.reload();
        await page.getByText(REFUSED).waitFor();
        await page.getByLabel(label).fill('https://hooks.example.com/1');
        await page.getByText(REFUSED).waitFor({ state: 'detached' });
        await button(page, 'Save').click();
        await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
        await shows(() => page.getByText(REFUSED).count(), 0);
      }));
  }

  it('A test to one says why it was not sent', async () => {
    await call(service, 'PATCH', '/analytics/settings', {
      body: { flow_webhook_url: 'http://127.0.0.1:9/' },
    });
    await dashboard.visit('/settings/forwarding', async (page) => {
      await button(page, 'Send test lead').click();
      await page.getByText('Nothing was sent, because the address is not on the public internet.').waitFor();
    });
  });
});

describe('Dropdown options', () => {
  const service = useService('sqlite', { env: ENV });
  const dashboard = useDashboard(service);
  type Listed = Record<string, { value: string; label: string }[]>;
  const values = async (kind: string) =>
    (await service.get<Listed>('/analytics/dropdown-options'))[kind]?.map(({ value }) => value);
  const anOption = (kind: string, value: string, sort_order = 0) =>
    call(service, 'POST', '/analytics/dropdown-options', { body: { kind, value, sort_order } });
  const saved = (page: Page) =>
    page.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok());

  it('Options are added, and a value that is there is said at the field', () =>
    dashboard.visit(
      '/settings/options',
      async (page) => {
        await page.getByRole('tab', { name: 'Cities' }).click();
        const form = page.getByRole('form', { name: 'Add an option' });
        for (const city of ['Pune', 'Delhi']) {
          await form.getByLabel('Value').fill(city);
          await page.keyboard.press('Enter');
          await button(page, `Move ${city}`).waitFor();
        }
        await form.getByLabel('Value').fill('Pune');
        await button(page, 'Add').click();
        await form.getByText('Another dropdown option has this kind and value.').waitFor();
        await shows(() => values('city'), ['Pune', 'Delhi']);
        assert.match(page.url(), /kind=city/);
      },
      refusedWith(409),
    ));

  it('The order is changed by keyboard, by pointer and by number', async () => {
    for (const value of ['A', 'B', 'C']) await anOption('source', value);
    await dashboard.visit('/settings/options', async (page) => {
      await button(page, 'Move C').focus();
      let change = saved(page);
      await page.keyboard.press('ArrowUp');
      await change;
      await page.getByText('C is now 2 of 3').waitFor();
      await atRest(page);
      await shows(() => values('source'), ['A', 'C', 'B']);
      const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      assert.equal(focused, 'Move C');

      change = saved(page);
      await dragBelow(page, 'Move A', 'Move C');
      await change;
      await atRest(page);
      await shows(() => values('source'), ['C', 'A', 'B']);

      await button(page, 'Edit B').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Label').fill('Best');
      await dialog.getByLabel('Position').fill('1');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('listitem').first().getByText('Best').waitFor();
      await atRest(page);
      await shows(() => values('source'), ['B', 'C', 'A']);
    });
  });

  it('A deleted option can be brought back where it was', async () => {
    for (const [i, value] of ['North', 'South', 'West'].entries()) await anOption('project', value, i + 1);
    await dashboard.visit('/settings/options?kind=project', async (page) => {
      await button(page, 'Actions for South').click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByText('South was deleted').waitFor();
      await shows(() => values('project'), ['North', 'West']);
      await button(page, 'Undo').click();
      await button(page, 'Move South').waitFor();
      await shows(() => values('project'), ['North', 'South', 'West']);
    });
  });
});

describe('The settings for everybody', () => {
  const service = useService('sqlite', { env: ENV });
  const dashboard = useDashboard(service);
  before(async () => {
    await setUpSite(service);
    await anIntegration(service, { name: 'Portal' });
    for (const value of ['Website', 'Fair'])
      await call(service, 'POST', '/analytics/dropdown-options', { body: { kind: 'source', value } });
  });

  it('The marketing role is told that settings are not for it', () =>
    dashboard.visit(
      '/settings/integrations',
      async (page) => {
        await page.getByText('Settings need the admin key').waitFor();
        await shows(() => button(page, 'Add integration').count(), 0);
      },
      { role: 'marketing' },
    ));

  it('The theme is chosen, and signing out leads to the door', () =>
    dashboard.visit('/settings/account', async (page) => {
      await page.getByText('Dark', { exact: true }).click();
      await shows(() => page.evaluate(() => document.documentElement.dataset.theme), 'dark');
      await page.getByText('ANALYTICS_MARKETING_API_KEY').waitFor();
      await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('API key').waitFor();
    }));

  it('Admins see from where requests arrive, and what to set where a header is ignored', () =>
    dashboard.visit('/settings/account', async (page) => {
      await page.getByText('Your requests come from 127.0.0.1 and count as 127.0.0.1.').waitFor();
      await page.setExtraHTTPHeaders({
        'x-vercel-forwarded-for': '198.51.100.9',
        'x-real-ip': '198.51.100.2',
      });
      await page.reload();
      await page.getByText('count as 198.51.100.2, by the header X-Real-IP').waitFor();
      await page.getByText('set EDGE=vercel').waitFor();
    }));

  const sections = [
    'Sites and forms',
    'Integrations',
    'Forwarding',
    'Leads',
    'Time zone and currency',
    'Drought alert',
    'Retention and replay',
    'Dropdown options',
    'System',
    'Keys and appearance',
  ];
  for (const size of [DESKTOP, PHONE]) {
    it(`Every section is reached from the navigation and fits, ${size.width} pixels wide`, () =>
      dashboard.visit(
        '/settings',
        async (page) => {
          await page.getByRole('link', { name: 'Example' }).click();
          await page.getByRole('heading', { name: 'Is it installed?' }).waitFor();
          await assertFits(page);
          for (const name of sections) {
            await openSection(page, name, size);
            await page.waitForFunction((title) => document.title.startsWith(title), name);
            await atRest(page);
            await assertFits(page);
          }
        },
        { size },
      ));
  }

  it('Dialogs can be used by everybody', () =>
    dashboard.visit('/settings/sites', async (page) => {
      await button(page, 'Add site').click();
      await page.getByRole('dialog').waitFor();
      const label = await page.evaluate(
        () => (document.activeElement as HTMLInputElement).labels?.[0]?.textContent,
      );
      assert.equal(label, 'Name');
      await assertAccessible(page);
    }));
});

async function openSection(page: Page, name: string, size: typeof PHONE): Promise<void> {
  const navigation = page.getByRole('navigation', { name: 'Settings' });
  if (size !== PHONE) return navigation.getByRole('link', { name }).click();
  await navigation.getByRole('combobox', { name: 'Section' }).click();
  await page.getByRole('option', { name, exact: true }).click();
}

async function dragBelow(page: Page, moved: string, other: string): Promise<void> {
  const [from, to] = [await button(page, moved).boundingBox(), await button(page, other).boundingBox()];
  if (from === null || to === null) throw new Error('There is nothing to drag.');
  const x = from.x + from.width / 2;
  await page.mouse.move(x, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(x, to.y + to.height, { steps: 5 });
  await page.mouse.up();
}
