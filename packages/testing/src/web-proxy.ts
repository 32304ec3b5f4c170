import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installedProgram, type Program } from './installed-program.ts';
import { endServer, freePort, hasExited, removeDirectory, spawnServer } from './own-server.ts';

/** A real nginx or Caddy on a free loopback port, for the settings that the documentation shows. */
export type WebProxy = { url: string; stop(): Promise<void> };

type Proxy = {
  program: Program;
  settings: (port: number) => string;
  command: (program: string, settingsFile: string, directory: string) => string[];
};

const READY_TIMEOUT_MS = 30_000;
const READY_POLL_MS = 20;

const NGINX: Program = {
  name: 'nginx',
  paths: ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'],
  debianPackage: 'nginx',
  variable: 'NGINX',
};
const CADDY: Program = {
  name: 'Caddy',
  paths: ['/usr/bin/caddy', '/usr/local/bin/caddy', '/opt/homebrew/bin/caddy'],
  debianPackage: 'caddy',
  variable: 'CADDY',
};

/** With what stands in the `server` block. */
export function startNginx(server: string): Promise<WebProxy> {
  return startProxy({
    program: NGINX,
    settings: (port) => `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path client-bodies;
  proxy_temp_path answers;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port};
    ${server}
  }
}
`,
    command: (program, settingsFile, directory) => [
      program,
      '-p',
      directory,
      '-c',
      settingsFile,
      '-e',
      'stderr',
    ],
  });
}

/** With sites whose addresses start with `http://` and name no port. */
export function startCaddy(sites: string): Promise<WebProxy> {
  return startProxy({
    program: CADDY,
    settings: (port) => `
{
  admin off
  auto_https off
  http_port ${port}
  default_bind 127.0.0.1
}
${sites}
`,
    command: (program, settingsFile) => [program, 'run', '--config', settingsFile, '--adapter', 'caddyfile'],
  });
}

async function startProxy({ program, settings, command }: Proxy): Promise<WebProxy> {
  const found = await installedProgram(program);
  const directory = await mkdtemp(join(tmpdir(), 'leadtrail-proxy-'));
  const port = await freePort();
  const settingsFile = join(directory, 'settings');
  const logFile = join(directory, 'proxy.log');
  await writeFile(settingsFile, settings(port));
  const server = await spawnServer({
    directory,
    command: command(found, settingsFile, directory),
    logFile,
    environment: { PATH: process.env.PATH, HOME: directory },
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await endServer(server, 'SIGTERM');
    await removeDirectory(directory);
  };
  if (await isReady(url, server)) return { url, stop };
  const log = await readFile(logFile, 'utf8');
  await stop();
  throw new Error(`${program.name} did not start: ${log}`);
}

async function isReady(url: string, server: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline && !hasExited(server)) {
    if (await answers(url)) return true;
    await sleep(READY_POLL_MS);
  }
  return false;
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { redirect: 'manual' })).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
