import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { capture } from '@leadtrail/testing/callbacks';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { type RecordedEvent, record } from '@leadtrail/testing/recordings';
import { useService } from '@leadtrail/testing/service';
import { sendEvents, startSession } from '@leadtrail/testing/visits';
import type { Frame, Page } from 'playwright-core';
import { assertUsable, atRest, useDashboard, type VisitOptions } from './support/dashboard.ts';
import { shows } from './support/shows.ts';

const START = Date.parse('2026-03-10T12:00:00Z');
const LENGTH_MS = 40_000;

/** The tests sign in by a script that also runs in the player, which has no storage to write to. */
const NO_STORAGE: VisitOptions = { expectedErrors: /sessionStorage/ };

let lastId = 0;
type Node = { id: number };
const element = (tagName: string, attributes: object = {}, childNodes: Node[] = []): Node => {
  lastId += 1;
  return { type: 2, tagName, attributes, childNodes, id: lastId } as Node;
};
const text = (textContent: string): Node => {
  lastId += 1;
  return { type: 3, textContent, id: lastId } as Node;
};

/** A recording as the recorder makes it: address, full snapshot, then movements and a change at 20 seconds. */
function recordingOf(head: Node[], body: Node[], changes: object[] = []): RecordedEvent[] {
  lastId += 1;
  const html = element('html', {}, [element('head', {}, head), element('body', {}, body)]);
  const page = {
    type: 0,
    id: 100_000,
    childNodes: [{ type: 1, name: 'html', publicId: '', systemId: '', id: 100_001 }, html],
  };
  return [
    { type: 4, timestamp: START, data: { href: 'https://example.com/flats', width: 1000, height: 600 } },
    { type: 2, timestamp: START + 1, data: { node: page, initialOffset: { top: 0, left: 0 } } },
    ...Array.from({ length: 40 }, (_, each) => ({
      type: 3,
      timestamp: START + 500 + each * 900,
      data: { source: 1, positions: [{ x: 10 + each, y: 10, id: html.id, timeOffset: 0 }] },
    })),
    ...changes.map((data, each) => ({ type: 3, timestamp: START + 20_000 + each, data })),
    { type: 3, timestamp: START + LENGTH_MS, data: { source: 3, id: 100_000, x: 0, y: 0 } },
  ].sort((a, b) => a.timestamp - b.timestamp);
}

const frameAt = (page: Page, depth: number): Frame => {
  let frame = page.mainFrame();
  for (let each = 0; each < depth; each += 1) frame = frame.childFrames()[0] ?? assert.fail('no frame');
  return frame;
};
/** Frames by depth: dashboard, the page around the player, the player, the rebuilt page. */
const playerFrame = (page: Page) => frameAt(page, 2);
const rebuiltFrame = (page: Page) => frameAt(page, 3);

async function plays(page: Page, words: string): Promise<void> {
  await page.locator('iframe').waitFor();
  await page.getByText(/\d:\d\d \/ 0:40/).waitFor();
  await rebuiltFrame(page).getByText(words).waitFor();
}

/** Browsers may not render frames inside the player, and `waitForFunction` polls once per animation frame. */
async function showsImages(page: Page, count: number): Promise<void> {
  const images = rebuiltFrame(page).locator('img');
  await images.nth(count - 1).waitFor({ state: 'attached' });
  await shows(() => images.count(), count);
}

