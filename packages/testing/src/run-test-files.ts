import { createHook } from 'node:async_hooks';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

/**
 * Runs the test files named on the command line, each as a suite of its name: what they import is loaded and compiled once.
 *
 * The test runner traces every promise with an async hook, to know which suite a `test` or `before` belongs to; that takes
 * a tenth of the processor time. Once the files are loaded, everything is declared, so the hook is switched off. A stray
 * error still fails its file, but no longer names its test: a file that is run alone keeps the hook.
 */

const files = process.argv.slice(2);
if (files.length === 0) throw new Error('Name the test files.');

const { prototype } = createHook({}).constructor as { prototype: ReturnType<typeof createHook> };
const { enable } = prototype;
const enabled: ReturnType<typeof createHook>[] = [];
prototype.enable = function (this: ReturnType<typeof createHook>) {
  enabled.push(this);
  return enable.call(this);
};
let loading = files.length;
// Not one after the other: what follows an `await` of a file would belong to the suite of that file.
for (const file of files) {
  describe(file, async () => {
    await import(pathToFileURL(file).href);
    loading -= 1;
    if (loading === 0) traceNoMore();
  });
}

function traceNoMore(): void {
  prototype.enable = enable;
  for (const hook of enabled) hook.disable();
}
