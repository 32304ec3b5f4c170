import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/** Lowers the priority of this thread for good; on Linux, priorities are per thread. */
export function giveWay(nice: number): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), nice);
  } catch {
    // Other systems have no priority per thread.
  }
}
