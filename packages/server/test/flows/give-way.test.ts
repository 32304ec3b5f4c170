import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeGiveWay } from '../../src/flows/give-way.ts';

const WORKED_MS = 50;
const REST_FACTOR = 4;
const REST_MS = REST_FACTOR * WORKED_MS;

function work(): void {
  const until = performance.now() + WORKED_MS;
  while (performance.now() < until);
}

/** For how long it asked to pause after each of two pieces of work that kept the thread busy, and how long that took. */
async function pauses(): Promise<{ askedMs: number; tookMs: number }[]> {
  // Before its first turn nothing is known about the event loop.
  await sleep(1);
  const giveWay = makeGiveWay({ busyFrom: 0.6, restFactor: REST_FACTOR });
  const paused: { askedMs: number; tookMs: number }[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    work();
    const startedAt = performance.now();
    let askedMs = 0;
    await giveWay(WORKED_MS, async (ms) => {
      askedMs += ms;
      await sleep(ms);
    });
    paused.push({ askedMs, tookMs: performance.now() - startedAt });
  }
  return paused;
}

describe('giving way', () => {
  test('its own work does not make it pause longer than it takes to see that nobody else is there', async () => {
    for (const { askedMs } of await pauses()) assert.ok(askedMs > 0 && askedMs <= 40, `${askedMs} ms`);
  });

  test('requests that keep the thread busy come first, up to a share of the time', async () => {
    let isBusy = true;
    const request = () => {
      for (const until = performance.now() + 2; performance.now() < until; );
      if (isBusy) setImmediate(request);
    };
    request();
    try {
      for (const { askedMs, tookMs } of await pauses()) {
        assert.ok(tookMs > 0.9 * REST_MS, `${tookMs} ms`);
        assert.ok(askedMs <= REST_MS, `${askedMs} ms`);
      }
    } finally {
      isBusy = false;
    }
  });
});
