import { describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { aSite } from '@leadtrail/testing/management';
import { ADMIN_KEY, MARKETING_KEY, useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { assertUsable, atRest, useDashboard } from './support/dashboard.ts';
import { shows } from './support/shows.ts';

const KEPT = 'leadtrail_dashboard_key';
/** Browsers log every error response. */
const REFUSED = { expectedErrors: /status of 401/ };
const NOBODY = { role: 'nobody' } as const;

describe('the sign-in', () => {
  const service = useService('sqlite', { env: { EDGE_ACCOUNT_ID: 'a', ANALYTICS_ENGINE_API_TOKEN: 'b' } });
  const dashboard = useDashboard(service);

  test('is what somebody sees who is not signed in, whatever page they ask for', async () => {
    for (const path of ['', '/leads', '/settings']) {
      await dashboard.visit(
        path,
        async (page) => {
          await shows(() => page.getByLabel('API key').isVisible(), true);
          await shows(() => navigation(page).count(), 0);
        },
        NOBODY,
      );
    }
  });

  test('can be read and used by everybody, in light and dark, on a phone and on a desk', () =>
    dashboard.visit('', assertUsable, NOBODY));

  test('refuses a wrong key, says so next to the field, and keeps nothing', async () => {
    const { site_key } = await aSite(service);
    const link = { body: { name: 'Client', sites: [site_key] } };
    const shared = await call<{ token: string }>(service, 'POST', '/analytics/shared-links', link);
    await dashboard.visit(
      '',
      async (page) => {
        await signIn(page, 'wrong');
        const field = page.getByLabel('API key');
        await page.getByText('This key is not valid.').waitFor();
        await shows(() => field.getAttribute('aria-invalid'), 'true');
        await shows(() => kept(page), { session: null, local: null });
        // The token of a shared link is refused, too, although the service knows it.
        await field.fill(shared.body.token);
        await page.keyboard.press('Enter');
        await page.getByText('This key is not valid.').waitFor();
        await shows(() => kept(page), { session: null, local: null });
        // The right key is accepted afterwards.
        await field.fill(ADMIN_KEY);
        await page.keyboard.press('Enter');
        await navigation(page).waitFor();
      },
      { ...NOBODY, ...REFUSED },
    );
  });

  test('lets in with a key that was copied with spaces around it, and leads to the page that was asked for', async () => {
    await dashboard.visit(
      '/submissions',
      async (page) => {
        await signIn(page, `  ${ADMIN_KEY} `);
        await page.getByRole('heading', { level: 1, name: 'Submissions' }).waitFor();
      },
      NOBODY,
    );
  });

  test('leads the keyboard to the page that opens, and not to the first link of everything', async () => {
    await dashboard.visit(
      '',
      async (page) => {
        await signIn(page, ADMIN_KEY);
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        await page.waitForFunction(() => document.activeElement !== document.body);
        await shows(() => page.evaluate(() => document.activeElement?.id), 'content');
      },
      NOBODY,
    );
  });

  test('keeps the key for the tab alone, unless it is to be remembered', async () => {
    await dashboard.visit(
      '',
      async (page) => {
        await signIn(page, ADMIN_KEY);
        await navigation(page).waitFor();
        await shows(() => kept(page), { session: ADMIN_KEY, local: null });
        await page.reload();
        await navigation(page).waitFor();
        const other = await page.context().newPage();
        await other.goto(page.url());
        await other.getByLabel('API key').waitFor();
      },
      NOBODY,
    );
  });

  test('remembers the key on the device when asked to', async () => {
    await dashboard.visit(
      '',
      async (page) => {
        await page.getByLabel('Keep me signed in on this device').check();
        await signIn(page, ADMIN_KEY);
        await navigation(page).waitFor();
        await shows(() => kept(page), { session: null, local: ADMIN_KEY });
        const other = await page.context().newPage();
        await other.goto(page.url());
        await navigation(other).waitFor();
      },
      NOBODY,
    );
  });

  test('signing out forgets the key, and all that was loaded with it', async () => {
    await dashboard.visit(
      '',
      async (page) => {
        await page.getByLabel('Keep me signed in on this device').check();
        await signIn(page, ADMIN_KEY);
        await navigation(page).waitFor();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByLabel('API key').waitFor();
        await shows(() => kept(page), { session: null, local: null });
        // The next viewer is another person.
        await signIn(page, MARKETING_KEY);
        await page.getByText('Marketing', { exact: true }).waitFor();
        await page.reload();
        await page.getByText('Marketing', { exact: true }).waitFor();
      },
      NOBODY,
    );
  });

  test('signing out takes away the news that were for whoever was signed in', async () => {
    await dashboard.visit('', async (page) => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      const news = page.getByRole('dialog').filter({ hasText: 'Figures refreshed' });
      await news.waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('API key').waitFor();
      // The toast may still be fading out.
      await shows(() => news.and(page.locator(':not([data-ending-style])')).count(), 0);
    });
  });

  test('a key that is no longer valid leads back to the sign-in', async () => {
    await dashboard.visit(
      '',
      async (page) => {
        await page.evaluate((name) => sessionStorage.setItem(name, 'old'), KEPT);
        await page.reload();
        await page.getByLabel('API key').waitFor();
        await shows(() => kept(page), { session: null, local: null });
      },
      { ...NOBODY, ...REFUSED },
    );
  });

  test('the marketing key shows all but the settings', async () => {
    await dashboard.visit(
      '',
      async (page) => {
        await page.getByText('Marketing', { exact: true }).waitFor();
        await atRest(page);
        await shows(() => navigation(page).getByRole('link', { name: 'Leads' }).count(), 1);
        await shows(() => navigation(page).getByRole('link', { name: 'Settings' }).count(), 0);
      },
      { role: 'marketing' },
    );
    await dashboard.visit('', async (page) => {
      await navigation(page).getByRole('link', { name: 'Settings' }).waitFor();
    });
  });

  test('the marketing key does not get to see the settings by their address either', async () => {
    await dashboard.visit(
      '/settings',
      async (page) => {
        await page.getByText('Settings need the admin key').waitFor();
        await shows(() => page.getByRole('main').getByRole('textbox').count(), 0);
        await shows(() => page.getByRole('main').getByRole('switch').count(), 0);
      },
      { role: 'marketing' },
    );
  });
});

function navigation(page: Page) {
  return page.getByRole('navigation', { name: 'Main' });
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

function kept(page: Page): Promise<{ session: string | null; local: string | null }> {
  return page.evaluate(
    (name) => ({ session: sessionStorage.getItem(name), local: localStorage.getItem(name) }),
    KEPT,
  );
}
