import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { openFileObjects } from '../packages/server/src/adapters/file-objects.ts';
import type { GeneratedKeys } from '../packages/server/src/adapters/key-file.ts';
import { ownDomains } from '../packages/server/src/adapters/own-domains.ts';
import { openSqliteStore } from '../packages/server/src/adapters/sqlite-store.ts';
import { OBJECT_STORE_VARIABLES } from '../packages/server/src/config.ts';
import { KEY_FILE } from '../packages/server/src/lib/data-dir.ts';
import { DEMO_SIZE, fillWithDemo } from './demo/fill.ts';

/** The service with generated data of a fictitious agency. */

const ROOT = join(import.meta.dirname, '..');
/**
 * Written as a key file, as if generated at the first start, because
 * the demo page exists only with generated keys.
 */
const KEYS: GeneratedKeys = {
  ANALYTICS_API_KEY: 'demo-admin-key',
  ANALYTICS_MARKETING_API_KEY: 'demo-marketing-key',
  CRM_CALLBACK_SECRET: 'demo-callback-secret',
  EDGE_ACCOUNT_ID: 'demo',
  ANALYTICS_ENGINE_API_TOKEN: 'demo-engine-token',
};
const DEFAULT_PORT = 8787;

const dataDir = resolve(process.env.DATA_DIR || join(ROOT, 'data-demo'));
const port = process.env.PORT || String(DEFAULT_PORT);

process.umask(0o077);
if (await isEmpty(dataDir)) await generate();
const platform = await startPlatform();
const service = startService(platform);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => service.kill(signal));
const [exitCode] = await once(service, 'exit');
platform.close();
platform.closeAllConnections();
process.exitCode = typeof exitCode === 'number' ? exitCode : 0;

async function isEmpty(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.length === 0;
}

/** Filled beside the folder and then renamed, so that an interrupted run starts over. */
async function generate(): Promise<void> {
  const startedAt = performance.now();
  const unfinished = `${dataDir}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  console.log(`Making the demo data in ${dataDir}; this takes about a minute.`);
  const store = await openSqliteStore(join(unfinished, 'leadtrail.db'));
  try {
    const objects = openFileObjects(join(unfinished, 'objects'));
    const now = Date.now();
    await store.ensureDemoSite({
      domains: ownDomains({ publicUrl: process.env.PUBLIC_URL, port: Number(port) }),
      now,
    });
    await fillWithDemo({ store, objects }, { size: DEMO_SIZE, now, onProgress: makeProgress() });
  } finally {
    await store.close();
  }
  await writeFile(join(unfinished, KEY_FILE), JSON.stringify(KEYS), { mode: 0o600 });
  await rm(dataDir, { recursive: true, force: true });
  await rename(unfinished, dataDir);
  console.log(`The demo data is there (${((performance.now() - startedAt) / 1000).toFixed(0)} s).`);
}

/** Prints a line for every tenth of the work. */
function makeProgress(): (what: string, share: number) => void {
  let told = '';
  return (what, share) => {
    const line = share === 0 ? `  ${what}…` : `  ${what} ${Math.floor(share * 10) * 10} %`;
    if (line !== told) console.log(line);
    told = line;
  };
}

/** A stand-in for the automation platform that accepts every lead. */
async function startPlatform(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end('{"message":"Workflow was started"}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function startService(target: Server): ChildProcess {
  const { port: targetPort } = target.address() as AddressInfo;
  const child = spawn(process.execPath, [join(ROOT, 'packages/server/start.mjs')], {
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: port,
      // The demo's keys are public, so it is reachable from other machines only on request.
      HOST: process.env.HOST || '127.0.0.1',
      BOT_LEAD_DETECTION: 'on',
      FLOW_WEBHOOK_URL: `http://127.0.0.1:${targetPort}/leads`,
      // Empty instead of unset, because .env could set them.
      ...Object.fromEntries(Object.keys(KEYS).map((name) => [name, ''])),
      DATABASE_URL: '',
      DATABASE_READ_URL: '',
      ...Object.fromEntries(OBJECT_STORE_VARIABLES.map((name) => [name, ''])),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('The output of the service is not read.');
  createInterface(child.stdout).on('line', (line) => {
    const listeningAt = /"port":(\d+)/.exec(line.includes('listening') ? line : '')?.[1];
    if (listeningAt !== undefined) greet(`http://localhost:${listeningAt}`);
    else if (/"level":"(warn|error)"/.test(line)) console.error(line);
  });
  return child;
}

function greet(url: string): void {
  const lines = [
    '',
    `  Leadtrail with demo data: ${url}/dashboard`,
    `  Admin key:     ${KEYS.ANALYTICS_API_KEY}`,
    `  Marketing key: ${KEYS.ANALYTICS_MARKETING_API_KEY}`,
    `  A page to send a lead from: ${url}/demo`,
    '',
    `  Everybody in it is invented. Ctrl-C ends it; delete ${dataDir} to begin anew.`,
    '',
  ];
  console.log(lines.join('\n'));
}
