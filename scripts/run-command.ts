import { existsSync } from 'node:fs';
import { type Config, loadEnvFile, readConfig } from '../packages/server/src/config.ts';
import { OperatorError, toldOf } from '../packages/server/src/lib/errors.ts';

/** Common to all commands for operators: reads the configuration, and explains failures. */
export async function runCommand(
  { failed }: { failed: string },
  work: (config: Config) => Promise<void> | void,
): Promise<void> {
  // Databases and their logs are private to this user, whatever umask the shell has.
  process.umask(0o077);
  try {
    loadEnvFile();
    await work(readConfig(process.env));
  } catch (error) {
    console.error(`${failed}${toldOf(error)}`);
    process.exitCode = 1;
  }
}

/** For commands where a missing folder is more likely a mistake than an empty installation. */
export function refuseMissing(dataDir: string): void {
  if (!existsSync(dataDir)) throw new OperatorError(`DATA_DIR=${dataDir} does not exist.`);
}
