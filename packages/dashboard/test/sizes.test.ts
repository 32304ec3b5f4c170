import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

/** Budget of the scripts that the HTML page itself loads. */
const FIRST_GZIP_BYTES_MAX = 190 * 1024;

const BUILD = join(import.meta.dirname, '../build');
const NAMED_SCRIPT = /<(?:script|link)\b[^>]*\b(?:src|href)="\/dashboard\/(assets\/[^"]+\.js)"/g;

test('what has to be loaded before the first page is there takes at most 190 KB, gzipped', () => {
  const page = readFileSync(join(BUILD, 'index.html'), 'utf8');
  const first = new Set(Array.from(page.matchAll(NAMED_SCRIPT), ([, name]) => name ?? ''));
  assert.ok(first.size > 0, 'The page names no script.');

  const sizes = readdirSync(join(BUILD, 'assets'))
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => sizeOf(`assets/${name}`))
    .toSorted((a, b) => b.gzip - a.gzip);
  const loadedFirst = sizes.filter(({ name }) => first.has(name));
  assert.equal(loadedFirst.length, first.size, 'The page names a script that is not there.');
  const total = loadedFirst.reduce((sum, { gzip }) => sum + gzip, 0);

  console.table(
    sizes.map(({ name, bytes, gzip }) => ({
      file: name,
      KB: kilobytes(bytes),
      'KB gzip': kilobytes(gzip),
      first: first.has(name) ? 'yes' : '',
    })),
  );
  console.log(`JavaScript before the first page: ${kilobytes(total)} KB gzip`);
  assert.ok(total <= FIRST_GZIP_BYTES_MAX, `${kilobytes(total)} KB of JavaScript are loaded first.`);
});

function sizeOf(name: string): { name: string; bytes: number; gzip: number } {
  const content = readFileSync(join(BUILD, name));
  return { name, bytes: content.length, gzip: gzipSync(content).length };
}

function kilobytes(bytes: number): number {
  return Math.round((bytes / 1024) * 10) / 10;
}
