import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PROJECT_DIR } from '../src/lib/places.ts';

/** A project of its own: the `.env` of this one belongs to whoever works on it. */
describe('.env', () => {
  let project: string;
  const env = () => join(project, '.env');
  before(() => {
    project = mkdtempSync(join(tmpdir(), 'leadtrail-project-'));
    for (const name of ['package.json', 'scripts', 'packages/server/src', 'packages/server/pages']) {
      cpSync(join(PROJECT_DIR, name), join(project, name), { recursive: true });
    }
    for (const name of ['node_modules', 'packages/server/node_modules']) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      symlinkSync(join(PROJECT_DIR, name), join(project, name));
    }
  });
  after(() => rmSync(project, { recursive: true }));

  function run(file: string, ...args: string[]) {
    return spawnSync(process.execPath, [join(project, file), ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
  }

  test('sets what is not set', () => {
    writeFileSync(env(), `DATA_DIR=${join(project, 'not-there')}\nPORT=of-the-file\n`);
    const { stderr, status } = run('scripts/inbox.ts', 'list');
    assert.equal(stderr, 'PORT must be a whole number from 0 to 65535, not "of-the-file".\n');
    assert.equal(status, 1);
  });

  test('that cannot be read is named with the reason, by the service and by each command', () => {
    rmSync(env(), { force: true });
    mkdirSync(env());
    const sentence = `${env()} cannot be read: it is a folder.\n`;
    for (const [file, failed, ...args] of [
      ['packages/server/src/main.ts', 'Leadtrail cannot start: '],
      ['scripts/migrate.ts', 'Leadtrail cannot migrate: '],
      ['scripts/move-to-postgres.ts', 'Leadtrail cannot move: '],
      ['scripts/inbox.ts', '', 'list'],
    ] as const) {
      const { stdout, stderr, status } = run(file, ...args);
      assert.deepEqual({ stdout, stderr, status }, { stdout: '', stderr: failed + sentence, status: 1 });
    }
  });
});
