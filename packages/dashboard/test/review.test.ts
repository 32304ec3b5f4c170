import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { ask } from '@leadtrail/testing/questions';
import { MARKETING_KEY, useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { assertAccessible, atRest, useDashboard } from './support/dashboard.ts';
import { enquireMany, guests, moveTo, view } from './support/enquirers.ts';
import { shows } from './support/shows.ts';

const NAMES = ['Ada', 'Bob', 'Cyd', 'Eve'];

type Listed = { leads: { lead_id: number; contact_name: string; status: string; needs_review: number }[] };

describe('reviewing leads without the mouse', () => {
  const service = useService('sqlite', { env: CAPTURE_ENV });
  const dashboard = useDashboard(service);

  before(async () => {
    for (const name of NAMES) {
      const sent = { FIRSTNAME: name, EMAIL: `${name}@example.org`, PHONE: '', PROJECT: name };
      await assertCaptured(sendFromServer(service, sent));
    }
    await service.settled();
    await ask(service, { metrics: ['visits'] });
  });

  async function leadOf(name: string): Promise<Listed['leads'][number]> {
    const { body } = await call<Listed>(service, 'GET', '/analytics/leads');
    const lead = body.leads.find(({ contact_name }) => contact_name === name);
    assert.ok(lead !== undefined);
    return lead;
  }

  const pressAndWait = async (page: Page, key: string, method: string, path: RegExp) => {
    const answered = page.waitForResponse(
      (response) => response.request().method() === method && path.test(response.url()),
    );
    await page.keyboard.press(key);
    await answered;
  };
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

  test('j and k and the arrows go along the list, which begins with the latest', () =>
    dashboard.visit('/leads', async (page) => {
      await page.keyboard.press('j');
      await shows(() => focused(page), 'Eve');
      await page.keyboard.press('j');
      await page.keyboard.press('ArrowDown');
      await shows(() => focused(page), 'Bob');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('k');
      await page.keyboard.press('k');
      await shows(() => focused(page), 'Eve');
    }));

  test('a digit is a stage, u takes it back, r marks as reviewed and leaves the row where it is', () =>
    dashboard.visit('/leads?seen=false', async (page) => {
      await page.keyboard.press('j');
      await pressAndWait(page, '3', 'PATCH', /\/analytics\/leads\//);
      await shows(async () => (await leadOf('Eve')).status, 'qualified');
      // Hovered, the toast does not time out: only the undo closes it.
      await page.getByText('Eve moved to Qualified').hover();
      await pressAndWait(page, 'u', 'PATCH', /\/analytics\/leads\//);
      await shows(async () => (await leadOf('Eve')).status, 'new');
      await page.getByText('Eve moved to Qualified').waitFor({ state: 'detached' });
      await page.getByText('Eve moved back to New').waitFor();

      await pressAndWait(page, 'r', 'GET', /\/analytics\/leads\/\d+$/);
      await shows(async () => (await leadOf('Eve')).needs_review, 0);
      await shows(() => page.locator('tr[data-lead]').count(), NAMES.length);
      await shows(() => focused(page), 'Eve');
    }));

  test('what somebody else has moved meanwhile stays where it is, and shows', () =>
    dashboard.visit(
      '/leads',
      async (page) => {
        await page.keyboard.press('j');
        await pressAndWait(page, '3', 'PATCH', /\/analytics\/leads\//);
        await page.getByText('Eve moved to Qualified').waitFor();
        await moveTo(service, 'Eve', 'won');
        await pressAndWait(page, 'u', 'PATCH', /\/analytics\/leads\//);
        await page.getByText('Eve was not moved').first().waitFor();
        await page.getByText('The lead has been moved to another stage meanwhile.').first().waitFor();
        await page.getByRole('row', { name: /Eve/ }).getByText('Won').waitFor();
        await shows(async () => (await leadOf('Eve')).status, 'won');
        await moveTo(service, 'Eve', 'new');
      },
      { expectedErrors: /status of 409/ },
    ));

  test('Enter opens the lead, j is the next one, and back in the list one goes on there', () =>
    dashboard.visit('/leads', async (page) => {
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Cyd' }).waitFor();
      await atRest(page);
      await page.getByText('2 of 4').waitFor();
      await page.keyboard.press('j');
      await page.getByRole('heading', { level: 1, name: 'Bob' }).waitFor();
      await atRest(page);
      await pressAndWait(page, '2', 'PATCH', /\/analytics\/leads\//);
      await shows(async () => (await leadOf('Bob')).status, 'contacted');
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor();
      await atRest(page);
      await shows(() => focused(page), 'Bob');
    }));

  test('n opens the lead with the note begun; saving it or Escape gives the keys back', () =>
    dashboard.visit('/leads', async (page) => {
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('n');
      await page.getByRole('heading', { level: 1, name: 'Cyd' }).waitFor();
      await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
      await page.keyboard.type('Calls back on Monday');
      await pressAndWait(page, 'Control+Enter', 'POST', /\/notes$/);
      await page.getByRole('list', { name: 'Notes' }).getByText('Calls back on Monday').waitFor();
      await page.waitForFunction(() => document.activeElement === document.body);
      await page.keyboard.press('n');
      await shows(() => page.getByLabel('New note').inputValue(), '');
      await page.keyboard.press('Escape');
      await page.keyboard.press('j');
      await page.getByRole('heading', { level: 1, name: 'Bob' }).waitFor();
    }));

  test('letters typed into a field are text', () =>
    dashboard.visit('/leads', async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('j3ru?');
      await shows(() => page.getByRole('searchbox').inputValue(), 'j3ru?');
      await shows(() => page.getByRole('dialog').count(), 0);
    }));

  test('f sends a lead, and says why it cannot', () =>
    dashboard.visit(
      '/leads',
      async (page) => {
        await page.keyboard.press('j');
        await page.keyboard.press('f');
        await page.getByText('Eve was not sent').first().waitFor();
      },
      { expectedErrors: /status of 409/ },
    ));

  test('? explains the keys', () =>
    dashboard.visit('/leads', async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Review leads by keyboard' }).waitFor();
      await assertAccessible(page);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }));

  test('on a closed select the keys are those of the page, and no letter chooses', () =>
    dashboard.visit(
      '/leads',
      async (page) => {
        await page.keyboard.press('j');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { level: 1, name: 'Eve' }).waitFor();
        await atRest(page);
        const stage = page.getByRole('combobox', { name: 'Stage' });
        await stage.press('Enter');
        const contacted = page.getByRole('option', { name: 'Contacted', exact: true });
        await contacted.waitFor();
        // Typeahead in an open list.
        await page.keyboard.press('c');
        await contacted.and(page.locator('[data-highlighted]')).waitFor();
        await pressAndWait(page, 'Enter', 'PATCH', /\/analytics\/leads\//);
        await stage.and(page.locator(':focus')).waitFor();

        await page.keyboard.press('f');
        await page.getByText('Eve was not sent').first().waitFor();
        await shows(async () => (await leadOf('Eve')).status, 'contacted');
        await pressAndWait(page, 'u', 'PATCH', /\/analytics\/leads\//);
        await shows(async () => (await leadOf('Eve')).status, 'new');
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Review leads by keyboard' }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog', { name: 'Review leads by keyboard' }).waitFor({ state: 'detached' });

        // Escape closes an open list, and only then leads back.
        await stage.press('ArrowDown');
        await page.getByRole('listbox').waitFor();
        await page.keyboard.press('Escape');
        await stage.and(page.locator(':focus')).waitFor();
        await page.keyboard.press('n');
        await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
        await page.keyboard.press('Escape');
        await stage.press('Escape');
        await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor();
        await atRest(page);

        const { search } = new URL(page.url());
        const filter = page.getByRole('combobox', { name: 'Stage' });
        await filter.press('n');
        await filter.press('j');
        await shows(() => focused(page), 'Eve');
        assert.equal(new URL(page.url()).search, search);
      },
      { expectedErrors: /status of 409/ },
    ));

  test('leads are narrowed by project and by the frame', () =>
    dashboard.visit('/leads', async (page) => {
      await page.getByRole('button', { name: 'More filters' }).click();
      await page.getByRole('combobox', { name: 'Project' }).click();
      await page.getByRole('option', { name: 'Bob (1)' }).click();
      await page.waitForURL(/project=Bob/);
      await page.getByText('1 lead', { exact: true }).waitFor();
      await page.getByRole('combobox', { name: 'Period' }).click();
      await page.getByRole('option', { name: 'Yesterday' }).click();
      await page.getByText('0 leads', { exact: true }).waitFor();
    }));

  test('back among those to review one goes on with the next, although the reviewed ones are gone', async () => {
    for (const FIRSTNAME of ['Fay', 'Gus', 'Hal']) {
      await assertCaptured(
        sendFromServer(service, { FIRSTNAME, EMAIL: `${FIRSTNAME}@example.org`, PHONE: '' }),
      );
    }
    await dashboard.visit('/leads?seen=false', async (page) => {
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Hal' }).waitFor();
      await atRest(page);
      await page.keyboard.press('j');
      await page.getByRole('heading', { level: 1, name: 'Gus' }).waitFor();
      await atRest(page);
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor();
      await page.getByRole('link', { name: 'Gus' }).waitFor({ state: 'detached' });
      await page.waitForFunction(() => document.activeElement?.textContent === 'Fay');
    });
  });

  test('what a lead is worth is shown as it was understood, and saved so', () =>
    dashboard.visit('/leads/1', async (page) => {
      const amount = page.getByLabel('Amount in EUR');
      for (const [typed, shown, value] of [
        ['1250,50', '€1,250.50', 1250.5],
        ['450,000', '€450,000.00', 450_000],
        ['1.234,', '€1,234.00', 1234],
        // The value as sent, not rounded.
        ['1,2345', '€1.2345', 1.2345],
        ['0.005', '€0.005', 0.005],
      ] as const) {
        await amount.fill(typed);
        await page.getByText(shown, { exact: true }).waitFor();
        const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
        await page.keyboard.press('Enter');
        assert.equal((await saved).status(), 200);
        const { body } = await call<{ lead: { value: number } }>(service, 'GET', '/analytics/leads/1');
        assert.equal(body.lead.value, value);
        await page.getByText(shown, { exact: true }).waitFor({ state: 'detached' });
        // A toast replaces an earlier one with the same text.
        await shows(() => page.getByRole('dialog').filter({ hasText: 'Value saved' }).count(), 1);
      }
      const unclear = 'This amount is not clear. Write it with one decimal mark, such as 1234.56.';
      const outside = 'Enter an amount from 0 to 1,000,000,000.';
      for (const [wrong, said] of [
        ['a lot', unclear],
        ['1234.567', unclear],
        ['1.000.00', unclear],
        ['-1', outside],
        ['1,000,000,001', outside],
      ] as const) {
        await amount.fill('');
        await amount.fill(wrong);
        await page.getByText(said).waitFor();
        await shows(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true);
      }
    }));

  test('an amount that is typed while another is being saved stays', () =>
    dashboard.visit('/leads/1', async (page) => {
      const amount = page.getByLabel('Amount in EUR');
      const answer = Promise.withResolvers<void>();
      const isAsked = page.waitForRequest((request) => request.method() === 'PATCH');
      await page.route(/leads\/1$/, async (route) => {
        if (route.request().method() === 'PATCH') await answer.promise;
        await route.continue();
      });
      await amount.fill('77');
      await page.keyboard.press('Enter');
      await isAsked;
      await amount.fill('88');
      answer.resolve();
      await page.getByText('Value saved').first().waitFor();
      await atRest(page);
      await shows(() => amount.inputValue(), '88');
    }));

  const signInAs = async (page: Page, key: string) => {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await atRest(page);
  };

  for (const [how, leave] of [
    ['signed out', (page: Page) => page.getByRole('button', { name: 'Sign out' }).first().click()],
    [
      'lost their key',
      async (page: Page) => {
        await page.route(/\/analytics\/leads\?/, (route) => route.fulfill({ status: 401, json: {} }), {
          times: 1,
        });
        await page.getByRole('searchbox').fill('Ad');
        await page.keyboard.press('Enter');
      },
    ],
  ] as const)
    test(`u takes back no move of somebody who has ${how}`, () =>
      dashboard.visit(
        '/leads',
        async (page) => {
          const moves: string[] = [];
          page.on('request', (request) => request.method() === 'PATCH' && moves.push(request.url()));
          await page.keyboard.press('j');
          await pressAndWait(page, '4', 'PATCH', /\/analytics\/leads\//);
          await leave(page);
          await signInAs(page, MARKETING_KEY);
          await page.keyboard.press('u');
          await page.keyboard.press('j');
          await pressAndWait(page, '5', 'PATCH', /\/analytics\/leads\//);
          assert.equal(moves.length, 2);
        },
        { expectedErrors: /status of 401/ },
      ));

  test('an amount with three decimals is not taken for thousands when it is shown again', async () => {
    const body = { value: 450.125 };
    assert.equal((await call(service, 'PATCH', '/analytics/leads/2', { body })).status, 200);
    await dashboard.visit('/leads/2', async (page) => {
      await shows(() => page.getByLabel('Amount in EUR').inputValue(), '450.1250');
    });
  });

  describe('with more leads than a page has', () => {
    before(() => enquireMany(service, guests(30)));

    const open = async (page: Page, name: string) => {
      await page.getByRole('link', { name, exact: true }).click();
      await arrived(page, name);
    };
    const press = async (page: Page, key: string, name: string) => {
      await page.keyboard.press(key);
      await arrived(page, name);
    };
    const arrived = async (page: Page, name: string) => {
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await atRest(page);
    };
    const place = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

    test('j goes on behind the end of a page, although those that were reviewed are gone from the list', () =>
      dashboard.visit('/leads?q=guest&seen=false', async (page) => {
        for (const name of guests(30).slice(6)) await view(service, name);
        await open(page, 'Guest 06');
        await place(page, '25 of 30');
        await press(page, 'j', 'Guest 05');
        await place(page, '26 of 30');
        await press(page, 'j', 'Guest 04');
        await press(page, 'k', 'Guest 05');
        await press(page, 'k', 'Guest 06');
      }));

    test('Escape leads back to the page one has got to', () =>
      dashboard.visit('/leads?q=guest', async (page) => {
        await open(page, 'Guest 06');
        await page.getByRole('button', { name: 'Next lead' }).click();
        await arrived(page, 'Guest 05');
        await page.keyboard.press('Escape');
        await page.waitForURL(/offset=25/);
        await page.waitForFunction(() => document.activeElement?.textContent === 'Guest 05');
      }));

    test('Escape leads back to the page that has the lead, also after going back', () =>
      dashboard.visit('/leads?q=guest', async (page) => {
        await open(page, 'Guest 06');
        await press(page, 'j', 'Guest 05');
        await press(page, 'k', 'Guest 06');
        const back = page.getByRole('main').getByRole('link', { name: 'All leads' });
        assert.doesNotMatch((await back.getAttribute('href')) ?? '', /offset/);
        await page.keyboard.press('Escape');
        await page.waitForFunction(() => document.activeElement?.textContent === 'Guest 06');
        assert.doesNotMatch(page.url(), /offset/);
      }));

    test('k goes back over the beginning of a page, and the ends of the list are ends', () =>
      dashboard.visit('/leads?q=guest&offset=25', async (page) => {
        await open(page, 'Guest 05');
        await place(page, '26 of 30');
        await press(page, 'k', 'Guest 06');
        await place(page, '25 of 30');
        await page.goBack();
        await page.goBack();
        await open(page, 'Guest 01');
        await place(page, '30 of 30');
        await shows(() => page.getByRole('button', { name: 'Next lead' }).isDisabled(), true);
      }));

    test('k leaves out none when leads have come meanwhile', () =>
      dashboard.visit('/leads?q=guest&offset=25', async (page) => {
        await open(page, 'Guest 05');
        await enquireMany(service, ['Guest 31', 'Guest 32']);
        await service.settled();
        await press(page, 'k', 'Guest 06');
        await press(page, 'k', 'Guest 07');
        await page.keyboard.press('Escape');
        // The page that has it now, among 32 leads.
        await page.waitForURL(/offset=25/);
      }));
  });
});
