import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openChromium } from '@leadtrail/testing/chromium';
import { rows } from '@leadtrail/testing/database';
import { listed, type RecordedEvent, type Replay, replayed } from '@leadtrail/testing/recordings';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import type { Browser, Page } from 'playwright-core';
import {
  aSession,
  FULL_SNAPSHOT,
  hasSnapshot,
  hasText,
  hrefs,
  META,
  openRecorded,
  type RecordedWindow,
  recorderScript,
  replayWhen,
  stopRecording,
} from './support/recorded-pages.ts';
import { aPage, openSite, type Site } from './support/site.ts';
import { eventually } from './support/tracked-visits.ts';
import { type WatchedPage, type WatchedPageOptions, watchPage } from './support/watched-page.ts';

const PLAYER = join(import.meta.dirname, '../../../node_modules/rrweb/umd/rrweb.js');

/** What a page of these tests keeps in its window once the player is there. */
type PlayerWindow = Window & {
  rrweb: { Replayer: new (events: unknown[], options: object) => { pause(at: number): void } };
};

onEitherStore('a page that is recorded', (kind) => {
  const service = useService(kind);
  const asked: IncomingMessage[] = [];
  let browser: Browser;
  let site: Site;
  before(async () => {
    browser = await openChromium();
    site = await openSite();
    service.app.server.on('request', (request: IncomingMessage) => asked.push(request));
  });
  after(async () => {
    await browser.close();
    await site.close();
  });

  /** Opens a page with the recorder on it, and walks on from there. */
  async function visit(
    body: string,
    walk: (session: string, watched: WatchedPage) => Promise<void>,
    options: Partial<WatchedPageOptions> = {},
  ): Promise<string> {
    const session = await aSession(service);
    site.serve('/page', aPage({ body: body + recorderScript(service, session) }));
    await watchPage(browser, { origins: [site.url, service.url], ...options }, async (watched) => {
      await openRecorded(watched.page, `${site.url}/page?from=test#top`);
      await walk(session, watched);
    });
    return session;
  }

  const say = (page: Page, text: string) =>
    page.evaluate(async (text) => {
      const heading = document.querySelector('h1');
      if (heading) heading.textContent = text;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }, text);
  const sent = (page: Page) => page.evaluate(() => Promise.all((window as unknown as RecordedWindow).sent));
  const willAnswer = (page: Page, ...answers: RecordedWindow['answers']) =>
    page.evaluate((answers) => {
      (window as unknown as RecordedWindow).answers.push(...answers);
    }, answers);

  test('begins with the whole page, and goes on with what happens', async () => {
    const session = await visit('<h1>Before</h1>', async (session, { page }) => {
      await replayWhen(service, session, hasSnapshot);
      await say(page, 'Afterwards');
      await stopRecording(page);
      await replayWhen(service, session, hasText('Afterwards'));
    });
    const { events, event_count } = await replayed(service, session);
    assert.deepEqual(
      events.slice(0, 2).map(({ type }) => type),
      [META, FULL_SNAPSHOT],
    );
    assert.deepEqual(hrefs(events), [`${site.url}/page?from=test#top`]);
    assert.equal(event_count, events.length);
    const times = events.map(({ timestamp }) => timestamp);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  });

  test('can be played', async () => {
    await visit('<h1>Before</h1><input value="secret">', async (session, { page }) => {
      await replayWhen(service, session, hasSnapshot);
      await say(page, 'Afterwards');
      await stopRecording(page);
      const { events } = await replayWhen(service, session, hasText('Afterwards'));
      const player = await page.context().newPage();
      await player.addScriptTag({ path: PLAYER });
      await player.evaluate((events) => {
        const { Replayer } = (window as unknown as PlayerWindow).rrweb;
        new Replayer(events, { root: document.body, mouseTail: false }).pause(1e9);
      }, events);
      const shown = player.frameLocator('iframe');
      await shown.locator('h1', { hasText: 'Afterwards' }).waitFor();
      assert.equal(await shown.locator('input').inputValue(), '********');
      await player.close();
    });
  });

  test('is sent gzipped, without asking for leave first', async () => {
    asked.length = 0;
    const session = await visit(`<h1>Before</h1>${'<p>text</p>'.repeat(500)}`, async (session, { page }) => {
      await replayWhen(service, session, hasSnapshot);
      assert.deepEqual(await sent(page), ['gzip']);
    });
    const requests = asked.filter(({ url }) => url === '/track/replay');
    assert.deepEqual(new Set(requests.map(({ method }) => method)), new Set(['POST']));
    assert.equal(requests[0]?.headers['content-type'], undefined);
    const [chunk] = await rows(service, `select bytes from replay_chunks where session_id = '${session}'`);
    assert.ok(Number(chunk?.bytes) < JSON.stringify((await replayed(service, session)).events).length / 4);
  });

  test('is sent as text where the browser cannot compress', async () => {
    const init = () => void Reflect.deleteProperty(window, 'CompressionStream');
    await visit(
      '<h1>Before</h1>',
      async (session, { page }) => {
        await replayWhen(service, session, hasSnapshot);
        assert.deepEqual(await sent(page), ['text']);
      },
      { init },
    );
  });

  test('is sent every few seconds, and when nobody looks any more', async () => {
    await visit('<h1>Before</h1>', async (session, { page }) => {
      await replayWhen(service, session, hasSnapshot);
      await say(page, 'By the clock');
      await replayWhen(service, session, hasText('By the clock'));
      await say(page, 'Hidden');
      await page.evaluate(() => {
        Object.defineProperty(document, 'hidden', { value: true });
        document.dispatchEvent(new Event('visibilitychange'));
      });
      await replayWhen(service, session, hasText('Hidden'));
    });
  });

  test('loses nothing when it is left', async () => {
    await visit('<h1>Before</h1>', async (session, { page }) => {
      await replayWhen(service, session, hasSnapshot);
      await say(page, 'The last word');
      await page.goto('about:blank');
      await replayWhen(service, session, hasText('The last word'));
    });
  });

  test('loses nothing when it is closed', async () => {
    await visit('<h1>Before</h1>', async (session, { page, context }) => {
      await replayWhen(service, session, hasSnapshot);
      await context.newPage();
      await say(page, 'The last word');
      await page.close({ runBeforeUnload: true });
      await replayWhen(service, session, hasText('The last word'));
    });
  });

  test('left with more than can be sent, keeps the beginning of it', async () => {
    const session = await visit('<h1>Before</h1>', async (session, { page }) => {
      await replayWhen(service, session, hasSnapshot);
      for (let i = 0; i < 10; i += 1) await say(page, `${i} ${'é'.repeat(5000)}`);
      await page.goto('about:blank');
      await replayWhen(service, session, hasText('"textContent":"3 '));
    });
    const texts = JSON.stringify((await replayed(service, session)).events);
    const arrived = Array.from({ length: 10 }, (_, i) => texts.includes(`"textContent":"${i} `));
    assert.ok(arrived.includes(false));
    assert.equal(arrived.indexOf(false), arrived.lastIndexOf(true) + 1);
  });

  test('stopped as unwanted, sends nothing more', async () => {
    await visit('<h1>Before</h1>', async (session, { page }) => {
      await replayWhen(service, session, hasSnapshot);
      const before = await sent(page);
      await say(page, 'Not for you');
      await stopRecording(page, true);
      await say(page, 'Nor this');
      await page.evaluate(() => dispatchEvent(new Event('pagehide')));
      assert.deepEqual(await sent(page), before);
    });
  });

  test('is sent in chunks that are not too large', async () => {
    const session = await visit('<h1>Before</h1>', async (session, { page }) => {
      await replayWhen(service, session, hasSnapshot);
      for (let i = 0; i < 8; i += 1) await say(page, `${i} ${'x'.repeat(100_000)}`);
      await replayWhen(service, session, hasText('"textContent":"7 '));
    });
    const chunks = await rows(
      service,
      `select sequence from replay_chunks where session_id = '${session}' order by sequence`,
    );
    assert.deepEqual(
      chunks.map(({ sequence }) => sequence),
      chunks.map((_, i) => i),
    );
    assert.ok(chunks.length >= 5);
    assert.equal(
      (await replayed(service, session)).event_count,
      (await replayed(service, session)).events.length,
    );
  });

  describe('when it cannot be sent', () => {
    for (const answer of [0, 429, 503]) {
      test(`for now (${answer || 'no connection'}): tries again, and nothing is lost`, async () => {
        await visit('<h1>Before</h1>', async (session, { page }) => {
          await replayWhen(service, session, hasSnapshot);
          await willAnswer(page, answer);
          await say(page, 'Once');
          await say(page, 'Twice');
          const { events } = await replayWhen(service, session, hasText('Twice'));
          assert.ok(hasText('Once')({ events } as Replay));
        });
      });
    }

    for (const answer of [400, 410, 413] as const) {
      test(`and never will be (${answer}): stops recording`, async () => {
        await visit('<h1>Before</h1>', async (session, { page }) => {
          await replayWhen(service, session, hasSnapshot);
          await willAnswer(page, answer);
          await say(page, 'Once');
          await hidden(page);
          await eventually(
            () => sent(page),
            (all) => all.length === 2,
          );
          await say(page, 'Twice');
          await hidden(page);
          await stopRecording(page);
          assert.equal((await sent(page)).length, 2);
          assert.ok(!hasText('Twice')(await replayed(service, session)));
        });
      });
    }

    test('because the page is too large: stops recording, and the page hears nothing', async () => {
      const text = 'x'.repeat(2 * 1024 * 1024);
      const session = await visit(`<h1>Before</h1><p>${text}</p>`, async (_, { page }) => {
        await say(page, 'Once');
        await stopRecording(page);
        assert.deepEqual(await sent(page), []);
      });
      assert.equal((await listed(service, `?session_id=${session}`)).total, 0);
    });
  });

  /** Makes the recorder send what it has. */
  async function hidden(page: Page): Promise<void> {
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
  }

  test('a new session begins with the whole page again', async () => {
    const next = await aSession(service);
    const first = await visit('<h1>Before</h1>', async (session, { page }) => {
      await replayWhen(service, session, hasSnapshot);
      await say(page, 'Still the first');
      await page.evaluate((next) => {
        (window as unknown as RecordedWindow).session = next;
      }, next);
      await say(page, 'Now the second');
      await replayWhen(service, next, hasSnapshot);
      await say(page, 'And on');
      await stopRecording(page);
      await replayWhen(service, next, hasText('And on'));
      await replayWhen(service, session, hasText('Still the first'));
    });
    const types = (events: RecordedEvent[]) => events.slice(0, 2).map(({ type }) => type);
    const [before, after] = [await replayed(service, first), await replayed(service, next)];
    assert.deepEqual(types(before.events), [META, FULL_SNAPSHOT]);
    assert.deepEqual(types(after.events), [META, FULL_SNAPSHOT]);
    assert.ok(hasText('Now the second')(after) && !hasText('Now the second')(before));
    assert.ok(!hasText('Still the first')(after));
  });

  test('can be stopped, and begun again', async () => {
    const next = await aSession(service);
    const first = await visit('<h1>Before</h1>', async (session, { page }) => {
      await replayWhen(service, session, hasSnapshot);
      await stopRecording(page);
      await say(page, 'Unseen');
      await page.evaluate((next) => {
        const recorded = window as unknown as RecordedWindow;
        recorded.session = next;
        recorded.begin();
      }, next);
      await say(page, 'Seen again');
      await stopRecording(page);
      // Parts may overtake each other.
      await replayWhen(service, next, (replay) => hasSnapshot(replay) && hasText('Seen again')(replay));
    });
    const again = await replayed(service, next);
    assert.deepEqual(
      again.events.slice(0, 2).map(({ type }) => type),
      [META, FULL_SNAPSHOT],
    );
    assert.ok(!hasText('Unseen')(await replayed(service, first)));
  });

  test('works on pages that are not encrypted, and under a strict policy', async () => {
    const session = await aSession(service);
    const policy = `default-src 'none'; script-src 'unsafe-inline' ${service.url}; connect-src ${service.url}`;
    const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
    site.serve('/strict', aPage({ head, body: `<h1>Before</h1>${recorderScript(service, session)}` }));
    await watchPage(browser, { origins: [site.plainUrl, service.url] }, async ({ page }) => {
      await openRecorded(page, `${site.plainUrl}/strict`);
      await replayWhen(service, session, hasSnapshot);
      await say(page, 'Afterwards');
      await stopRecording(page);
      await replayWhen(service, session, hasText('Afterwards'));
    });
  });
});
