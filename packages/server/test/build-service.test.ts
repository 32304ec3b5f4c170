import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildService, THREADS } from '../../../scripts/build-service.ts';
import { DAY_MS } from '../src/lib/utc-time.ts';

describe('the service as it is built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'leadtrail-build-'));
  const earlier = join(folder, 'earlier');
  const built = join(folder, 'built');
  before(async () => {
    mkdirSync(earlier);
    for (const [name, days] of [
      ['main.js', 1],
      ['webhook-old.js', 6],
      ['webhook-older.js', 8],
    ] as const) {
      writeFileSync(join(earlier, name), `// ${days} days old`);
      const at = new Date(Date.now() - days * DAY_MS);
      utimesSync(join(earlier, name), at, at);
    }
    await buildService(built, earlier);
  });
  after(() => rmSync(folder, { recursive: true }));

  test('has a file for the service and for each thread', () => {
    for (const name of ['main', ...THREADS]) assert.ok(existsSync(join(built, `${name}.js`)), name);
  });

  test('keeps the parts of versions that may still be running for a week', () => {
    const names = readdirSync(built);
    assert.ok(names.includes('webhook-old.js'));
    assert.ok(!names.includes('webhook-older.js'));
  });

  test('takes the place of the version before', () => {
    assert.doesNotMatch(readFileSync(join(built, 'main.js'), 'utf8'), /days old/);
  });
});
