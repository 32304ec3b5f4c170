import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { bundleBrowserScript, type ScriptFormat } from '../../../scripts/build-browser-script.ts';

/** What a customer's page has to load. Brotli as the service compresses, at its best. */

const KB = 1024;
const FINGERPRINTING = { '@fingerprintjs/fingerprintjs': 'export const { load } = globalThis;' };

type Script = {
  name: string;
  entry: string;
  format: ScriptFormat;
  without?: Record<string, string>;
  brotliMax: number;
};

const SCRIPTS: readonly Script[] = [
  { name: 't.js', entry: 'tracker.ts', format: 'iife', brotliMax: 16 * KB },
  {
    name: 't.js without fingerprinting',
    entry: 'tracker.ts',
    format: 'iife',
    without: FINGERPRINTING,
    brotliMax: 3.2 * KB,
  },
  { name: 'f.js', entry: 'form.ts', format: 'iife', brotliMax: 3.5 * KB },
  // Only loaded for sessions that are recorded.
  { name: 'r.js', entry: 'recorder.ts', format: 'es', brotliMax: Number.POSITIVE_INFINITY },
  // Loaded by the form script on pages with a form, and where consent is required.
  { name: 'fx.js', entry: 'form-extras.ts', format: 'es', brotliMax: 2 * KB },
  // Only loaded for forms that are checked for spam.
  { name: 'sc.js', entry: 'spam-check.ts', format: 'es', brotliMax: 2 * KB },
  { name: 'c.js', entry: 'consent.ts', format: 'es', brotliMax: 0.5 * KB },
];

test('the scripts stay as small as promised', async (context) => {
  const sizes = await Promise.all(
    SCRIPTS.map(async ({ name, entry, format, without, brotliMax }) => {
      const script = await bundleBrowserScript(join(import.meta.dirname, '../src', entry), format, without);
      const bytes = Buffer.from(script);
      const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
      return {
        name,
        raw: bytes.length,
        gzip: gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }).length,
        brotli: brotliCompressSync(bytes, quality).length,
        brotliMax,
      };
    }),
  );
  context.diagnostic(['script', 'raw', 'gzip', 'brotli'].map(column).join(''));
  for (const { name, raw, gzip, brotli } of sizes)
    context.diagnostic([name, raw, gzip, brotli].map(column).join(''));
  for (const { name, brotli, brotliMax } of sizes)
    assert.ok(brotli <= brotliMax, `${name} has ${brotli} bytes, and may have ${brotliMax}.`);
});

function column(value: string | number, index: number): string {
  return index === 0 ? String(value).padEnd(30) : String(value).padStart(8);
}
