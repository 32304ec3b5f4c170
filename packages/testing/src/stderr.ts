import assert from 'node:assert/strict';

/** The service logs to stdout; whatever reaches stderr is a mistake, unless a test expects it. */
export function assertSilent(stderr: string, expected?: RegExp): void {
  const lines = stderr.split('\n').filter((line) => line !== '' && expected?.test(line) !== true);
  assert.equal(lines.join('\n'), '', 'The service wrote to stderr.');
}

/** Warnings of Node about itself, not about what the service does. */
const IGNORED = /^(\(node:\d+\) )?(Experimental|Deprecation)Warning|^\(Use `node --trace-/;

let written = '';
let isWatched = false;

/** Returns what is written to stderr from now on: by this thread, by its workers, or as a warning from Node. */
export function watchStderr(): () => string {
  if (!isWatched) watch();
  const start = written.length;
  return () => written.slice(start);
}

function watch(): void {
  isWatched = true;
  const write = process.stderr.write.bind(process.stderr) as (...args: unknown[]) => boolean;
  process.stderr.write = (text: string | Uint8Array, ...more: unknown[]) => {
    note(typeof text === 'string' ? text : Buffer.from(text).toString());
    return write(text, ...more);
  };
  // Node may print these past the stream.
  process.on('warning', (warning) => note(`${warning}\n`));
}

function note(text: string): void {
  if (!IGNORED.test(text)) written += text;
}
