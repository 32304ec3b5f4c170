import { join } from 'node:path';
import { build } from 'vite';

/** The dashboard as the files that browsers load. */
export async function buildDashboard(outFolder: string): Promise<void> {
  await build({
    configFile: join(import.meta.dirname, '../packages/dashboard/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: outFolder },
  });
}
