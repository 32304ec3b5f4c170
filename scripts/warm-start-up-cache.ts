import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OBJECT_STORE_VARIABLES } from '../packages/server/src/config.ts';

const ENTRY = join(import.meta.dirname, '../packages/server/start.mjs');

/**
 * Starts the service once on a temporary directory to fill the compile cache, so that the first real start is as fast,
 * and as small in memory, as later ones.
 */
export async function warmStartUpCache(outFile: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-warm-'));
  try {
    const service = spawn(process.execPath, [ENTRY], {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        HOST: '127.0.0.1',
        DATA_DIR: dataDir,
        ANALYTICS_API_KEY: 'only-for-a-moment',
        DRAIN_SECONDS: '0',
        // Empty rather than unset, because .env could set them: this start must not need the network.
        ...Object.fromEntries(OBJECT_STORE_VARIABLES.map((name) => [name, ''])),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(service, 'exit');
    service.stdout.once('data', () => service.kill('SIGTERM'));
    service.stdout.resume();
    const [code] = await exited;
    if (code !== 0) throw new Error('The service could not be started to fill its start-up cache.');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  await writeFile(outFile, '');
}
