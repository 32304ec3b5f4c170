import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config.ts';
import { archiveSessions } from '../../server/src/flows/archive-sessions.ts';

/**
 * The service, but it kills itself at one step: `CRASH_AT` is `before`, `during` or `after`, and a call
 * such as `store.ingestTracking`; `CRASH_AT_CALL` says at which of these calls, and `CRASH_AT_PART` how far
 * into it, measured by the call before.
 */

const { CRASH_AT = '', CRASH_AT_CALL = '1', CRASH_AT_PART = '0.5' } = process.env;
const ARCHIVE_EVERY_MS = 20;
let callsLeft = Number(CRASH_AT_CALL);
let lastCallMs: number | undefined;

const app = await buildApp(readConfig(process.env), {
  schedule: false,
  around: {
    inbox: (inbox) => crashing('inbox', inbox),
    store: (store) => crashing('store', store),
    objects: (objects) => crashing('objects', objects),
    webhook: (webhook) => crashing('webhook', webhook),
  },
});
app.log.info('listening', { port: await app.listen() });

// The schedule would have us wait for the next five seconds.
for (;;) {
  const { store, objects, log, now } = app;
  // As with the schedule, what fails is tried again.
  await archiveSessions({ store, objects, log, now, newId: randomUUIDv7 }).catch(() => undefined);
  await sleep(ARCHIVE_EVERY_MS);
}

/** The same part, with a crash before, during or after one of its calls. */
function crashing<T extends object>(name: string, part: T): T {
  return new Proxy(part, {
    get(target, property) {
      const found = Reflect.get(target, property);
      if (typeof found !== 'function') return found;
      const call = `${name}.${String(property)}`;
      return (...args: unknown[]) => {
        if (CRASH_AT === `before ${call}`) countDown();
        const result = found.apply(target, args);
        if (!(result instanceof Promise)) return result;
        if (CRASH_AT === `during ${call}`) crashWhilePending(result);
        return CRASH_AT === `after ${call}` ? result.then(crashAfter) : result;
      };
    },
  });
}

function crashWhilePending(running: Promise<unknown>): void {
  const startedAt = performance.now();
  const crash =
    lastCallMs === undefined ? undefined : setTimeout(countDown, lastCallMs * Number(CRASH_AT_PART));
  const done = () => {
    lastCallMs = performance.now() - startedAt;
    clearTimeout(crash);
  };
  running.then(done, done);
}

/** A call that found nothing to do is no step. */
function crashAfter<T>(result: T): T {
  const isNothing = result === null || (Array.isArray(result) && result.length === 0);
  const claimedNothing = CRASH_AT.includes('.claim') && isNothing;
  const tookNothing = CRASH_AT.endsWith('.take') && result === undefined;
  if (!claimedNothing && !tookNothing) countDown();
  return result;
}

function countDown(): void {
  callsLeft -= 1;
  if (callsLeft === 0) process.kill(process.pid, 'SIGKILL');
}
