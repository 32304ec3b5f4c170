import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A data directory that runs out of space when a test says so. Both ways need Linux, neither needs root. */
export type FullDisk = {
  dataDir: string;
  /** What has to stand before the command of the service. */
  prefix: readonly string[];
  fill(pid: number): Promise<void>;
  free(pid: number): Promise<void>;
  /** Where the data can be looked at once the service has ended. */
  dataAfterwards(): Promise<string>;
  remove(): Promise<void>;
};

const run = promisify(execFile);
const SIZE = '16m';
const BALLAST_BYTES = 64 * 1024;
/** Enough for what is there at the start, too little for anything that grows. */
const FILE_BYTES_MAX = 4096;

/**
 * A small file system of its own in a mount namespace that lives as long as this holder: writing fails with
 * ENOSPC, which SQLite calls FULL. It is the data directory, or a folder of it. Undefined where namespaces are not
 * allowed, as in most containers.
 */
export async function smallFileSystem({ folder = '' } = {}): Promise<FullDisk | undefined> {
  const dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-small-disk-'));
  const mountPoint = join(dataDir, folder);
  await mkdir(mountPoint, { recursive: true, mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  const namespaces = isRoot ? ['--mount'] : ['--mount', '--user'];
  const holder = spawn(
    'unshare',
    [
      ...namespaces,
      ...(isRoot ? [] : ['--map-root-user']),
      'sh',
      '-c',
      `mount -t tmpfs -o size=${SIZE} leadtrail "$1" && echo mounted && exec cat`,
      'sh',
      mountPoint,
    ],
    { stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const mounted = await Promise.race([
    once(holder.stdout, 'data').then(() => true),
    once(holder, 'exit').then(() => false),
    once(holder, 'error').then(() => false),
  ]);
  const remove = async () => {
    holder.stdin.destroy();
    await rm(dataDir, { recursive: true, force: true });
  };
  if (!mounted) {
    await remove();
    return undefined;
  }

  const seenFromOutside = `/proc/${holder.pid}/root${dataDir}`;
  const ballast = join(seenFromOutside, folder, 'ballast');
  return {
    dataDir,
    prefix: [
      'nsenter',
      `--target=${holder.pid}`,
      ...namespaces,
      ...(isRoot ? [] : ['--preserve-credentials']),
    ],
    fill: () => writeUntilFull(ballast),
    free: () => rm(ballast),
    async dataAfterwards() {
      const copy = await mkdtemp(join(tmpdir(), 'leadtrail-small-disk-copy-'));
      await cp(seenFromOutside, copy, { recursive: true });
      return copy;
    },
    remove,
  };
}

async function writeUntilFull(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (let bytes = BALLAST_BYTES; bytes >= 1; ) {
      try {
        await file.write(Buffer.alloc(bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        bytes = Math.floor(bytes / 2);
      }
    }
  } finally {
    await file.close();
  }
}

/** The system refuses the process to make any file larger: writing fails with EFBIG, which SQLite calls an I/O error. */
export async function fileSizeLimit(): Promise<FullDisk> {
  const dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-limited-disk-'));
  const limit = (pid: number, bytes: number | 'unlimited') =>
    run('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]).then(() => undefined);
  return {
    dataDir,
    prefix: [],
    fill: (pid) => limit(pid, FILE_BYTES_MAX),
    free: (pid) => limit(pid, 'unlimited'),
    dataAfterwards: async () => dataDir,
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}
