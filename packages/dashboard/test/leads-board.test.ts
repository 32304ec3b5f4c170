import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { useService } from '@leadtrail/testing/service';
import type { Locator, Page } from 'playwright-core';
import {
  assertAccessible,
  assertUsable,
  atRest,
  DESKTOP,
  PHONE,
  undo,
  useDashboard,
} from './support/dashboard.ts';
import { enquire, enquireMany, guests, leadNamed, moveTo } from './support/enquirers.ts';
import { shows } from './support/shows.ts';

describe('The board of leads', () => {
  const service = useService('sqlite', {
    env: { EDGE_ACCOUNT_ID: 'a', ANALYTICS_ENGINE_API_TOKEN: 'b', BOT_LEAD_DETECTION: 'on', ...CAPTURE_ENV },
  });
  const dashboard = useDashboard(service);

  describe('The leads as a board', () => {
    before(async () => {
      await emptyLeads(service);
      await enquireMany(service, guests(30));
      await enquire(service, 'Ada Lovelace');
      await moveTo(service, 'Guest 01', 'contacted');
    });

    beforeEach(() => moveTo(service, 'Ada Lovelace', 'new'));

    it('has a column for each stage with its count, and shows more on request', () =>
      dashboard.visit('/leads', async (page) => {
        await page.getByRole('link', { name: 'Board' }).click();
        await page.waitForURL(/layout=board/);
        await atRest(page);
        const heads = await page.getByRole('heading', { level: 2 }).allInnerTexts();
        assert.deepEqual(
          heads.map((head) => head.replaceAll(/\s+/g, ' ')),
          [
            'New 30 leads',
            'Contacted 1 lead',
            'Qualified 0 leads',
            'Proposal 0 leads',
            'Won 0 leads',
            'Lost 0 leads',
            'Fake 0 leads',
          ],
        );
        await shows(async () => (await cards(page, 'New')).length, 20);
        await page.getByRole('link', { name: '1 lead', exact: true }).click();
        await page.waitForURL((url) => url.search === '?status=contacted');
        await page.getByText('1 lead', { exact: true }).waitFor();
        await page.getByRole('link', { name: 'Guest 01' }).waitFor();
        await page.goBack();
        await page.getByRole('button', { name: 'Show 10 more in New' }).click();
        await cardIn(page, 'New', 'Guest 02').waitFor();
        await shows(async () => (await cards(page, 'New')).length, 30);
      }));

    it('moves a card that is dragged to another column, and back on request', () =>
      dashboard.visit(
        '/leads?layout=board',
        async (page) => {
          await drag(page, 'Ada Lovelace', 'Qualified');
          await cardIn(page, 'Qualified', 'Ada Lovelace').waitFor();
          await page.getByText('Ada Lovelace moved to Qualified').waitFor();
          await shows(async () => (await leadNamed(service, 'Ada Lovelace')).status, 'qualified');
          assert.match(page.url(), /layout=board/);
          await undo(page);
          await cardIn(page, 'New', 'Ada Lovelace').waitFor();
          await shows(async () => (await leadNamed(service, 'Ada Lovelace')).status, 'new');
        },
        { role: 'marketing' },
      ));

    it('lets go of a dragged card at Escape, and opens a card that is only clicked', () =>
      dashboard.visit('/leads?layout=board', async (page) => {
        await carry(page, 'Ada Lovelace', 'Contacted');
        await page.keyboard.press('Escape');
        await page.mouse.up();
        await cardIn(page, 'New', 'Ada Lovelace').waitFor();
        await shows(async () => (await leadNamed(service, 'Ada Lovelace')).status, 'new');
        await cardIn(page, 'New', 'Ada Lovelace').click();
        await page.waitForURL(/\/leads\/\d+$/);
      }));

    it('moves a card by keyboard, and says so to screen readers', () =>
      dashboard.visit('/leads?layout=board', async (page) => {
        await cardIn(page, 'New', 'Ada Lovelace').focus();
        await page.keyboard.press('Space');
        await announced(page, 'Ada Lovelace picked up from New.');
        await page.keyboard.press('ArrowRight');
        await announced(page, 'Over Contacted, 2 of 7.');
        await page.keyboard.press('Escape');
        await announced(page, 'Cancelled. Ada Lovelace stays in New.');

        await page.keyboard.press('Space');
        for (const _ of 'right') await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowLeft');
        await announced(page, 'Over Won, 5 of 7.');
        await page.keyboard.press('Space');
        await cardIn(page, 'Won', 'Ada Lovelace').waitFor();
        await page.getByText('Ada Lovelace moved to Won').waitFor();
        await focusIsOn(page, 'Ada Lovelace');
        await shows(async () => (await leadNamed(service, 'Ada Lovelace')).status, 'won');
      }));

    it('moves the focused card by the digit of a stage, takes it back by u, and lists these keys', () =>
      dashboard.visit('/leads?layout=board', async (page) => {
        await page.keyboard.press('5');
        await cardIn(page, 'New', 'Ada Lovelace').focus();
        await page.keyboard.press('Control+4');
        await page.keyboard.press('3');
        await cardIn(page, 'Qualified', 'Ada Lovelace').waitFor();
        await page.getByText('Ada Lovelace moved to Qualified').waitFor();
        await focusIsOn(page, 'Ada Lovelace');
        await shows(async () => (await leadNamed(service, 'Ada Lovelace')).status, 'qualified');

        await atRest(page);
        const undone = page.waitForResponse((response) => response.request().method() === 'PATCH');
        await page.keyboard.press('u');
        await undone;
        await cardIn(page, 'New', 'Ada Lovelace').waitFor();
        await focusIsOn(page, 'Ada Lovelace');
        await shows(async () => (await leadNamed(service, 'Ada Lovelace')).status, 'new');

        await page.keyboard.press('?');
        const help = page.getByRole('dialog', { name: 'Move leads by keyboard' });
        const moving = ['Tab', 'Enter', 'Space', '←', '→', 'Escape'];
        const anywhere = ['/', 'Ctrl K', '⌘ K', '?'];
        await shows(() => help.locator('kbd').allInnerTexts(), [...moving, ...'1234567u', ...anywhere]);
        await assertAccessible(page);
      }));

    it('goes with the focus to the card that u takes back, whichever had it', () =>
      dashboard.visit('/leads?layout=board', async (page) => {
        await cardIn(page, 'New', 'Ada Lovelace').focus();
        await page.keyboard.press('3');
        await cardIn(page, 'Qualified', 'Ada Lovelace').waitFor();
        await focusIsOn(page, 'Ada Lovelace');
        await page.getByText('Ada Lovelace moved to Qualified').waitFor();
        await atRest(page);
        await cardIn(page, 'New', 'Guest 30').focus();
        await page.keyboard.press('u');
        await cardIn(page, 'New', 'Ada Lovelace').waitFor();
        await focusIsOn(page, 'Ada Lovelace');
      }));

    it('moves a card through its menu, and the focus goes along', () =>
      dashboard.visit('/leads?layout=board', async (page) => {
        await page.getByRole('button', { name: 'Move Ada Lovelace' }).click();
        await page.getByRole('menuitemradio', { name: 'Lost' }).click();
        await cardIn(page, 'Lost', 'Ada Lovelace').waitFor();
        await focusIsOn(page, 'Ada Lovelace');
      }));

    it('takes a move back that the service has refused', () =>
      dashboard.visit(
        '/leads?layout=board',
        async (page) => {
          await page.route('**/analytics/leads/*', (route) =>
            route.request().method() === 'PATCH'
              ? route.fulfill({ status: 500, json: { error: 'Internal server error' } })
              : route.continue(),
          );
          await drag(page, 'Ada Lovelace', 'Contacted');
          await page.getByText('Ada Lovelace was not moved').first().waitFor();
          await cardIn(page, 'New', 'Ada Lovelace').waitFor();
          await shows(() => cards(page, 'Contacted'), ['Guest 01']);
        },
        { expectedErrors: /500/ },
      ));

    it('moves a card that a finger holds', () =>
      dashboard.visit(
        '/leads?layout=board',
        async (page) => {
          const finger = await aFinger(page);
          const from = await middleOf(cardIn(page, 'New', 'Ada Lovelace'));
          await finger('touchStart', from.x, from.y);
          await column(page, 'New').and(page.locator('[data-over]')).waitFor();
          const to = await column(page, 'Contacted').boundingBox();
          assert.ok(to);
          await finger('touchMove', to.x + 20, from.y + 10);
          await column(page, 'Contacted').and(page.locator('[data-over]')).waitFor();
          await finger('touchEnd');
          await cardIn(page, 'Contacted', 'Ada Lovelace').waitFor();
        },
        { size: PHONE },
      ));

    it('scrolls with a finger that goes over the cards', () =>
      dashboard.visit(
        '/leads?layout=board',
        async (page) => {
          const finger = await aFinger(page);
          const { x, y } = await middleOf(cardIn(page, 'New', 'Guest 30'));
          // Without a pause, or the long press would pick up the card.
          await Promise.all([
            finger('touchStart', x, y),
            ...[40, 80, 120, 160].map((way) => finger('touchMove', x, y - way)),
            finger('touchEnd'),
          ]);
          await page.waitForFunction(
            () => (document.querySelector('[data-stage="new"] ul')?.scrollTop ?? 0) > 0,
          );
          await shows(() => page.locator('[data-over]').count(), 0);
        },
        { size: PHONE },
      ));

    it('searches and filters in every column, and keeps that in the address', () =>
      dashboard.visit('/leads?layout=board', async (page) => {
        await page.getByRole('searchbox').fill('guest 0');
        await page.waitForURL(/q=guest/);
        await atRest(page);
        await shows(async () => (await cards(page, 'New')).length, 8);
        await shows(() => cards(page, 'Contacted'), ['Guest 01']);
        await page.getByRole('link', { name: 'Table' }).click();
        await page.getByText('9 leads', { exact: true }).waitFor();
      }));

    it('announces new leads and brings them in when asked', () =>
      dashboard.visit('/leads?layout=board', async (page) => {
        await enquire(service, 'New Guest');
        await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
        await page.getByRole('button', { name: '1 new lead' }).click();
        await cardIn(page, 'New', 'New Guest').waitFor();
      }));

    it('marks bots and tests, on the board as in the table and among recent submissions', async () => {
      await enquire(service, 'Robby', { __pg_hp: 'filled' }, '203.0.113.99');
      await enquire(service, 'Test Person');
      await enquire(service, 'Plain Person');
      const marksOf = async (of: Locator) => (await of.innerText()).match(/\b(?:Bot|Test)$/gm) ?? [];
      const assertMarked = async (of: (name: string) => Locator) => {
        for (const name of ['Robby', 'Test Person', 'Plain Person']) await of(name).waitFor();
        await shows(() => marksOf(of('Robby')), ['Bot']);
        await shows(() => marksOf(of('Test Person')), ['Test']);
        await shows(() => marksOf(of('Plain Person')), []);
      };
      const withName = (all: Locator, page: Page) => (name: string) =>
        all.filter({ has: page.getByText(name, { exact: true }) });
      await dashboard.visit('/leads?layout=board', async (page) => {
        await assertMarked(withName(column(page, 'New').getByRole('listitem'), page));
      });
      await dashboard.visit('/leads', async (page) => {
        await assertMarked(withName(page.getByRole('row'), page));
        await assertUsable(page);
      });
      await dashboard.visit('/', async (page) => {
        await page.getByRole('heading', { name: 'Recent submissions' }).scrollIntoViewIfNeeded();
        await assertMarked(withName(page.getByRole('listitem'), page));
      });
    });

    it('cuts a name that is too long, and keeps the menu of the card within reach', async () => {
      const name = 'Wolfeschlegelstein'.repeat(8);
      await enquire(service, name, { PROJECT: name });
      for (const size of [DESKTOP, PHONE]) {
        await dashboard.visit(
          '/leads?layout=board',
          async (page) => {
            await cardIn(page, 'New', name).waitFor();
            const overhang = await column(page, 'New')
              .getByRole('list')
              .evaluate((list) => list.scrollWidth - list.clientWidth);
            assert.equal(overhang, 0);
          },
          { size },
        );
      }
    });
  });
});

