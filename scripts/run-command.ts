import { existsSync } from 'node:fs';
import { type Config, loadEnvFile, readConfig } from '../packages/server/src/config.ts';
import { OperatorError, toldOf } from '../packages/server/src/lib/errors.ts';

/** What all commands that work on an installation do alike: read its settings, and say why they failed. */
export async function runCommand(
  { failed }: { failed: string },
  work: (config: Config) => Promise<void> | void,
): Promise<void> {
  // Databases and their logs: for this user only, whatever the shell says.
  process.umask(0o077);
  try {
    loadEnvFile();
    await work(readConfig(process.env));
  } catch (error) {
    console.error(`${failed}${toldOf(error)}`);
    process.exitCode = 1;
  }
}

/** Where a folder that is not there is more likely a mistake than an installation without anything in it. */
export function refuseMissing(dataDir: string): void {
  if (!existsSync(dataDir)) throw new OperatorError(`DATA_DIR=${dataDir} does not exist.`);
}
