import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { CALLBACK_SECRET } from '@leadtrail/testing/callbacks';
import { ask } from '@leadtrail/testing/questions';
import { useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { fillWithDemo } from '../../../scripts/demo/fill.ts';
import {
  assertAccessible,
  assertUsable,
  atRest,
  movedSoFar,
  PHONE,
  useDashboard,
} from './support/dashboard.ts';
import { HOSTILE, HOSTILE_ADDRESS, type Seeded, seedHostileData } from './support/hostile-data.ts';
import { shows } from './support/shows.ts';

/*
 * Every page, with the data of an agency and with hostile data: it opens without an error and without third-party
 * requests, is accessible, fits on a phone, and renders hostile data as plain text.
 */

type PathOf = (seeded: Seeded) => string;

const PAGES: Readonly<Record<string, PathOf>> = {
  overview: () => '',
  live: () => '/live',
  visits: () => '/visits?when=all',
  leads: () => '/leads',
  'leads as a board': () => '/leads?layout=board',
  lead: ({ leadId }) => `/leads/${leadId}`,
  'lead of the demo': () => '/leads/1',
  submissions: () => '/submissions',
  campaigns: () => '/campaigns',
  deliveries: () => '/deliveries',
  recordings: () => '/recordings',
  rejected: () => '/rejected?period=all',
  testing: () => '/testing?period=all',
  'blocked addresses': () => '/blocked-ips',
  'whitelisted addresses': () => '/whitelisted-ips',
  settings: () => '/settings',
  'sites and forms': () => '/settings/sites',
  'a site with its code': ({ siteId }) => `/settings/sites?site=${siteId}`,
  integrations: () => '/settings/integrations',
  'shared links': () => '/settings/shared-links',
  forwarding: () => '/settings/forwarding',
  'settings of leads': () => '/settings/leads',
  'time zone and currency': () => '/settings/figures',
  'drought alert': () => '/settings/drought',
  retention: () => '/settings/retention',
  'figures of the system': () => '/settings/system',
  'dropdown options': () => '/settings/options',
  'keys and appearance': () => '/settings/account',
};

/** Parts of pages, opened by an address or by pressing buttons, with words that show that they are open. */
const OPENED: Readonly<Record<string, { pathOf: PathOf; pressed?: readonly RegExp[]; words: string }>> = {
  'countries as a list': { pathOf: () => '?countries=list', words: 'By country' },
  'a search that finds nothing': {
    pathOf: () => `/leads?q=${encodeURIComponent(`${HOSTILE} nobody`)}`,
    words: 'No leads match',
  },
  'a lead that does not exist': {
    pathOf: () => `/leads/${encodeURIComponent(HOSTILE)}`,
    words: 'Lead not found',
  },
  'a recording that was played to its end': {
    pathOf: ({ leadId, sessionId }) => `/leads/${leadId}?replay=${sessionId}`,
    words: 'Play again',
  },
  'a filter by a name that somebody made up': {
    pathOf: () => `/?filters=${encodeURIComponent(JSON.stringify([`project:${HOSTILE}`]))}`,
    words: 'Project:',
  },
  'figures of campaigns by the fields of forms': {
    pathOf: () => '/campaigns?by=project,form_source&when=all',
    words: 'Figures by project',
  },
  'the leads behind a figure': {
    pathOf: () => '/leads?figure=leads&when=all',
    words: 'Show all leads',
  },
  'the visits behind a figure': {
    pathOf: () => `/visits?figure=goal_visits&goal=${encodeURIComponent(HOSTILE)}&when=all`,
    words: 'Show all visits',
  },
  'the submissions behind a figure': {
    pathOf: () => '/submissions?figure=submissions&when=all',
    words: 'Show all submissions',
  },
  'the costs of campaigns': { pathOf: () => '/campaigns', pressed: [/^Costs/], words: 'A CSV file' },
  'the keys of the keyboard': {
    pathOf: () => '/leads',
    pressed: [/^Keyboard/],
    words: 'Review leads by keyboard',
  },
  'a delivery': { pathOf: ({ sendId }) => `/deliveries?open=${sendId}`, words: 'Delivery of' },
  'a rejected lead': {
    pathOf: ({ rejectedId }) => `/rejected?period=all&open=${rejectedId}`,
    words: 'Submitted data',
  },
  'a testing lead': {
    pathOf: ({ testingId }) => `/testing?period=all&open=${testingId}`,
    words: 'Submitted data',
  },
  'the question before a rejected lead is accepted': {
    pathOf: () => '/rejected?period=all',
    pressed: [/^Accept the lead of/],
    words: 'Also unblock this address',
  },
  'the question before a testing lead is accepted': {
    pathOf: () => '/testing?period=all',
    pressed: [/^Accept the lead of/],
    words: 'as if it had not been a test',
  },
  'the question before two leads are merged': {
    pathOf: ({ leadId }) => `/leads/${leadId}`,
    pressed: [/^Merge into this lead/],
    words: 'You can undo the merge.',
  },
  'what an erasure would delete': {
    pathOf: ({ leadId }) => `/leads/${leadId}`,
    pressed: [/^More actions/, /^Erase this person/],
    words: 'What will be deleted',
  },
  'the question before all failed deliveries are resent': {
    pathOf: () => '/deliveries',
    pressed: [/^Resend all failed/],
    words: 'If the platform is still not working',
  },
  'a search for an address': {
    pathOf: () => `/blocked-ips?q=${encodeURIComponent(HOSTILE)}`,
    words: 'No address matches',
  },
  'a section that does not exist': {
    pathOf: () => `/settings/${encodeURIComponent(HOSTILE)}`,
    words: 'Section not found',
  },
};

/**
 * Browsers log every error response, here for leads that do not exist. The other comes from the script that signs in: it
 * runs in every frame, including that of a recording, which has no storage.
 */
const EXPECTED = /status of (400|404)|Failed to read the 'sessionStorage' property/;

/** A good cumulative layout shift (CLS), by the Core Web Vitals. */
const MOVED_MAX = 0.1;

describe('every page', () => {
  const service = useService('sqlite', {
    env: {
      EDGE_ACCOUNT_ID: 'a',
      ANALYTICS_ENGINE_API_TOKEN: 'b',
      CRM_CALLBACK_SECRET: CALLBACK_SECRET,
    },
  });
  const dashboard = useDashboard(service);
  let seeded: Seeded;
  before(async () => {
    await fillWithDemo(service.app, {
      size: { sessions: 400, leads: 60, recordings: 3 },
      now: service.app.now(),
    });
    seeded = await seedHostileData(service);
    // Warms up the columnar copy, which the first question may have to wait for.
    await ask(service, { metrics: ['visits'] });
  });

  for (const [name, pathOf] of Object.entries(PAGES)) {
    test(`${name}: opens on a phone without moving, and everybody can use it, light and dark, there and on a desk`, async () => {
      await dashboard.visit(
        pathOf(seeded),
        async (page) => {
          await assertShown(page);
          const moved = await movedSoFar(page);
          assert.ok(moved < MOVED_MAX, `moved by ${moved}`);
          await assertUsable(page);
          await assertNothingExecuted(page);
        },
        { size: PHONE },
      );
    });
  }

  for (const [name, { pathOf, pressed = [], words }] of Object.entries(OPENED)) {
    test(`${name}: opens, and nothing in it is more than text`, async () => {
      await dashboard.visit(
        pathOf(seeded),
        async (page) => {
          for (const button of pressed)
            await page
              .getByRole('button', { name: button })
              .or(page.getByRole('menuitem', { name: button }))
              .first()
              .click();
          const said = page.getByText(words).or(page.getByRole('button', { name: words }));
          // Content for print only is hidden.
          await said.filter({ visible: true }).first().waitFor();
          await assertAccessible(page);
          await assertNothingExecuted(page);
        },
        { expectedErrors: EXPECTED },
      );
    });
  }

  test('the marketing role sees every page but the settings without being refused anything', async () => {
    await dashboard.visit(
      '',
      async (page) => {
        for (const [name, pathOf] of Object.entries(PAGES)) {
          const path = pathOf(seeded);
          if (path.startsWith('/settings')) continue;
          await page.goto(`${service.url}/dashboard${path}`);
          await atRest(page);
          await shows(() => page.getByRole('heading', { level: 1 }).count(), 1, name);
        }
      },
      { role: 'marketing' },
    );
  });
});

/** The page has its heading and shows no error. */
async function assertShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await shows(() => page.getByRole('heading', { level: 1 }).count(), 1);
  await shows(() => page.getByRole('main').getByRole('button', { name: 'Try again' }).count(), 0);
}

/** No hostile script ran, and none would run without the Content-Security-Policy. */
async function assertNothingExecuted(page: Page): Promise<void> {
  for (const frame of page.frames()) {
    const found = await frame.evaluate((scheme) => {
      const links = [...document.querySelectorAll('a[href], form[action]')];
      const places = links.map((each) => each.getAttribute('href') ?? each.getAttribute('action') ?? '');
      return {
        ran: 'pwned' in globalThis,
        elements: document.querySelectorAll('[data-pwned]').length,
        links: places.filter((place) => place.trim().toLowerCase().startsWith(scheme)),
      };
    }, new URL(HOSTILE_ADDRESS).protocol);
    assert.deepEqual(found, { ran: false, elements: 0, links: [] }, frame.url());
  }
}