describe('the replay of a visit', () => {
  const service = useService('sqlite', { env: CAPTURE_ENV });
  const dashboard = useDashboard(service);
  let elsewhere: Receiver;
  before(async () => {
    elsewhere = await startReceiver();
  });
  after(() => elsewhere.close());

  let visitors = 0;
  /** A lead whose only visit was recorded, and the path of its page. */
  async function aRecordedLead(events: RecordedEvent[] | null): Promise<{ path: string; session: string }> {
    visitors += 1;
    const visitor_id = `visitor-${visitors}`;
    const { session_id } = await startSession(service, { visitor_id, fingerprint_id: visitor_id });
    await service.settled();
    if (events !== null) await record(service, { session_id, events });
    const { lead_id } = await capture(service, { __visitor_id: visitor_id });
    return { path: `/leads/${lead_id}`, session: session_id };
  }

  const aPage = () => {
    const label = text('before');
    const change = {
      source: 0,
      texts: [{ id: label.id, value: 'after' }],
      attributes: [],
      removes: [],
      adds: [],
    };
    return recordingOf(
      [],
      [element('h1', {}, [text('Flats by the river')]), element('p', {}, [label])],
      [change],
    );
  };

  test('it is offered where there is one, and its address can be shared', async () => {
    const { path, session } = await aRecordedLead(aPage());
    await dashboard.visit(
      path,
      async (page) => {
        await page.getByRole('button', { name: 'Watch recording' }).click();
        await plays(page, 'Flats by the river');
        assert.equal(new URL(page.url()).searchParams.get('replay'), session);
        await page.getByText('https://example.com/flats').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        assert.equal(new URL(page.url()).searchParams.get('replay'), null);
      },
      NO_STORAGE,
    );
    await dashboard.visit(`${path}?replay=${session}`, (page) => plays(page, 'Flats by the river'), {
      ...NO_STORAGE,
      role: 'marketing',
    });
    const unrecorded = await aRecordedLead(null);
    await dashboard.visit(unrecorded.path, async (page) => {
      await page.getByText('Visit', { exact: true }).waitFor();
      await shows(() => page.getByRole('button', { name: 'Watch recording' }).count(), 0);
    });
    await dashboard.visit(
      `${unrecorded.path}?replay=${unrecorded.session}`,
      async (page) => void (await page.getByText('This visit has no recording').waitFor()),
      { expectedErrors: /404/ },
    );
  });

  test('it can be paused, moved and made faster with the keyboard alone', async () => {
    const { path, session } = await aRecordedLead(aPage());
    await dashboard.visit(
      `${path}?replay=${session}`,
      async (page) => {
        await plays(page, 'before');
        const position = page.getByRole('slider', { name: 'Position' });
        const now = async () => Number(await position.inputValue());

        await page.getByRole('button', { name: 'Pause' }).press('Enter');
        await page.getByRole('button', { name: 'Play' }).waitFor();
        const paused = await now();
        await position.press('ArrowRight');
        await page.waitForFunction(
          (least) => Number(document.querySelector<HTMLInputElement>('input[type=range]')?.value) >= least,
          paused + 5000,
        );
        await position.press('End');
        await rebuiltFrame(page).getByText('after').waitFor();
        await shows(now, LENGTH_MS);
        await position.press('Home');
        await rebuiltFrame(page).getByText('before').waitFor();

        await page.getByRole('button', { name: '8×' }).press('Enter');
        await shows(() => page.getByRole('button', { name: '8×' }).getAttribute('aria-pressed'), 'true');
        await page.getByRole('button', { name: 'Play' }).press('Enter');
        await rebuiltFrame(page).getByText('after').waitFor();
        await page.getByRole('button', { name: 'Play again' }).waitFor();

        const skipping = page.getByRole('switch', { name: 'Skip inactivity' });
        await shows(() => skipping.getAttribute('aria-checked'), 'true');
        await skipping.press('Space');
        await shows(() => skipping.getAttribute('aria-checked'), 'false');
        await page.getByRole('button', { name: 'Full screen' }).press('Enter');
        await page.getByRole('button', { name: 'Leave full screen' }).waitFor();
      },
      NO_STORAGE,
    );
  });

  test('the player can reach neither the key nor the dashboard nor the network', async () => {
    const { path, session } = await aRecordedLead(aPage());
    await dashboard.visit(
      `${path}?replay=${session}`,
      async (page) => {
        await plays(page, 'before');
        const reached = await playerFrame(page).evaluate(async (address) => {
          const attempt = async (reach: () => unknown) => {
            try {
              return String(await reach());
            } catch (error) {
              return (error as Error).name;
            }
          };
          return {
            origin: window.origin,
            sessionStorage: await attempt(() => sessionStorage.length),
            localStorage: await attempt(() => localStorage.length),
            around: await attempt(() => window.parent.document.title),
            dashboard: await attempt(() => window.top?.document.title),
            network: await attempt(() => fetch(address).then(() => 'reached')),
          };
        }, elsewhere.url);
        assert.deepEqual(reached, {
          origin: 'null',
          sessionStorage: 'SecurityError',
          localStorage: 'SecurityError',
          around: 'SecurityError',
          dashboard: 'SecurityError',
          network: 'TypeError',
        });
        assert.equal(elsewhere.connections(), 0);
      },
      { expectedErrors: /sessionStorage|Content Security Policy|request to/ },
    );
  });

  test('nothing in a recording runs, and nothing is asked of another host', async () => {
    const to = (what: string) => `${elsewhere.url}/${what}`;
    const run = 'window.__xss = 1; parent.__xss = 1; top.__xss = 1; alert(1)';
    const url = `javascript:${run}`;
    const image = element('img', { src: to('image'), srcset: `${to('set')} 2x`, onerror: run, onload: run });
    const link = element('a', { href: url, ping: to('ping'), onclick: run }, [text('Hostile page')]);
    const late = [
      element('script', { src: to('late-script') }, [text(run)]),
      element('img', { src: to('late-image'), onerror: run }),
    ];
    const body = element('div', {}, [image, link]);
    const events = recordingOf(
      [
        element('base', { href: to('base/') }),
        element('meta', { 'http-equiv': 'refresh', content: `0;url=${to('refresh')}` }),
        element('link', { rel: 'stylesheet', href: to('style') }),
        element('link', { rel: 'preconnect', href: to('') }),
        element('link', { rel: 'dns-prefetch', href: to('') }),
        element('link', { rel: 'prefetch', href: to('prefetch') }),
        element('link', { rel: 'icon', href: to('icon') }),
        element('style', {
          _cssText: `@import url(${to('import')}); body { background: url(${to('css')}) }`,
        }),
        element('script', { src: to('script') }, [text(run)]),
      ],
      [
        body,
        element('iframe', { src: url, srcdoc: `<script>${run}</script>` }),
        element('iframe', { src: to('frame') }),
        element('iframe', { src: `data:text/html,<script>${run}</script>` }),
        element('object', { data: to('object') }),
        element('embed', { src: to('embed') }),
        element('video', { src: to('video'), poster: to('poster'), autoplay: '', onerror: run }),
        element('svg', { onload: run }, [element('use', { 'xlink:href': `${to('use')}#a` })]),
        element('form', { action: url }, [
          element('button', { formaction: url, autofocus: '', onfocus: run }),
        ]),
        element('details', { open: '', ontoggle: run }),
      ],
      [
        {
          source: 0,
          texts: [],
          removes: [],
          attributes: [{ id: image.id, attributes: { src: to('changed'), onerror: run } }],
          adds: late.map((node) => ({ parentId: body.id, nextId: null, node })),
        },
      ],
    );
    const { path, session } = await aRecordedLead(events);
    let dialogs = 0;
    await dashboard.visit(
      `${path}?replay=${session}`,
      async (page) => {
        page.on('dialog', (dialog) => {
          dialogs += 1;
          void dialog.dismiss();
        });
        await plays(page, 'Hostile page');
        await page.getByRole('slider', { name: 'Position' }).press('End');
        await showsImages(page, 2);
        await rebuiltFrame(page).evaluate(() => document.querySelector('a')?.click());
        await atRest(page);
        for (const frame of page.frames()) {
          await shows(
            () => frame.evaluate(() => (window as unknown as { __xss?: unknown }).__xss),
            undefined,
            frame.url(),
          );
        }
        for (const frame of page.frames().slice(2)) assert.doesNotMatch(frame.url(), /^(https?|javascript):/);
      },
      { expectedErrors: /sessionStorage|Content Security Policy|Blocked script execution|request to/ },
    );
    assert.equal(dialogs, 0);
    assert.equal(elsewhere.connections(), 0);
  });

  test('45: values of the wrong type are inert and open no connection', async () => {
    const to = (what: string) => `${elsewhere.url}/${what}`;
    const link = element('link', { _cssText: '', rel: 'stylesheet' });
    const image = element('img', { src: [to('image')], srcset: [[to('set')]] });
    const late = element('link', { _cssText: '', rel: ['preconnect'], href: [to('late')] });
    const body = element('div', {}, [image, text('Mistyped page')]);
    const events = recordingOf(
      [
        element('link', { _cssText: '', rel: 'preconnect', href: [to('')] }),
        element('link', { _cssText: '', rel: ['preconnect'], href: [[to('')]] }),
        element('link', { _cssText: '', rel: 'dns-prefetch', href: [to('')] }),
        element(['link'] as never, { _cssText: '', rel: 'preconnect', href: [to('')] }),
        element(['base'] as never, { href: [to('base/')] }),
        element('meta', { 'http-equiv': ['refresh'], content: [`0;url=${to('refresh')}`] }),
        link,
      ],
      [
        body,
        element('iframe', { src: [to('frame')] }),
        element('a', { href: [to('link')], ping: [to('ping')] }, [text('A link')]),
        element('svg', {}, [element('use', { 'xlink:href': [to('use')] })]),
        { ...element('p'), attributes: [{ src: to('list') }], childNodes: { 0: image } } as Node,
        ['a', 'list'] as never,
      ],
      [
        {
          source: 0,
          texts: [{ id: [1], value: [to('text')] }],
          removes: [{ id: {} }],
          attributes: [
            { id: link.id, attributes: { rel: ['preconnect'], href: [to('changed')] } },
            { id: link.id, attributes: { rel: 'preconnect', href: { 0: to('changed') } } },
            { id: image.id, attributes: { src: [to('changed')], style: { background: [[to('style')]] } } },
          ],
          adds: [
            { parentId: body.id, nextId: null, node: late },
            { parentId: body.id, nextId: null, node: element('img', { src: [to('late')] }) },
          ],
        },
        { source: 10, family: 'x', fontSource: [`url(${to('font')})`], buffer: false },
        { source: [8], id: link.id, adds: [{ rule: [`@import url(${to('rule')})`], index: {} }] },
      ],
    );
    const { path, session } = await aRecordedLead(events);
    await dashboard.visit(
      `${path}?replay=${session}`,
      async (page) => {
        await plays(page, 'Mistyped page');
        await page.getByRole('slider', { name: 'Position' }).press('End');
        await showsImages(page, 2);
        await atRest(page);
        await shows(() => rebuiltFrame(page).locator('link, meta, base, [ping], [src*="http"]').count(), 0);
      },
      { expectedErrors: /sessionStorage|Content Security Policy|Blocked script execution|request to/ },
    );
    assert.equal(elsewhere.connections(), 0);
  });

  test('the list of recordings narrows by period, page, form and lead', async () => {
    const start = (page: string) =>
      startSession(service, { page, visitor_id: `visitor-${page}`, fingerprint_id: `fingerprint-${page}` });
    const { session_id } = await start('https://example.com/left?utm_campaign=spring');
    await sendEvents(service, session_id, [{ type: 'form_view' }, { type: 'form_start' }]);
    await record(service, { session_id, events: aPage() });
    await aRecordedLead(aPage());
    await service.settled();
    await dashboard.visit(
      '/recordings',
      async (page) => {
        const visits = page.locator('tbody tr');
        const choose = async (label: string, option: string) => {
          await page.getByRole('combobox', { name: label, exact: true }).click();
          await page.getByRole('option', { name: option, exact: true }).click();
          await atRest(page);
        };
        await choose('Period', 'Last 7 days');
        await page.getByText('No recording matches').waitFor();
        await choose('Period', 'All time');
        await choose('Form', 'Form abandoned');
        await shows(() => visits.count(), 1);
        await shows(() => visits.innerText(), /example\.com\/left\n1 page · 40 s · Form abandoned/);
        await choose('Lead', 'Leads only');
        await page.getByText('No recording matches').waitFor();
        await choose('Form', 'Any form activity');
        await visits.first().waitFor();
        await shows(() => visits.first().innerText(), /Ada/);
        await page.getByRole('searchbox').fill('LEFT');
        await page.getByText('No recording matches').waitFor();
        await choose('Lead', 'No leads');
        await visits.first().waitFor();
        assert.equal(new URL(page.url()).searchParams.get('q'), 'LEFT');
        await page.getByRole('button', { name: 'Play the visit to example.com/left' }).click();
        await plays(page, 'Flats by the river');
      },
      NO_STORAGE,
    );
  });

  test('a recording without a page says so', async () => {
    const { path, session } = await aRecordedLead([
      { type: 3, timestamp: START, data: { source: 1, positions: [] } },
      { type: 3, timestamp: START + 1, data: { source: 1, positions: [] } },
    ]);
    await dashboard.visit(
      `${path}?replay=${session}`,
      async (page) => void (await page.getByText('It contains no page to show.').waitFor()),
      NO_STORAGE,
    );
  });

  test('the player is accessible, light and dark, on a desk and on a phone', async () => {
    const { path, session } = await aRecordedLead(aPage());
    await dashboard.visit(
      `${path}?replay=${session}`,
      async (page) => {
        await plays(page, 'before');
        await assertUsable(page);
      },
      NO_STORAGE,
    );
  });
});
