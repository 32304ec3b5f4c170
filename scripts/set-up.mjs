// Runs before `npm start`, and with --for-tests before `npm test` and `npm run bench`: makes a fresh clone ready and otherwise
// does nothing. Plain JavaScript without dependencies, because on a fresh clone nothing is installed
// and the Node that runs it may be any version from 20 up.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_STEPS, isFresh } from './build-steps.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MODULES = join(ROOT, 'node_modules');
/** The previous install, kept until the new one has succeeded. */
const PREVIOUS_MODULES = join(ROOT, 'node_modules.previous');
const LOCAL_NODE = join(MODULES, '.bin', 'node');
const INSTALL_STAMP = join(MODULES, '.leadtrail-install');

// `--include` wins over NODE_ENV=production and over an `omit` in the user's npm settings.
const INSTALL_ARGUMENTS = ['ci', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
const EVERYTHING = ['--include=dev'];
/** Running needs neither the workspace `testing` nor the tools that check the code. */
const FOR_RUNNING = [
  '--omit=dev',
  '--include-workspace-root',
  ...['contract', 'dashboard', 'server', 'tracker'].map((name) => `--workspace=packages/${name}`),
];
const ALL = 'all';
const RUNNING = 'running';

// npm passes its settings on to child processes; these would limit the install to one workspace.
const SETTINGS_NOT_INHERITED =
  /^npm_config_(local_prefix|workspace|workspaces|include_workspace_root|dry_run)$/i;

restorePrevious();
const wanted = hashOfManifests();
const before = readStamp();
// Keep dev dependencies once they were installed for tests.
const kind = process.argv.includes('--for-tests') || before.kind === ALL ? ALL : RUNNING;
if (!isInstalled()) install();
if (!BUILD_STEPS.every(isFresh)) build();

function isInstalled() {
  return existsSync(LOCAL_NODE) && before.hash === wanted && before.kind === kind;
}

/** The kind of the last install; earlier versions installed everything and did not record it. */
function readStamp() {
  if (!existsSync(INSTALL_STAMP)) return {};
  const [hash, installed = ALL] = readFileSync(INSTALL_STAMP, 'utf8').split(' ');
  return { hash, kind: installed };
}

function install() {
  console.log('Installing dependencies…');
  // npm would delete it first: without the registry, neither this
  // version nor the previous one could start then.
  if (existsSync(MODULES)) renameSync(MODULES, PREVIOUS_MODULES);
  const [command, ...prefix] = npmCommand();
  const { status, error } = spawnSync(
    command,
    [...prefix, ...INSTALL_ARGUMENTS, ...(kind === ALL ? EVERYTHING : FOR_RUNNING)],
    {
      cwd: ROOT,
      env: installEnvironment(),
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (status !== 0) {
    restorePrevious();
    fail(
      `The dependencies could not be installed: npm ci ${error ? `did not start (${error.message})` : 'failed'}.`,
    );
  }
  requireLocalNode();
  writeFileSync(INSTALL_STAMP, `${wanted} ${kind}`);
  rmSync(PREVIOUS_MODULES, { recursive: true, force: true });
}

/** Recovers from an install that failed or was interrupted. */
function restorePrevious() {
  if (!existsSync(PREVIOUS_MODULES)) return;
  rmSync(MODULES, { recursive: true, force: true });
  renameSync(PREVIOUS_MODULES, MODULES);
}

function build() {
  const { status, error } = spawnSync(LOCAL_NODE, [join('scripts', 'build.ts')], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) fail(`The build failed${error ? ` (${error.message})` : ''}.`);
}

/**
 * Compared before its first run: npm has no checksum for the binary
 * that the package's install script downloads.
 */
function requireLocalNode() {
  const version = readManifest('package.json').dependencies.node;
  const expected = readManifest('scripts/node-checksums.json').binaries[
    `${process.platform}-${process.arch}`
  ];
  if (expected !== undefined && existsSync(LOCAL_NODE) && sha256Of(LOCAL_NODE) !== expected) {
    rmSync(LOCAL_NODE);
    fail(
      `The Node ${version} that was installed is not the one in scripts/node-checksums.json; it was removed. ` +
        'Try again, and if that does not help, use another npm registry.',
    );
  }
  const { stdout } = spawnSync(LOCAL_NODE, ['--version'], { encoding: 'utf8' });
  if (stdout?.trim() !== `v${version}`) {
    fail(
      `The npm package "node" did not bring Node ${version} for ${process.platform}-${process.arch} ` +
        '(node_modules/.bin/node); its install script must be allowed to run and to reach the npm registry.',
    );
  }
}

/**
 * The calling npm with the Node that runs it: the install replaces node_modules, so neither may be a program in there.
 */
function npmCommand() {
  const npm = process.env.npm_execpath;
  const node = [process.env.npm_node_execpath, process.execPath].find((path) => path && !isInModules(path));
  // Other package managers set npm_execpath too, and do not understand this lock file.
  return npm && node && /npm-cli\.c?js$/.test(npm) && existsSync(npm) ? [node, npm] : ['npm'];
}

function installEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !SETTINGS_NOT_INHERITED.test(name));
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !isInModules(folder));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}

function isInModules(path) {
  return path === MODULES || path.startsWith(MODULES + sep);
}

function hashOfManifests() {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of ['package-lock.json', '.npmrc']) {
    hash.update(`\0${file}\0`).update(readIfThere(file));
  }
  const workspaces = readdirSync(join(ROOT, 'packages')).map((name) =>
    join('packages', name, 'package.json'),
  );
  for (const file of ['package.json', ...workspaces.sort()]) {
    // Changed scripts do not affect what is installed.
    const { scripts, ...installed } = readManifest(file);
    hash.update(`\0${file}\0`).update(JSON.stringify(installed));
  }
  return hash.digest('hex');
}

function sha256Of(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function readManifest(file) {
  return JSON.parse(readIfThere(file) || '{}');
}

function readIfThere(file) {
  const path = join(ROOT, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
