import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endServer, freePort, hasExited, removeDirectory, spawnServer } from './own-server.ts';
import { startPostgres } from './postgres-server.ts';
import { until } from './torture/service-process.ts';

/** A real n8n with a database and a folder of its own, reached over its API. */
export type N8nServer = {
  url: string;
  version: string;
  apiKey: string;
  /** A call of the public API. */
  api<T = unknown>(method: 'GET' | 'POST', path: string, body?: object): Promise<T>;
  stop(): Promise<void>;
};

export type Workflow = {
  name: string;
  nodes: { name: string; credentials?: Record<string, { id?: string; name: string }> }[];
  connections: object;
  settings: object;
};

const OWNER = {
  email: 'owner@example.org',
  firstName: 'Ada',
  lastName: 'Owner',
  password: 'Only-for-a-trial-1',
};
const SCOPES = [
  'credential:create',
  'workflow:create',
  'workflow:activate',
  'execution:read',
  'execution:list',
];

/** `folder` is where `npm install n8n` was run. */
export async function startN8n(folder: string): Promise<N8nServer> {
  const installed = join(folder, 'node_modules/n8n');
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  // Its embedded database is a native addon, which an installation without scripts lacks.
  const postgres = await startPostgres();
  const database = new URL(postgres.url);
  const directory = await mkdtemp(join(tmpdir(), 'leadtrail-n8n-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await spawnServer({
    directory,
    command: [process.execPath, join(installed, 'bin/n8n'), 'start'],
    logFile: join(directory, 'n8n.log'),
    environment: {
      PATH: process.env.PATH,
      N8N_USER_FOLDER: directory,
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      N8N_PORT: String(port),
      N8N_SECURE_COOKIE: 'false',
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
      N8N_TEMPLATES_ENABLED: 'false',
      N8N_COMMUNITY_PACKAGES_ENABLED: 'false',
      DB_TYPE: 'postgresdb',
      DB_POSTGRESDB_HOST: database.hostname,
      DB_POSTGRESDB_PORT: database.port,
      DB_POSTGRESDB_USER: database.username,
      DB_POSTGRESDB_DATABASE: 'postgres',
      // As docs/AUTOMATION.md says it.
      NODE_FUNCTION_ALLOW_BUILTIN: 'crypto',
    },
  });

  async function stop(): Promise<void> {
    await endServer(server, 'SIGTERM');
    await postgres.stop();
    await removeDirectory(directory);
  }

  async function call<T>(path: string, headers: Record<string, string>, body?: object, method = 'POST') {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`n8n answered ${response.status} to ${method} ${path}: ${text}`);
    return { answer: JSON.parse(text) as T, cookies: response.headers.getSetCookie() };
  }

  try {
    await until('The start of n8n', async () => {
      if (hasExited(server)) throw new Error(await readFile(join(directory, 'n8n.log'), 'utf8'));
      const ready = await fetch(`${url}/healthz/readiness`).catch(() => undefined);
      return ready?.ok ?? false;
    });
    const { cookies } = await call('/rest/owner/setup', {}, OWNER);
    const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
    const asked = { label: 'trial', expiresAt: null, scopes: SCOPES };
    const { answer } = await call<{ data: { rawApiKey: string } }>('/rest/api-keys', { cookie }, asked);
    const apiKey = answer.data.rawApiKey;
    return {
      url,
      version,
      apiKey,
      api: async <T>(method: 'GET' | 'POST', path: string, body?: object) =>
        (await call<T>(`/api/v1${path}`, { 'x-n8n-api-key': apiKey }, body, method)).answer,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
