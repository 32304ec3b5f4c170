import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openChromium } from '@leadtrail/testing/chromium';
import { rows } from '@leadtrail/testing/database';
import { BROWSER, CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PATIENCE_MS } from './support/form-visits.ts';
import { setUpForms } from './support/lead-forms.ts';
import { type MatrixSite, openMatrixSite } from './support/matrix-site.ts';
import { SITE_KINDS, type SiteKind } from './support/site-kinds.ts';
import { eventsOf, eventually, sessionsOf, visitorOf } from './support/tracked-visits.ts';

/** Every situation on every kind of site. All of them make sense everywhere, so the table has no gaps. */

type Walk = {
  kind: SiteKind;
  page: Page;
  context: BrowserContext;
  /** The address of the site where consent is not required, and of the one where it is. */
  open: string;
  asking: string;
  email: string;
};
type Stored = { lead_id: number; campaign: string; visitor_id: string; payload_json: string };

const CAMPAIGN = 'utm_source=news&utm_campaign=spring';
/** Longer than an unanswered form waits before it is sent again. */
const RETRY_MS = 60_000;

onEitherStore('Sites of every kind', (storeKind) => {
  const service = useService(storeKind, { env: CAPTURE_ENV });
  let browser: Browser;
  let site: MatrixSite;
  before(async () => {
    await setUpForms(service);
    site = await openMatrixSite(service);
    browser = await openChromium();
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  /** What has arrived of this person: a row for each submission. */
  const stored = (email: string) =>
    rows<Stored>(
      service,
      `select l.lead_id, l.campaign, l.visitor_id, s.payload_json from leads l
      join submissions s on s.lead_id = l.lead_id where l.contact_email = '${email}'`,
    );
  async function onlyOne(email: string): Promise<Stored> {
    const [first, ...others] = await eventually(
      () => stored(email),
      (found) => found.length > 0,
    );
    assert.deepEqual(others, []);
    return first ?? assert.fail('Nothing has arrived.');
  }

  /** The pages of the visitor's only session, in order, once there are as many. */
  async function viewed(visitor: string, count: number): Promise<string[]> {
    const read = async () => {
      const sessions = await sessionsOf(service, visitor);
      assert.ok(sessions.length < 2, 'There are several sessions.');
      const [session] = sessions;
      if (session === undefined) return [];
      const events = await eventsOf(service, session.session_id);
      const views = events.filter(({ type }) => type === 'page_view').map((view) => view.page);
      return [session.entry_page, ...views].map((page) => new URL(page).pathname);
    };
    return eventually(read, (pages) => pages.length >= count);
  }
  const pathOf = (address: string) => new URL(address).pathname;

  async function land(page: Page, address: string): Promise<string> {
    await page.goto(`${address}?${CAMPAIGN}`);
    return visitorOf(page);
  }

  /** The page of the form, with all that our scripts load for it. */
  async function openForm(page: Page): Promise<void> {
    const loaded = [page.waitForResponse(/\/forms\/config/), page.waitForResponse(/\/fx\.js/)];
    await page.getByRole('link', { name: 'Contact' }).click();
    for (const response of await Promise.all(loaded)) await response.finished();
    await isReady(page);
  }
  const isReady = (page: Page) => page.locator('form [name=__pg_hp]').waitFor({ state: 'attached' });

  const sendButton = (page: Page) => page.getByRole('button', { name: 'Send' });

  async function isThanked({ kind, page }: Walk): Promise<void> {
    if (kind.sentBy === 'our script') await page.waitForURL('**/thank-you.html');
    else await page.getByText('Thank you').first().waitFor();
  }

  async function send(walk: Walk): Promise<void> {
    await walk.kind.fill(walk.page, walk.email);
    await sendButton(walk.page).click();
    await isThanked(walk);
  }

  /** Where a visitor has been who has sent the form. */
  const wayTo = ({ kind, open }: Walk) => [
    pathOf(open),
    pathOf(`${open}contact`),
    ...(kind.sentBy === 'our script' ? [pathOf(`${open}thank-you.html`)] : []),
  ];

  const situations: Readonly<Record<string, (walk: Walk) => Promise<void>>> = {
    async 'the campaign of the landing page reaches the lead, and every page is a page view'(walk) {
      const { kind, page } = walk;
      const visitor = await land(page, walk.open);
      await page.evaluate(() => Object.assign(window, { isLanding: true }));
      await openForm(page);
      assert.equal(await page.evaluate(() => 'isLanding' in window), kind.isOneDocument);
      await send(walk);
      const lead = await onlyOne(walk.email);
      assert.equal(lead.visitor_id, visitor);
      assert.deepEqual(JSON.parse(lead.campaign), { utm_source: 'news', utm_campaign: 'spring' });
      const way = wayTo(walk);
      assert.deepEqual(await viewed(visitor, way.length), way);
    },

    async 'consent given on the page of the form begins the visit there'(walk) {
      const { page, asking } = walk;
      await page.goto(`${asking}?${CAMPAIGN}`);
      await page.waitForFunction('window.leadtrail?.isLoaded');
      await page.getByRole('link', { name: 'Contact' }).click();
      await isReady(page);
      assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);
      const loaded = [page.waitForResponse(/\/forms\/config/), page.waitForResponse(/\/fx\.js/)];
      await page.evaluate(`leadtrail('consent', true)`);
      // As a banner does that goes away.
      await page.evaluate(() => document.body.append(document.createElement('p')));
      const visitor = await visitorOf(page);
      for (const response of await Promise.all(loaded)) await response.finished();
      await send(walk);
      assert.equal((await onlyOne(walk.email)).visitor_id, visitor);
      const [, ...way] = wayTo({ ...walk, open: asking });
      assert.deepEqual(await viewed(visitor, way.length), way);
    },

    async 'a refusal leaves nothing behind but the lead'(walk) {
      const { page, asking, email } = walk;
      const tracked: string[] = [];
      page.on('request', (request) => {
        if (pathOf(request.url()).startsWith('/track/')) tracked.push(request.url());
      });
      await page.goto(`${asking}?${CAMPAIGN}`);
      await page.waitForFunction('window.leadtrail?.isLoaded');
      await page.evaluate(`leadtrail('consent', false)`);
      await page.getByRole('link', { name: 'Contact' }).click();
      await isReady(page);
      await send(walk);
      const lead = await onlyOne(email);
      assert.equal(lead.visitor_id, '');
      const payload = JSON.parse(lead.payload_json);
      assert.equal('__visitor_id' in payload || '__touches' in payload, false);
      assert.deepEqual(tracked, []);
      assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), ['leadtrail_consent']);
    },

    async 'with our scripts blocked the form still arrives'(walk) {
      const { page, context, open, email } = walk;
      await context.route(`${service.url}/*.js`, (route) => route.abort());
      await page.goto(open);
      await page.getByRole('link', { name: 'Contact' }).click();
      await sendButton(page)
        .or(page.getByRole('button', { name: 'Next' }))
        .first()
        .waitFor();
      await send(walk);
      assert.equal((await onlyOne(email)).visitor_id, '');
    },

    async 'what is sent without a connection arrives once there is one, once'(walk) {
      const { kind, page, context, open, email } = walk;
      await page.clock.install();
      await land(page, open);
      await openForm(page);
      await kind.fill(page, email);
      await context.setOffline(true);
      await sendButton(page).click();
      if (kind.sentBy === 'our script') {
        await page.getByRole('alert').getByText('is kept and sent by itself').waitFor();
        await context.setOffline(false);
        await page.clock.fastForward(RETRY_MS);
        await page.getByRole('status').getByText('All set!').waitFor();
      } else {
        await page.locator('.again:visible, [data-status=failed]').waitFor();
        await context.setOffline(false);
        await sendButton(page).click();
        await isThanked(walk);
      }
      await page.clock.fastForward(RETRY_MS);
      await onlyOne(email);
    },

    async 'the back button sends nothing again, and is a page view'(walk) {
      const { page, email } = walk;
      const visitor = await land(page, walk.open);
      await openForm(page);
      await send(walk);
      const way = wayTo(walk);
      assert.deepEqual(await viewed(visitor, way.length), way);
      await page.goBack();
      const backTo = way.at(-2) ?? '';
      await page.waitForURL((address) => address.pathname === backTo);
      assert.deepEqual(await viewed(visitor, way.length + 1), [...way, backTo]);
      await onlyOne(email);
    },

    async 'a double click sends once'(walk) {
      const { kind, page, email } = walk;
      await land(page, walk.open);
      await openForm(page);
      await kind.fill(page, email);
      await sendButton(page).dblclick();
      await isThanked(walk);
      await onlyOne(email);
    },
  };

  for (const [index, kind] of SITE_KINDS.entries()) {
    describe(kind.name, () => {
      for (const [number, [situation, walkThrough]] of Object.entries(situations).entries()) {
        test(situation, async () => {
          const context = await browser.newContext({ userAgent: BROWSER });
          context.setDefaultTimeout(PATIENCE_MS);
          const errors: string[] = [];
          context.on('weberror', (error) => errors.push(String(error.error())));
          try {
            await walkThrough({
              kind,
              context,
              page: await context.newPage(),
              open: `${site.url}/open/${index}/`,
              asking: `${site.url}/asking/${index}/`,
              email: `site${index}-${number}@example.org`,
            });
            assert.deepEqual(errors, []);
          } finally {
            await context.close();
          }
        });
      }
    });
  }
});
