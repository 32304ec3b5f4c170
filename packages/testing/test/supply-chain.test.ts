import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { PROJECT_DIR } from '../../server/src/lib/places.ts';

type Entry = { dev?: boolean; version?: string; link?: boolean; integrity?: string; resolved?: string };

const readJson = async (file: string) => JSON.parse(await readFile(join(PROJECT_DIR, file), 'utf8'));

async function installed(): Promise<[path: string, entry: Entry][]> {
  const { packages } = (await readJson('package-lock.json')) as { packages: Record<string, Entry> };
  return Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
}

test('every package in the lock file has the checksum that npm compares it with', async () => {
  const entries = await installed();
  assert.ok(entries.length > 100);
  const without = entries.filter(
    ([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''),
  );
  assert.deepEqual(
    without.map(([path]) => path),
    [],
  );
});

test('the lock file names no download address, so every registry will do', async () => {
  const entries = await installed();
  assert.deepEqual(
    entries.filter(([, { resolved }]) => resolved !== undefined),
    [],
  );
});

test('a start installs what builds and runs the service, not what tests it', async () => {
  const entries = new Map(await installed());
  const isForTesting = (name: string) => entries.get(`node_modules/${name}`)?.dev === true;
  for (const name of ['playwright-core', 'fast-check', '@biomejs/biome', 'ajv', '@20minutes/s3rver']) {
    assert.equal(isForTesting(name), true, name);
  }
  for (const name of ['node', 'kysely', 'react', 'vite', 'rolldown', 'terser', 'tailwindcss']) {
    assert.equal(isForTesting(name), false, name);
  }
  // Only a workspace that is left out can keep an optional package out of a start.
  assert.equal((await readJson('package.json')).optionalDependencies, undefined);
});

test('there is a checksum of the Node that is installed, for the usual machines', async () => {
  const { dependencies } = await readJson('package.json');
  const { version, binaries } = await readJson('scripts/node-checksums.json');
  assert.equal(version, dependencies.node);
  for (const platform of ['linux-arm64', 'linux-x64']) assert.match(binaries[platform], /^[0-9a-f]{64}$/);
  const expected = binaries[`${process.platform}-${process.arch}`];
  if (expected === undefined) return;
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(PROJECT_DIR, 'node_modules/node/bin/node')), hash);
  assert.equal(hash.digest('hex'), expected);
});
