import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type Program = {
  name: string;
  /** Where it usually is. */
  paths: readonly string[];
  debianPackage: string;
  /** Where one is that will do as well, if the package cannot be installed. */
  otherPaths?: readonly string[];
  /** The environment variable that names another one, which is then used as it is. */
  variable: string;
};

const run = promisify(execFile);
const APT_ENVIRONMENT = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
/** Test files run beside each other, and apt-get fails while another one is at work. */
const APT_LOCK = join(tmpdir(), 'leadtrail-apt.lock');

/** Where a program is that no package of ours can bring along; installed where that can be done by itself. */
export async function installedProgram(program: Program): Promise<string> {
  const { name, paths, debianPackage, otherPaths = [], variable } = program;
  const found =
    process.env[variable] ??
    (await firstOf(paths)) ??
    (await install(program)) ??
    (await firstOf(otherPaths));
  if (found !== undefined) return found;
  throw new Error(
    `The tests need ${name}: install it (on Debian \`apt-get install ${debianPackage}\`) or name it in ${variable}.`,
  );
}

async function install({ name, paths, debianPackage, otherPaths }: Program): Promise<string | undefined> {
  if (process.getuid?.() !== 0 || !(await exists('/usr/bin/apt-get'))) return undefined;
  console.log(`Installing ${name}…`);
  try {
    await aptGet('update', '-qq');
    await aptGet('install', '-y', '-qq', '--no-install-recommends', debianPackage);
  } catch (error) {
    if (otherPaths === undefined) throw error;
  }
  return firstOf(paths);
}

async function aptGet(...command: string[]): Promise<void> {
  await run('flock', [APT_LOCK, 'apt-get', ...command], { env: APT_ENVIRONMENT });
}

async function firstOf(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await exists(path)) return path;
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
