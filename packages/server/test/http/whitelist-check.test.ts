import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aClock } from '@leadtrail/testing/clock';
import { makeWhitelistCheck } from '../../src/http/whitelist-check.ts';
import { DAY_MS, SECOND_MS } from '../../src/lib/utc-time.ts';

test('an address is looked up again after a few seconds, and after the clock was set back', async () => {
  const clock = aClock();
  let lookUps = 0;
  const isWhitelisted = makeWhitelistCheck(
    async () => {
      lookUps += 1;
      return { list: 'whitelisted' };
    },
    clock.now,
    () => false,
  );
  const lookUpsAfter = async (ms: number) => {
    clock.advance(ms);
    assert.equal(await isWhitelisted('91.0.0.1'), true);
    return lookUps;
  };
  assert.equal(await lookUpsAfter(0), 1);
  assert.equal(await lookUpsAfter(4 * SECOND_MS), 1);
  assert.equal(await lookUpsAfter(SECOND_MS), 2);
  assert.equal(await lookUpsAfter(-DAY_MS), 3);
  assert.equal(await lookUpsAfter(4 * SECOND_MS), 3);
});