function column(page: Page, stage: string) {
  return page.getByRole('region', { name: stage, exact: true });
}

function cardIn(page: Page, stage: string, name: string) {
  return column(page, stage).getByRole('link', { name, exact: true });
}

function cards(page: Page, stage: string): Promise<string[]> {
  return column(page, stage).getByRole('listitem').getByRole('link').allInnerTexts();
}

async function middleOf(element: ReturnType<typeof cardIn>): Promise<{ x: number; y: number }> {
  const box = await element.boundingBox();
  assert.ok(box);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function carry(page: Page, name: string, to: string): Promise<void> {
  const from = await middleOf(cardIn(page, 'New', name));
  const target = await middleOf(column(page, to));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(target.x, target.y, { steps: 5 });
}

async function drag(page: Page, name: string, to: string): Promise<void> {
  await carry(page, name, to);
  await page.mouse.up();
}

async function announced(page: Page, text: string): Promise<void> {
  await page.locator('[aria-live="assertive"]', { hasText: text }).waitFor({ state: 'attached' });
}

async function focusIsOn(page: Page, name: string): Promise<void> {
  await page.waitForFunction((text) => document.activeElement?.textContent === text, name);
}

/** Until the service has taken the move back. */
async function aFinger(page: Page) {
  const browser = await page.context().newCDPSession(page);
  return (type: 'touchStart' | 'touchMove' | 'touchEnd', x = 0, y = 0) =>
    browser.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x, y }],
    });
}
