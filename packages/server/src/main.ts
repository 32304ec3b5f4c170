import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from './app.ts';
import { type Config, loadEnvFile, readConfig, SECRET_CHARS_MIN } from './config.ts';
import { toldOf } from './lib/errors.ts';

/** Boot, listen, drain on SIGTERM. */

/** Process managers usually send SIGKILL after ten seconds. */
const STOP_MS_MAX = 8500;
/** Of that, the minimum reserved for closing, after requests are no longer taken. */
const CLOSE_MS_MIN = 3500;

// EPIPE: the reader of the log is gone. Leads matter more than log lines.
process.stdout.on('error', () => undefined);

// Databases, their logs and everything else are private to this user, whatever umask the shell has.
process.umask(0o077);

try {
  loadEnvFile();
  const config = readConfig(process.env);
  const app = await buildApp(config);
  for (const { name, meant } of config.misspelledVariables) {
    app.log.warn(`${name} is not read: did you mean ${meant}?`);
  }
  for (const name of config.shortSecrets) {
    app.log.warn(`${name} has fewer than ${SECRET_CHARS_MIN} characters, and may be guessed`);
  }
  let isStopping = false;
  // Signals may repeat: process managers signal the whole group, and npm passes signals on as well.
  const onSignal = (signal: NodeJS.Signals, drainMs: number) => {
    if (!isStopping) void stop(signal, drainMs);
    isStopping = true;
  };
  process.on('SIGTERM', (signal) => onSignal(signal, config.drainMs));
  // At a terminal there is no load balancer to wait for.
  process.on('SIGINT', (signal) => onSignal(signal, 0));
  const port = await app.listen();
  app.log.info('listening', { port, store: config.database.kind, objects: config.objects.kind });
  if (config.analyticsApiKey === undefined) greet(config, port, app);

  async function stop(signal: string, drainMs: number): Promise<void> {
    app.drain();
    app.log.info('shutting down', { signal });
    setTimeout(
      leave,
      Math.max(STOP_MS_MAX, drainMs + CLOSE_MS_MIN),
      'stopped early',
      'closing took too long',
    );
    if (drainMs > 0) await sleep(drainMs);
    await app.close().catch((error: Error) => leave('stopped early', error.message));
    leave('stopped');
  }

  /** Safe at any time: accepted records that are not yet applied are in the inbox. */
  function leave(message: string, reason?: string): void {
    app.log[reason === undefined ? 'info' : 'warn'](message, { reason });
    process.exit(0);
  }
} catch (error) {
  process.stderr.write(`Leadtrail cannot start: ${toldOf(error)}\n`);
  process.exit(1);
}

function greet(
  { publicUrl, host, demo }: Config,
  port: number,
  { adminKey, keyFile, hasNewKeys }: { adminKey: string; keyFile: string; hasNewKeys: boolean },
): void {
  const url = publicUrl ?? `http://localhost:${port}`;
  const lines = [
    '',
    `  Leadtrail is ready at ${url}`,
    `  Listening on: ${addressesOf(host)
      .map((address) => `${address}:${port}`)
      .join(', ')}`,
    `  Dashboard: ${url}/dashboard/`,
    ...(demo ? [`  Demo page: ${url}/demo`] : []),
    `  API description: ${url}/docs`,
    ...(hasNewKeys ? [`  Admin key: ${adminKey}`] : []),
    `  All keys are in ${keyFile}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

/** Of the chosen host, or else of all interfaces. */
function addressesOf(host: string | undefined): string[] {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const addresses = host === undefined ? own.map(({ address }) => address) : [host];
  return addresses.map((address) => (address.includes(':') ? `[${address}]` : address));
}
