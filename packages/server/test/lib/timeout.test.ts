import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '../../src/lib/timeout.ts';

const never = new Promise<string>(() => undefined);
const fail = () => assert.fail('There was time.');

describe('a timeout', () => {
  test('changes nothing for what settles in time', async () => {
    assert.equal(await withTimeout(Promise.resolve('done'), 1000, fail), 'done');
    await assert.rejects(withTimeout(Promise.reject(new Error('broken')), 1000, fail), { message: 'broken' });
    assert.equal(await withTimeout(Promise.resolve('done'), Number.POSITIVE_INFINITY, fail), 'done');
  });

  test('settles in its place with what was asked for: a value, or an error', async () => {
    assert.equal(await withTimeout(never, 1, () => 'late'), 'late');
    await assert.rejects(
      withTimeout(never, 1, () => new Error('late')),
      { message: 'late' },
    );
  });

  test('a promise that rejects afterwards is not left unhandled', async () => {
    const { promise, reject } = Promise.withResolvers<string>();
    assert.equal(await withTimeout(promise, 1, () => 'late'), 'late');
    reject(new Error('too late'));
    await sleep(0);
  });
});
