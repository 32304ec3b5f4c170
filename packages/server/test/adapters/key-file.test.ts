import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { readOrCreateKeys } from '../../src/adapters/key-file.ts';

const ADAPTER = join(import.meta.dirname, '../../src/adapters/key-file.ts');
const INSTALLATIONS = 100;
/** Many first starts in a row, so that some of them meet. */
const PRINT_KEYS = `
  const [, adapter, dir, startAt] = process.argv;
  const { readOrCreateKeys } = await import(adapter);
  while (Date.now() < Number(startAt)) {}
  const files = Array.from({ length: ${INSTALLATIONS} }, (_, i) => dir + '/' + i + '.json');
  console.log(JSON.stringify(files.map((file) => readOrCreateKeys(file))));
`;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'leadtrail-keys-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test('keys are made once, kept for the next start and readable for their own user only', () => {
  const file = join(dir, 'keys.json');
  const first = readOrCreateKeys(file);
  assert.equal(first.created, true);
  assert.equal(new Set(Object.values(first.keys)).size, Object.keys(first.keys).length);
  assert.deepEqual(readOrCreateKeys(file), { keys: first.keys, created: false });
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(dir), ['keys.json']);
});

test('processes that start for the first time at one moment agree on the keys', async () => {
  const args = ['--input-type=module', '-e', PRINT_KEYS, ADAPTER, dir, String(Date.now() + 1500)];
  const processes = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args));
  const printed = (await Promise.all(processes)).map(({ stdout }): Made[] => JSON.parse(stdout));
  for (let i = 0; i < INSTALLATIONS; i += 1) {
    const found = printed.map((made) => made[i] as Made);
    assert.equal(new Set(found.map(({ keys }) => keys.ANALYTICS_API_KEY)).size, 1);
    assert.equal(found.filter(({ created }) => created).length, 1);
  }
});

type Made = ReturnType<typeof readOrCreateKeys>;

test('a key file that cannot be read is named and left as it is', () => {
  const file = join(dir, 'keys.json');
  writeFileSync(file, '{');
  assert.throws(() => readOrCreateKeys(file), new RegExp(`${file} cannot be read`));
});
