import { type Browser, chromium } from 'playwright-core';
import { PLAIN_HOST } from '../../tracker/test/support/site.ts';
import { installedProgram } from './installed-program.ts';

const WITH_WINDOWS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

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
  return chromium.launch({ executablePath: await headlessProgram(), args: CHROMIUM_FLAGS });
}

/** The one that can never have windows, if there is one: a page costs it less than half the processor time. */
export async function headlessProgram(): Promise<string> {
  const { HEADLESS_CHROMIUM, CHROMIUM } = process.env;
  if (HEADLESS_CHROMIUM === undefined && CHROMIUM !== undefined) return CHROMIUM;
  return installedProgram({
    name: 'headless Chromium',
    paths: ['/usr/lib/chromium/chromium-headless-shell'],
    debianPackage: 'chromium-headless-shell',
    otherPaths: WITH_WINDOWS,
    variable: 'HEADLESS_CHROMIUM',
  });
}

/** The one that people use, where that makes a difference. */
export function chromiumProgram(): Promise<string> {
  return installedProgram({
    name: 'Chromium',
    paths: WITH_WINDOWS,
    debianPackage: 'chromium',
    variable: 'CHROMIUM',
  });
}
