import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp } from './app.ts';
import { ConfigError, PROJECT_DIR, readConfig } from './config.ts';

/** Boot, listen, drain on SIGTERM. */

/** Process managers usually send SIGKILL after ten seconds. */
const STOP_MS_MAX = 8500;

const envFile = join(PROJECT_DIR, '.env');
if (existsSync(envFile)) process.loadEnvFile(envFile);

try {
  const config = readConfig(process.env);
  const app = await buildApp(config);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop(signal));
  const port = await app.listen();
  app.log.info('listening', { port, store: config.database.kind, objects: config.objects.kind });
  if (config.analyticsApiKey === undefined) greet(config.publicUrl ?? `http://localhost:${port}`, app);

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

function greet(url: string, app: { adminKey: string; newKeyFile: string | undefined }): void {
  const lines = [
    '',
    `  Leadtrail is ready at ${url}`,
    `  Dashboard: ${url}/dashboard/`,
    `  Demo page: ${url}/demo`,
    `  API description: ${url}/docs`,
  ];
  if (app.newKeyFile !== undefined)
    lines.push(`  Admin key: ${app.adminKey}`, `  All keys are in ${app.newKeyFile}`);
  process.stdout.write(`${lines.join('\n')}\n\n`);
}
