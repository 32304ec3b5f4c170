import { join } from 'node:path';
import { build } from 'vite';

/** Builds the files of the dashboard. */
export async function buildDashboard(outFolder: string): Promise<void> {
  await build({
    configFile: join(import.meta.dirname, '../packages/dashboard/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: outFolder },
  });
}
