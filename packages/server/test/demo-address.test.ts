import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { PROJECT_DIR } from '../src/lib/places.ts';

/** An address of this machine that is not the one of localhost. */
const OTHER_ADDRESS =
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.2';

test('the demo, whose keys are published, is reached from this machine only, unless HOST says otherwise', async (t) => {
  assert.deepEqual(await reached(t, {}), { localhost: true, elsewhere: false });
  assert.deepEqual(await reached(t, { HOST: '0.0.0.0' }), { localhost: true, elsewhere: true });
});

async function reached(t: { after(end: () => Promise<void>): void }, env: Record<string, string>) {
  const dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-demo-'));
  // A folder that is not empty is not filled.
  await writeFile(join(dataDir, 'note.txt'), '', { mode: 0o600 });
  const demo = spawn(process.execPath, [join(PROJECT_DIR, 'scripts/demo.ts')], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    if (demo.exitCode === null) {
      demo.kill('SIGTERM');
      await once(demo, 'exit');
    }
    await rm(dataDir, { recursive: true, force: true });
  });
  for await (const line of createInterface(demo.stdout)) {
    const port = Number(/http:\/\/localhost:(\d+)\/dashboard/.exec(line)?.[1] ?? 0);
    if (port > 0)
      return { localhost: await answers('127.0.0.1', port), elsewhere: await answers(OTHER_ADDRESS, port) };
  }
  throw new Error('The demo ended before it was ready.');
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
