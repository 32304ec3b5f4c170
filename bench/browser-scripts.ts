import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { configuredScript } from '../packages/server/src/http/browser-scripts.ts';
import { bundleBrowserScript } from '../scripts/build-browser-script.ts';
import { openBareChromium } from './bare-chromium.ts';
import { quick } from './conditions.ts';
import { keep, note, percentile } from './results.ts';

/**
 * CPU time of a page's main thread during load: without a script, with the fingerprint alone, with the tracker that
 * contains the same fingerprint, and with the form script. The pages take turns, so that other load affects all alike.
 */

const SOURCES = join(import.meta.dirname, '../packages/tracker/src');
/** The time of a fingerprint varies by milliseconds, so the pages that have one need many loads. */
const LOADS = quick ? 5 : 100;
const LOADS_OF_OTHERS = quick ? 5 : 20;
const CONFIG = {
  root: './',
  track: 'track/',
  recorder: 'r.js',
  extras: 'fx.js',
  consent: 'c.js',
  replayRate: 0,
};
const TRACKER_MS_MAX = 5;

export async function measureBrowserScripts(): Promise<void> {
  const scripts = {
    none: undefined,
    // Bundled like the tracker, so that bundling makes no difference.
    fingerprint: await served(join(import.meta.dirname, 'fingerprint-alone.ts')),
    tracker: await served(join(SOURCES, 'tracker.ts')),
    form: await served(join(SOURCES, 'form.ts')),
  };
  const site = await serve(scripts);
  const browser = await openBareChromium();
  try {
    const times: Record<string, number[]> = { none: [], fingerprint: [], tracker: [], form: [] };
    for (let turn = 0; turn <= LOADS; turn += 1) {
      const all = Object.keys(scripts);
      for (const name of turn <= LOADS_OF_OTHERS ? all : ['fingerprint', 'tracker']) {
        const ms = await browser.busyMs(`${site.url}/${name}`);
        // The first turn warms up the browser.
        if (turn > 0) times[name]?.push(ms);
      }
    }
    keep('busyMsOnLoad', times);
    const median = (name: string) => percentile(times[name] ?? [], 0.5);
    const more = (name: string, than: string) => median(name) - median(than);
    note(
      'main thread of a page on load',
      `${median('none').toFixed(1)} ms, median of ${LOADS_OF_OTHERS} loads`,
    );
    note('fingerprint alone', `${more('fingerprint', 'none').toFixed(1)} ms more`);
    const tracked = more('tracker', 'fingerprint');
    note(
      'tracker, beside the fingerprint',
      `${tracked.toFixed(1)} ms more, medians of ${LOADS} loads each`,
      `< ${TRACKER_MS_MAX} ms`,
      tracked < TRACKER_MS_MAX,
    );
    note('form script', `${more('form', 'none').toFixed(1)} ms more`);
  } finally {
    await browser.close();
    await site.close();
  }
}

/** A script as the service serves it. */
async function served(entry: string): Promise<string> {
  return configuredScript(CONFIG, await bundleBrowserScript(entry, 'iife'));
}

/** Serves a page for each script and accepts whatever they send. */
async function serve(scripts: Readonly<Record<string, string | undefined>>) {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').slice(1);
    request.resume();
    if (path.endsWith('.js')) {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(scripts[path.slice(0, -3)]);
    } else if (path in scripts) {
      response.writeHead(200, { 'content-type': 'text/html' }).end(pageWith(path, scripts[path]));
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pageWith(name: string, script: string | undefined): string {
  const tag = script === undefined ? '' : `<script async src="/${name}.js" data-site="bench"></script>`;
  const text = '<p>Apartments with a view of the river, from two rooms to five.</p>'.repeat(60);
  const form =
    '<form data-leadtrail-form="enquiry" data-site="bench" action="/lead.capture" method="post"><input name="EMAIL"><button>Send</button></form>';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Landing page</title>${tag}</head><body>${text}${form}</body></html>`;
}
