import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeGiveWay } from '../../src/flows/give-way.ts';

const WORKED_MS = 50;

function work(): void {
  const until = performance.now() + WORKED_MS;
  while (performance.now() < until);
}

/** How long it paused after each of two pieces of work that kept the thread busy. */
async function pauses(): Promise<number[]> {
  // Before its first turn nothing is known about the event loop.
  await sleep(1);
  const giveWay = makeGiveWay({ busyFrom: 0.6, restFactor: 4 });
  const paused: number[] = [];
  for (const turn of [0, 1]) {
    work();
    paused[turn] = 0;
    await giveWay(WORKED_MS, async (ms) => {
      paused[turn] = (paused[turn] ?? 0) + ms;
      await sleep(ms);
    });
  }
  return paused;
}

describe('giving way', () => {
  test('its own work does not make it pause longer than it takes to see that nobody else is there', async () => {
    for (const paused of await pauses()) assert.ok(paused > 0 && paused <= 40, `${paused} ms`);
  });

  test('requests that keep the thread busy come first, up to a share of the time', async () => {
    let isBusy = true;
    const request = () => {
      for (const until = performance.now() + 2; performance.now() < until; );
      if (isBusy) setImmediate(request);
    };
    request();
    try {
      assert.deepEqual(await pauses(), [4 * WORKED_MS, 4 * WORKED_MS]);
    } finally {
      isBusy = false;
    }
  });
});
