import { existsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { buildApp } from './app.ts';
import { type Config, ConfigError, PROJECT_DIR, readConfig } from './config.ts';

/** Boot, listen, drain on SIGTERM. */

/** Process managers usually send SIGKILL after ten seconds. */
const STOP_MS_MAX = 8500;

// Databases, their logs and everything else: for this user only, whatever the shell says.
process.umask(0o077);

const envFile = join(PROJECT_DIR, '.env');
if (existsSync(envFile)) process.loadEnvFile(envFile);

try {
  const config = readConfig(process.env);
  const app = await buildApp(config);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop(signal));
  const port = await app.listen();
  app.log.info('listening', { port, store: config.database.kind, objects: config.objects.kind });
  if (config.analyticsApiKey === undefined) greet(config, port, app);

  async function stop(signal: string): Promise<void> {
    app.log.info('shutting down', { signal });
    // Safe at any time: what is acknowledged and not processed yet is in the inbox.
    const leave = (message: string, reason?: string) => {
      app.log[reason === undefined ? 'info' : 'warn'](message, { reason });
      process.exit(0);
    };
    setTimeout(leave, STOP_MS_MAX, 'stopped early', 'closing took too long');
    await app.close().catch((error: Error) => leave('stopped early', error.message));
    leave('stopped');
  }
} catch (error) {
  process.stderr.write(`Leadtrail cannot start: ${(error as Error).message}\n`);
  if (!(error instanceof ConfigError)) process.stderr.write(`${(error as Error).stack}\n`);
  process.exit(1);
}

function greet(
  { publicUrl, host, demo }: Config,
  port: number,
  app: { adminKey: string; newKeyFile: string | undefined },
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
  ];
  if (app.newKeyFile !== undefined)
    lines.push(`  Admin key: ${app.adminKey}`, `  All keys are in ${app.newKeyFile}`);
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

/** All of this machine's, unless one was chosen. */
function addressesOf(host: string | undefined): string[] {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const addresses = host === undefined ? own.map(({ address }) => address) : [host];
  return addresses.map((address) => (address.includes(':') ? `[${address}]` : address));
}
