import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { PROJECT_DIR } from '../src/lib/places.ts';

/** An npm that installs a Node which leaves a mark when it runs. */
const NPM_WITH_ANOTHER_NODE = `
  const { mkdirSync, writeFileSync } = require('node:fs');
  mkdirSync('node_modules/.bin', { recursive: true });
  writeFileSync('node_modules/.bin/node', '#!/bin/sh\\ntouch has-run\\n', { mode: 0o755 });
`;
const NPM_WITHOUT_REGISTRY = `
  require('node:fs').rmSync('node_modules', { recursive: true, force: true });
  process.exit(1);
`;

describe('what is installed before the start', () => {
  let folder: string;
  const path = (name: string) => join(folder, name);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'leadtrail-set-up-'));
    for (const file of ['scripts/set-up.mjs', 'package.json', 'package-lock.json']) {
      cpSync(join(PROJECT_DIR, file), path(file));
    }
    // Nothing is built.
    writeFileSync(path('scripts/build-steps.mjs'), 'export const BUILD_STEPS = [], isFresh = () => true;');
    mkdirSync(path('packages'));
    const checksums = { binaries: { [`${process.platform}-${process.arch}`]: '0'.repeat(64) } };
    writeFileSync(path('scripts/node-checksums.json'), JSON.stringify(checksums));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function setUp(npm: string) {
    writeFileSync(path('npm-cli.cjs'), npm);
    return spawnSync(process.execPath, [path('scripts/set-up.mjs')], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, npm_execpath: path('npm-cli.cjs'), npm_node_execpath: process.execPath },
    });
  }

  test('a Node that is not the one that was released is removed before it runs', () => {
    const { status, stderr } = setUp(NPM_WITH_ANOTHER_NODE);
    assert.equal(status, 1);
    assert.match(stderr, /is not the one in scripts\/node-checksums\.json; it was removed/);
    assert.equal(existsSync(path('node_modules/.bin/node')), false);
    assert.equal(existsSync(path('has-run')), false);
  });

  test('an update that cannot be installed leaves what was installed before', () => {
    mkdirSync(path('node_modules/kept'), { recursive: true });
    const { status, stderr } = setUp(NPM_WITHOUT_REGISTRY);
    assert.equal(status, 1);
    assert.match(stderr, /The dependencies could not be installed: npm ci failed/);
    assert.equal(existsSync(path('node_modules/kept')), true);
    assert.equal(existsSync(path('node_modules.previous')), false);
  });
});
