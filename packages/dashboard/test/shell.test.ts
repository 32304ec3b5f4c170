import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { ask } from '@leadtrail/testing/questions';
import { ADMIN_KEY, useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { assertAccessible, atRest, PHONE, useDashboard } from './support/dashboard.ts';
import { shows } from './support/shows.ts';

const ENTRIES: readonly (readonly [label: string, path: string, heading?: string])[] = [
  ['Overview', ''],
  ['Live', '/live'],
  ['Visits', '/visits'],
  ['Leads', '/leads'],
  ['Submissions', '/submissions'],
  ['Campaigns', '/campaigns'],
  ['Deliveries', '/deliveries'],
  ['Recordings', '/recordings'],
  ['Spam and tests', '/rejected', 'Rejected'],
  ['Settings', '/settings'],
];

describe('what surrounds every page', () => {
  const service = useService('sqlite', { env: CAPTURE_ENV });
  before(() => ask(service, { metrics: ['visits'] }));
  const dashboard = useDashboard(service);

  test('the first stop of the keyboard skips to the content', async () => {
    await dashboard.visit('/leads', async (page) => {
      await page.keyboard.press('Tab');
      const skip = page.getByRole('link', { name: 'Skip to content' });
      await shows(() => isFocused(skip), true);
      await shows(
        async () => ((await skip.boundingBox())?.width ?? 0) > 50,
        true,
        'It must be seen while it has the focus.',
      );
      await page.keyboard.press('Enter');
      await shows(() => isFocused(page.getByRole('main')), true);
      assert.match(new URL(page.url()).pathname, /\/leads$/);
    });
  });

  test('every page is reached by the keyboard, and the navigation and the title say where one is', async () => {
    await dashboard.visit('', async (page) => {
      await page.getByRole('link', { name: 'Settings' }).waitFor();
      for (const [label, path, title = label] of ENTRIES) {
        const link = navigation(page).getByRole('link', { name: label, exact: true });
        await tabTo(page, link);
        await page.keyboard.press('Enter');
        await page.waitForURL((url) => at(url, path));
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        await atRest(page);
        const [heading] = await page.getByRole('heading', { level: 1 }).allInnerTexts();
        assert.ok((await page.title()).endsWith(`${heading} · Leadtrail`), await page.title());
        await shows(() => navigation(page).locator('[aria-current="page"]').allInnerTexts(), [label]);
      }
    });
  });

  test('the documentation of the API finds an endpoint, copies its example and sends it', async () => {
    await dashboard.visit('/leads', async (page) => {
      await page.goto(`${service.url}/docs`);
      await page.keyboard.press('/');
      await page.keyboard.type('overview total_sessions');
      await page.getByText(/^[1-9]\d* found$/).waitFor();
      const operation = page.locator('details[data-path="/analytics/overview"]');
      await operation.locator('summary').press('Enter');
      await operation.getByRole('button', { name: 'Copy' }).press('Enter');
      await operation.getByRole('button', { name: 'Copied' }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(copied, /^curl "\$LEADTRAIL_URL\/analytics\/overview" \\/);
      await page.getByLabel('Key to try with').fill(ADMIN_KEY);
      await operation.getByRole('button', { name: 'Send' }).press('Enter');
      await operation
        .getByRole('status')
        .filter({ hasText: /^200 OK[\s\S]*"total_sessions": \d/ })
        .waitFor();
      await assertAccessible(page);
    });
  });

  test('times are those of the workspace, wherever one looks from, and follow its time zone', async () => {
    await assertCaptured(sendFromServer(service, { FIRSTNAME: 'Katherine', PROJECT: 'Elsewhere' }));
    const assertTimesIn = async (page: Page, timeZone: string, look: Intl.DateTimeFormatOptions) => {
      const written = new Intl.DateTimeFormat('en-GB', { ...look, timeZone });
      await page.locator('main time:visible').first().waitFor();
      const times = await page
        .locator('main time:visible')
        .evaluateAll((all) => all.map((each) => [each.getAttribute('datetime') ?? '', each.textContent]));
      assert.ok(times.length > 0);
      for (const [at = '', text] of times) assert.equal(text, written.format(new Date(at)), page.url());
    };
    const inTables = { dateStyle: 'medium', timeStyle: 'short' } as const;
    // Several days: just after midnight there are no submissions of today.
    await dashboard.visit('/submissions?when=last_7_days', async (page) => {
      await assertTimesIn(page, 'UTC', inTables);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('link', { name: 'Time zone and currency' }).click();
      await page.getByLabel('Time zone', { exact: true }).fill('Asia/Kolkata');
      await page
        .getByRole('form', { name: 'Time zone and currency' })
        .getByRole('button', { name: 'Save' })
        .click();
      // Exact, because “Unsaved changes” would match.
      await page.getByText('Saved', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Submissions' }).click();
      await atRest(page);
      await assertTimesIn(page, 'Asia/Kolkata', inTables);
      await page.getByRole('link', { name: 'Katherine' }).first().click();
      const timeline = page.locator('article time').first();
      const at = (await timeline.getAttribute('datetime')) ?? '';
      const hours = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Asia/Kolkata' });
      await shows(() => timeline.innerText(), hours.format(new Date(at)));
    });
    await call(service, 'PATCH', '/analytics/settings', { body: { timezone: 'UTC' } });
  });

  test('spam and tests are tabs of one entry', async () => {
    await dashboard.visit('/rejected', async (page) => {
      const tabs = page.getByRole('navigation', { name: 'Spam and tests' });
      for (const label of ['Testing', 'Blocked IPs', 'Whitelisted IPs', 'Rejected']) {
        await tabs.getByRole('link', { name: label }).press('Enter');
        await page.getByRole('heading', { level: 1, name: label }).waitFor();
        await shows(() => tabs.locator('[aria-current="page"]').allInnerTexts(), [label]);
        await shows(
          () => navigation(page).locator('[aria-current="page"]').allInnerTexts(),
          ['Spam and tests'],
        );
      }
    });
  });

  test('Ctrl-K goes to a person, a page or an action by a few letters', async () => {
    await assertCaptured(sendFromServer(service, { FIRSTNAME: 'Grace', EMAIL: 'grace@example.org' }));
    await dashboard.visit('/deliveries', async (page) => {
      const field = page.getByRole('combobox', { name: 'Person, page or action' });
      await page.keyboard.press('Control+k');
      await field.fill('camp');
      await assertAccessible(page);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();

      await page.keyboard.press('Control+k');
      await field.fill('grace');
      await page.getByRole('option', { name: /^Grace/ }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Grace' }).waitFor();

      await page.keyboard.press('Control+k');
      await field.fill('dark');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
      await page.keyboard.press('Control+k');
      await field.fill('no such thing');
      await page.getByText('Nothing found.').waitFor();
      await page.keyboard.press('Escape');
      await field.waitFor({ state: 'detached' });
    });
  });

  test('letters typed right after Ctrl-K are searched for, however long the palette takes to load', async () => {
    await dashboard.visit('/deliveries', async (page) => {
      const loading = Promise.withResolvers<void>();
      await page.route(/assets\/palette-/, async (route) => {
        await loading.promise;
        await route.continue();
      });
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('cam?');
      await page.keyboard.press('Backspace');
      loading.resolve();
      const field = page.getByRole('combobox', { name: 'Person, page or action' });
      await field.waitFor();
      await page.keyboard.type('paigns');
      await page.waitForFunction(
        () => document.querySelector<HTMLInputElement>('[role=dialog] input')?.value === 'campaigns',
      );
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
    });
  });

  const markPage = (page: Page) => page.evaluate(() => void Object.assign(window, { isSamePage: true }));
  const isSamePage = (page: Page) => page.evaluate(() => 'isSamePage' in window);

  test('without a network the dashboard stays, and a page that could not be loaded is once it is back', async () => {
    await dashboard.visit(
      '/deliveries',
      async (page) => {
        await markPage(page);
        await page.context().setOffline(true);
        await navigation(page).getByRole('link', { name: 'Recordings' }).click();
        await page.getByText('Leadtrail cannot be reached').waitFor();
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByText('Leadtrail cannot be reached').waitFor();
        await navigation(page).getByRole('link', { name: 'Deliveries' }).click();
        await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
        await navigation(page).getByRole('link', { name: 'Recordings' }).click();
        await page.getByText('Leadtrail cannot be reached').waitFor();

        await page.context().setOffline(false);
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByRole('heading', { level: 1, name: 'Recordings' }).waitFor();
        await shows(() => isSamePage(page), true);
      },
      { ownPage: true, expectedErrors: /ERR_INTERNET_DISCONNECTED|dynamically imported module/ },
    );
  });

  test('a browser that keeps the failure of code gets it by a new page', async () => {
    await dashboard.visit(
      '/deliveries',
      async (page) => {
        const others = /assets\/page-/;
        await page.route(others, (route) => route.abort());
        await navigation(page).getByRole('link', { name: 'Recordings' }).click();
        const again = page.getByRole('button', { name: 'Try again' });
        const asked = page.waitForRequest(others);
        await again.click();
        await asked;
        await again.waitFor();
        await page.unroute(others);
        await page.route(others, (route) => route.continue(), { times: 1 });
        await again.click();
        await page.getByRole('heading', { level: 1, name: 'Recordings' }).waitFor();
      },
      { expectedErrors: /ERR_FAILED|dynamically imported module/ },
    );
  });

  test('a page whose code is gone because there is a new version is opened in that version', async () => {
    await dashboard.visit(
      '/deliveries',
      async (page) => {
        await markPage(page);
        const others = /assets\/page-/;
        await page.route(others, (route) => route.fulfill({ status: 404 }));
        // The answer of an updated service, with other files.
        await page.route(/\/dashboard\/$/, (route) =>
          route.fulfill({
            contentType: 'text/html',
            body: '<script src="/dashboard/assets/new.js"></script>',
          }),
        );
        const reloaded = page.waitForEvent('load');
        await navigation(page).getByRole('link', { name: 'Recordings' }).click();
        await reloaded;
        await shows(() => isSamePage(page), false);
        // Reloads only once: during a rollout two versions answer.
        await page.getByText('Leadtrail may have been updated').waitFor();
        await page.unrouteAll();
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByRole('heading', { level: 1, name: 'Recordings' }).waitFor();
      },
      { expectedErrors: /404|dynamically imported module/ },
    );
  });

  test('back and forward go from page to page', async () => {
    await dashboard.visit('', async (page) => {
      for (const label of ['Leads', 'Deliveries']) {
        await navigation(page).getByRole('link', { name: label, exact: true }).click();
        await page.getByRole('heading', { level: 1, name: label }).waitFor();
      }
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await page.goForward();
      await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor();
    });
  });

  test('a page that does not exist says so and leads to the overview', async () => {
    await dashboard.visit('', async (page) => {
      await page.goto(`${service.url}/dashboard/no/such/page`);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      await assertAccessible(page);
      await page.getByRole('link', { name: 'Go to overview' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    });
  });

  test('a parameter that is mistyped is taken out of the address, and the page shows what it shows without it', async () => {
    await dashboard.visit('/?when=30d&countries=list', async (page) => {
      await page.waitForURL((url) => url.search === '?countries=list');
      await page.getByText('Last 30 days').waitFor();
    });
    await dashboard.visit('/deliveries?status=lost&when=last_7_days', async (page) => {
      await page.waitForURL((url) => url.search === '?when=last_7_days');
      await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
    });
  });

  test('on a phone the navigation is in a menu that closes with the choice, with Escape and with its button', async () => {
    await dashboard.visit(
      '',
      async (page) => {
        const menu = page.getByRole('dialog');
        const open = async () => {
          await page.getByRole('button', { name: 'Menu', exact: true }).click();
          await menu.waitFor();
        };
        await shows(() => navigation(page).isVisible(), false);
        await open();
        await assertAccessible(page);
        await page.keyboard.press('Escape');
        await menu.waitFor({ state: 'hidden' });
        await shows(() => isFocused(page.getByRole('button', { name: 'Menu', exact: true })), true);
        await open();
        await page.getByRole('button', { name: 'Close menu' }).click();
        await menu.waitFor({ state: 'hidden' });
        await open();
        await menu.getByRole('link', { name: 'Leads', exact: true }).click();
        await menu.waitFor({ state: 'hidden' });
        await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor();
      },
      { size: PHONE },
    );
  });

  test('follows the system in light and dark, until somebody chooses, and keeps the choice', async () => {
    await dashboard.visit('', async (page) => {
      await shows(() => theme(page), 'light');
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');

      await chooseTheme(page, 'Light');
      await shows(() => theme(page), 'light');
      await page.reload();
      await atRest(page);
      await shows(() => theme(page), 'light');

      await chooseTheme(page, 'System');
      await shows(() => theme(page), 'dark');
      await page.emulateMedia({ colorScheme: 'light' });
      await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
    });
  });
});

function navigation(page: Page) {
  return page.getByRole('navigation', { name: 'Main' });
}

function at({ pathname }: URL, path: string): boolean {
  return pathname.replace(/\/$/, '').startsWith(`/dashboard${path}`);
}

type Located = ReturnType<Page['locator']>;

function isFocused(located: Located): Promise<boolean> {
  return located.evaluate((element) => element === document.activeElement);
}

const STOPS_MAX = 60;

/** Tabs from the start of the page to the element. */
async function tabTo(page: Page, located: Located): Promise<void> {
  await page.evaluate(() => {
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });
  for (let stop = 0; stop < STOPS_MAX; stop += 1) {
    await page.keyboard.press('Tab');
    if (await isFocused(located)) return;
  }
  throw new Error('The keyboard does not get there.');
}

function theme(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.documentElement.dataset.theme);
}

async function chooseTheme(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: 'Appearance' }).click();
  await page.getByRole('menuitem', { name: label }).click();
  await page.getByRole('menu').waitFor({ state: 'hidden' });
}
