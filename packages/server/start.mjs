// The entry of the service: starts it again in the same process, with what can only be set from outside.
//
// - Taking the types out of the source costs each thread 18 MiB and a good part of the start-up time, unless
//   the compile cache is in use before the first file is loaded. `npm start` has filled it.
// - glibc keeps freed memory for each thread by itself and gives little of it back, and V8 reserves generously
//   for short-lived objects. Told otherwise, the service needs 70 MiB less after a burst of traffic.
// - V8 clears up a thread's older objects when they have grown to a multiple of what is needed. At half as much again
//   it is 20 MiB less.

import { fileURLToPath } from 'node:url';

const VARIABLES = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/leadtrail', import.meta.url)),
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_MMAP_THRESHOLD_: '32768',
};
const FLAGS = [
  '--min-semi-space-size=1',
  '--max-semi-space-size=2',
  '--heap-growing-percent=50',
  '--v8-pool-size=1',
];

const isSet = Object.keys(VARIABLES).every((name) => process.env[name] !== undefined);
if (!isSet && process.execve !== undefined && process.platform !== 'win32') {
  const args = [process.execPath, ...FLAGS, ...process.execArgv, fileURLToPath(import.meta.url)];
  process.execve(process.execPath, args, { ...VARIABLES, ...process.env });
}

await import('./src/main.ts');
