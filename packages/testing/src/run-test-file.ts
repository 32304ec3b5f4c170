import { createHook } from 'node:async_hooks';
import { pathToFileURL } from 'node:url';

/**
 * Runs the test file named on the command line. The test runner traces every promise with an async hook, to know which
 * suite a `test` or `before` belongs to; that takes a tenth of the processor time. Once the file is loaded, everything is
 * declared, so the hook is switched off. A stray error still fails the file, but no longer names its test: a file that is
 * run alone keeps the hook.
 */

const [, , file] = process.argv;
if (file === undefined) throw new Error('Name a test file.');

const { prototype } = createHook({}).constructor as { prototype: ReturnType<typeof createHook> };
const { enable } = prototype;
const enabled: ReturnType<typeof createHook>[] = [];
prototype.enable = function (this: ReturnType<typeof createHook>) {
  enabled.push(this);
  return enable.call(this);
};
await import(pathToFileURL(file).href);
prototype.enable = enable;
for (const hook of enabled) hook.disable();
