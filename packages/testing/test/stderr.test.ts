import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { startService } from '@leadtrail/testing/service';
import { assertSilent, watchStderr } from '@leadtrail/testing/stderr';

test('what this thread, a worker or Node itself writes to stderr is noticed', async () => {
  const stderr = watchStderr();
  console.error('a stack');
  process.emitWarning('too many listeners', 'MaxListenersExceededWarning');
  process.emitWarning('try this', 'ExperimentalWarning');
  await once(new Worker('console.error("from a worker")', { eval: true }), 'exit');
  assert.match(stderr(), /^a stack\n/);
  assert.match(stderr(), /from a worker/);
  assert.match(stderr(), /MaxListenersExceededWarning: too many listeners/);
  assert.doesNotMatch(stderr(), /ExperimentalWarning/);
});

test('a service that has written to stderr fails when it is closed, unless that was expected', async () => {
  const service = await startService('sqlite', { stderr: /^expected/ });
  console.error('expected of this test');
  console.error('a stack');
  await assert.rejects(service.close(), /a stack/);
  assert.doesNotThrow(() => assertSilent('expected\n', /^expected/));
});
