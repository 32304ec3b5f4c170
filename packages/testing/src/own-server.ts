import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Writable } from 'node:stream';

/** What servers have in common that tests start for themselves: they go away with whoever started them. */

/** Undefined: whoever runs the tests. */
export type Account = { uid: number; gid: number };

export type ServerCommand = {
  /** Cleared away when the tests die. */
  directory: string;
  command: readonly string[];
  logFile: string;
  environment: NodeJS.ProcessEnv;
  account?: Account | undefined;
};

const STOP_TIMEOUT_MS = 5_000;

// The shell becomes the server (same process id) and leaves a guard behind that reads from a pipe which
// only we hold. A line on it means that we stopped the server ourselves. Its end without one means that
// we died, however abruptly: then the guard ends the server and clears away its files.
const GUARDED_SERVER = `
directory=$1; shift
( read -r line <&3 || {
    kill -QUIT $$
    for second in 1 2 3 4 5 6 7 8 9 10; do kill -0 $$ || break; sleep 1; done
    kill -KILL $$
    rm -rf "$directory"
  } ) 2>/dev/null &
exec "$@" 3<&-
`;

export async function spawnServer(how: ServerCommand): Promise<ChildProcess> {
  const log = await open(how.logFile, 'a');
  const server = spawn('/bin/sh', ['-c', GUARDED_SERVER, 'sh', how.directory, ...how.command], {
    cwd: how.directory,
    env: how.environment,
    stdio: ['ignore', log.fd, log.fd, 'pipe'],
    // Ctrl-C in the terminal is for us: we stop the server once the tests have let go of it.
    detached: true,
    ...how.account,
  });
  await once(server, 'spawn');
  await log.close();
  return server;
}

export async function endServer(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!hasExited(server)) {
    const exit = once(server, 'exit');
    server.kill(signal);
    const timer = setTimeout(() => server.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exit;
    clearTimeout(timer);
  }
  dismissGuard(server);
}

function dismissGuard(server: ChildProcess): void {
  const pipe = server.stdio[3] as Writable;
  // The guard may have gone already, for instance with a whole container.
  pipe.on('error', () => {});
  pipe.end('stopped\n');
}

export function hasExited(server: ChildProcess): boolean {
  return server.exitCode !== null || server.signalCode !== null;
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('The probe has no port.');
  return address.port;
}

export async function removeDirectory(directory: string): Promise<void> {
  // Backends of a killed server take a moment to notice, and until then they still write.
  await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
