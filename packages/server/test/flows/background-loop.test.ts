import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Loop, startLoop } from '../../src/flows/background-loop.ts';

const NEVER_MS = 600_000;
const BACKOFF = { minMs: 1, maxMs: 1 };

function started(t: TestContext, parts: Partial<Parameters<typeof startLoop>[0]>): Loop {
  const loop = startLoop({ step: ({ idle }) => idle(), backoff: BACKOFF, onFailure: assert.fail, ...parts });
  t.after(() => loop.stop());
  return loop;
}

describe('a background loop', () => {
  test('works off what it was nudged for, also during a step, and is settled then', async (t) => {
    let waiting = 3;
    let done = 0;
    const loop = started(t, {
      async step({ idle }) {
        if (waiting === 0) return idle();
        waiting -= 1;
        await sleep(1);
        done += 1;
        if (done === 3) {
          waiting += 1;
          loop.nudge();
        }
      },
    });
    await loop.settled();
    assert.equal(done, 4);
    await loop.settled();
    waiting = 2;
    loop.nudge();
    await loop.settled();
    assert.equal(done, 6);
  });

  test('tells a nudge from time that has passed', async (t) => {
    const heard: boolean[] = [];
    const loop = started(t, {
      async step({ idle }) {
        heard.push(await idle(heard.length === 0 ? 1 : NEVER_MS));
      },
    });
    while (heard.length === 0) await sleep(1);
    loop.nudge();
    await loop.settled();
    assert.deepEqual(heard, [false, true]);
  });

  test('takes nudges that come together together', async (t) => {
    let steps = 0;
    const loop = started(t, {
      async step({ idle }) {
        steps += 1;
        await idle();
      },
      debounceMs: NEVER_MS,
    });
    for (let i = 0; i < 5; i += 1) {
      loop.nudge();
      await sleep(1);
    }
    assert.equal(steps, 1);
    loop.hurry();
    await loop.settled();
    assert.equal(steps, 2);
  });

  test('goes on after failures, which it counts until a step succeeds', async (t) => {
    const seen: number[] = [];
    const failed: [unknown, number][] = [];
    const loop = started(t, {
      async step({ failures, idle }) {
        seen.push(failures);
        if (seen.length < 4) throw `failure ${seen.length}`;
        if (seen.length > 4) await idle();
      },
      onFailure: (error, failures) => void failed.push([error, failures]),
    });
    await loop.settled();
    assert.deepEqual(seen, [0, 1, 2, 3, 0]);
    assert.deepEqual(failed, [['failure 1', 1], ['failure 2', 2], ['failure 3', 3]]); // biome-ignore format: a table
  });

  test('in a hurry it neither pauses nor backs off for long, but does not spin', async (t) => {
    let paused = false;
    let failures = 0;
    const loop = started(t, {
      async step({ pause, idle }) {
        if (!paused) {
          paused = true;
          await pause(NEVER_MS);
        }
        if (failures === 3) return idle();
        throw new Error('again');
      },
      backoff: { minMs: 5, maxMs: NEVER_MS },
      onFailure: (_, count) => {
        failures = count;
      },
    });
    const startedAt = performance.now();
    loop.hurry();
    await loop.settled();
    assert.equal(failures, 3);
    assert.ok(performance.now() - startedAt >= 3 * 4);
  });

  for (const [what, parts] of Object.entries({
    idle: { step: ({ idle }) => idle() },
    'in a pause': { step: ({ pause }) => pause(NEVER_MS) },
    'backing off': {
      step: () => Promise.reject(new Error('away')),
      backoff: { minMs: NEVER_MS, maxMs: NEVER_MS },
      onFailure: () => undefined,
    },
  } satisfies Record<string, Partial<Parameters<typeof startLoop>[0]>>)) {
    test(`stops at once while it is ${what}, and counts as settled`, async (t) => {
      const loop = started(t, parts);
      await sleep(5);
      await loop.stop();
      loop.nudge();
      await loop.settled();
    });
  }

  test('finishes the step under way before it has stopped', async (t) => {
    let isDone = false;
    const loop = started(t, {
      async step() {
        await sleep(20);
        isDone = true;
      },
    });
    await loop.stop();
    assert.ok(isDone);
  });
});
