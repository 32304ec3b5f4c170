import { isMainThread } from 'node:worker_threads';
import { usedHeapBytes } from './heap.ts';

/**
 * Loaded into a service process before anything else. On SIGUSR2 it writes down what the process has been
 * through since the last time: how long its main thread worked, the longest that it did so without coming back
 * to its timers, and its memory. Work is measured in processor time, so a busy machine does not count as a stall.
 */

const TICK_MS = 2;

if (isMainThread) watch();

function watch(): void {
  let told = 0;
  let longestMs = 0;
  let lastMs = workedMs();
  let startMs = lastMs;

  setInterval(() => {
    const now = workedMs();
    longestMs = Math.max(longestMs, now - lastMs);
    lastMs = now;
  }, TICK_MS).unref();

  process.on('SIGUSR2', () => {
    told += 1;
    const figures = {
      workedMs: workedMs() - startMs,
      stallMs: longestMs,
      heapBytes: usedHeapBytes(),
      peakBytes: process.resourceUsage().maxRSS * 1024,
    };
    process.stdout.write(`${JSON.stringify({ message: `figures ${told}`, ...figures })}\n`);
    longestMs = 0;
    lastMs = workedMs();
    startMs = lastMs;
  });
}

/** Processor time of this thread. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
