import { type Browser, chromium } from 'playwright-core';
import { PLAIN_HOST } from '../../tracker/test/support/site.ts';
import { installedProgram } from './installed-program.ts';

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

export function chromiumProgram(): Promise<string> {
  return installedProgram({
    name: 'Chromium',
    paths: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
    debianPackage: 'chromium',
    variable: 'CHROMIUM',
  });
}
