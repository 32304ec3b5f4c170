import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

import { PLAIN_HOST } from './site.ts';

const run = promisify(execFile);
const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
];

/** A real browser without a window. A program named by CHROMIUM is used as it is. */
export async function openChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: await chromiumProgram(), args: CHROMIUM_FLAGS });
}

/** Where the browser is; installed where that can be done by itself. */
export async function chromiumProgram(): Promise<string> {
  const named = process.env.CHROMIUM;
  const found = named ?? (await installed());
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && (await exists('/usr/bin/apt-get'))) {
    console.log('Installing Chromium…');
    await run('apt-get', ['update', '-qq'], { env: APT_ENVIRONMENT });
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      env: APT_ENVIRONMENT,
    });
    const program = await installed();
    if (program !== undefined) return program;
  }
  throw new Error(
    'The tests need Chromium: install it (on Debian `apt-get install chromium`) or name it in CHROMIUM.',
  );
}

const APT_ENVIRONMENT = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

async function installed(): Promise<string | undefined> {
  for (const program of PROGRAMS) if (await exists(program)) return program;
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
