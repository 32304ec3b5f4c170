import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const PATIENCE_MS = 30_000;
const PAUSE_MS = 50;

/** Reads until the value is as expected: the page, or the service behind it, may not have finished the last action. */
export async function shows(
  read: () => Promise<unknown>,
  expected: unknown,
  message?: string,
): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  let value = await read();
  while (!isAs(value, expected) && performance.now() < end) {
    await sleep(PAUSE_MS);
    value = await read();
  }
  const described = message === undefined ? undefined : () => message;
  if (expected instanceof RegExp) assert.match(String(value), expected, described);
  else assert.deepEqual(value, expected, described);
}

function isAs(value: unknown, expected: unknown): boolean {
  return expected instanceof RegExp ? expected.test(String(value)) : isDeepStrictEqual(value, expected);
}
