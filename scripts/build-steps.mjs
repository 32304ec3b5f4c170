// What has to be built before Leadtrail can start. Plain JavaScript and no dependencies, because
// set-up.mjs asks it whether anything is stale while the only Node around may still be version 20.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Paths are relative to the repository; `run` is only ever called by build.ts, on Node 26. */
export const BUILD_STEPS = [
  {
    name: 'IP database',
    inputs: [
      'scripts/build-ip-database.ts',
      'packages/server/src/domain/tracking/hosting-networks.ts',
      'node_modules/@ip-location-db/asn/package.json',
      'node_modules/@ip-location-db/geo-whois-asn-country/package.json',
    ],
    output: 'packages/server/build/ip-database.bin',
    run: async (outFile) => {
      const { buildIpDatabase } = await import('./build-ip-database.ts');
      await buildIpDatabase(outFile);
    },
  },
  browserScript('t.js', 'tracker.ts', 'iife'),
  browserScript('f.js', 'form.ts', 'iife'),
  browserScript('r.js', 'recorder.ts', 'es'),
  browserScript('fx.js', 'form-extras.ts', 'es'),
  browserScript('sc.js', 'spam-check.ts', 'es'),
  browserScript('c.js', 'consent.ts', 'es'),
  {
    name: 'dashboard',
    inputs: [
      'package-lock.json',
      'scripts/build-dashboard.ts',
      'packages/dashboard/index.html',
      'packages/dashboard/replay-frame.html',
      'packages/dashboard/vite.config.ts',
      ...sourcesIn('packages/dashboard/src'),
      ...sourcesIn('packages/contract/src'),
    ],
    output: 'packages/dashboard/build',
    run: async (outFolder) => {
      const { buildDashboard } = await import('./build-dashboard.ts');
      await buildDashboard(outFolder);
    },
  },
  {
    name: 'service',
    inputs: [
      'package-lock.json',
      'scripts/build-service.ts',
      ...sourcesIn('packages/contract/src'),
      ...sourcesIn('packages/server/src'),
    ],
    output: 'packages/server/build/service',
    run: async (outFolder) => {
      const { buildService } = await import('./build-service.ts');
      await buildService(outFolder, join(ROOT, 'packages/server/build/service'));
    },
  },
  {
    name: 'start-up cache',
    inputs: ['packages/server/start.mjs', 'packages/server/build/service.stamp'],
    output: 'packages/server/build/start-up-cache',
    run: async (outFile) => {
      const { warmStartUpCache } = await import('./warm-start-up-cache.ts');
      await warmStartUpCache(outFile);
    },
  },
];

function browserScript(name, entry, format) {
  return {
    name: `browser script ${name}`,
    inputs: ['package-lock.json', 'scripts/build-browser-script.ts', ...sourcesIn('packages/tracker/src')],
    output: `packages/tracker/build/${name}`,
    run: async (outFile) => {
      const { buildBrowserScript } = await import('./build-browser-script.ts');
      await buildBrowserScript(join(ROOT, 'packages/tracker/src', entry), format, outFile);
    },
  };
}

function sourcesIn(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .filter((name) => /\.(ts|tsx|css|svg|html)$/.test(name))
    .map((name) => join(folder, name))
    .sort();
}

export function isFresh(step) {
  const stamp = stampFile(step);
  return (
    existsSync(join(ROOT, step.output)) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === hashOfInputs(step)
  );
}

export function stampFile(step) {
  return join(ROOT, `${step.output}.stamp`);
}

export function writeStamp(step) {
  writeFileSync(stampFile(step), hashOfInputs(step));
}

function hashOfInputs(step) {
  const hash = createHash('sha256');
  for (const input of step.inputs) {
    const file = join(ROOT, input);
    // The name is hashed as well, so that moving content from one file to another counts as a change.
    hash.update(`${input}\0`).update(existsSync(file) ? readFileSync(file) : 'missing');
  }
  return hash.digest('hex');
}
