import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type FailedAttempt,
  isDelivered,
  nextAttemptAt,
  RETRY_DELAYS_MS,
} from '../../../src/domain/delivery/retry-delay.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/lib/utc-time.ts';

const NOW = Date.parse('2026-05-01T12:00:00.000Z');
const ATTEMPTS_MAX = 8;
const noJitter = () => 0;
const httpDate = (at: number) => new Date(at).toUTCString();

function failed(attempt: Partial<FailedAttempt> = {}): FailedAttempt {
  return { attempts: 1, statusCode: 500, retryAfter: undefined, ...attempt };
}

function delay(attempt: Partial<FailedAttempt>, random: () => number = noJitter): number {
  return (nextAttemptAt(failed(attempt), NOW, random) ?? Number.NaN) - NOW;
}

test('only an answer of the 200s is a delivery', () => {
  for (const status of [200, 201, 202, 204, 299]) assert.equal(isDelivered(status), true);
  for (const status of [null, 0, 101, 199, 300, 302, 400, 410, 500]) assert.equal(isDelivered(status), false);
});

test('any other answer is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h', () => {
  const minutes = [5 / 60, 5, 30, 120, 300, 600, 600];
  for (const statusCode of [null, 302, 400, 404, 429, 500, 503]) {
    const delays = minutes.map((_, i) => delay({ attempts: i + 1, statusCode }));
    assert.deepEqual(
      delays,
      minutes.map((minute) => Math.round(minute * MINUTE_MS)),
    );
  }
  assert.equal(RETRY_DELAYS_MS.length, ATTEMPTS_MAX - 1);
});

test('the eighth attempt is the last', () => {
  assert.notEqual(nextAttemptAt(failed({ attempts: 7 }), NOW, noJitter), null);
  assert.equal(nextAttemptAt(failed({ attempts: 8 }), NOW, noJitter), null);
  assert.equal(nextAttemptAt(failed({ attempts: 8, retryAfter: '5' }), NOW, noJitter), null);
});

test('410 stops', () => {
  assert.equal(nextAttemptAt(failed({ statusCode: 410 }), NOW, noJitter), null);
  assert.equal(nextAttemptAt(failed({ statusCode: 410, retryAfter: '5' }), NOW, noJitter), null);
});

test('jitter comes later than the schedule, by a tenth at most', () => {
  assert.equal(
    delay({}, () => 0.5),
    5250,
  );
  assert.equal(
    delay({ attempts: 7 }, () => 1),
    11 * HOUR_MS,
  );
});

test('Retry-After in seconds or as a date moves the attempt later', () => {
  assert.equal(delay({ retryAfter: '120' }), 2 * MINUTE_MS);
  assert.equal(delay({ retryAfter: ' 120 ' }), 2 * MINUTE_MS);
  assert.equal(delay({ retryAfter: httpDate(NOW + HOUR_MS) }), HOUR_MS);
  assert.equal(delay({ retryAfter: 'Friday, 01-May-26 13:00:00 GMT' }), HOUR_MS);
});

test('Retry-After never moves the attempt earlier', () => {
  const attempts = 3;
  for (const retryAfter of ['0', '1', httpDate(NOW), httpDate(NOW - DAY_MS), httpDate(NOW + SECOND_MS)]) {
    assert.equal(delay({ attempts, retryAfter }), 30 * MINUTE_MS, retryAfter);
  }
});

test('Retry-After is respected up to 24 hours', () => {
  for (const retryAfter of ['86400', '86401', '9'.repeat(400), httpDate(NOW + 400 * DAY_MS)]) {
    assert.equal(delay({ retryAfter }), DAY_MS, retryAfter);
    assert.equal(
      delay({ retryAfter }, () => 1),
      DAY_MS,
      retryAfter,
    );
  }
});

test('a Retry-After that is neither is ignored', () => {
  const wrong = ['', 'soon', '-5', '1.5', '1e9', '0x10', '2099-01-01', 'maybe 2099', 'Mon, 2099 GMT x'];
  for (const retryAfter of [...wrong, 'Someday, 99 GMT', 'Mon, GMT']) {
    assert.equal(delay({ retryAfter }), 5 * SECOND_MS, retryAfter);
  }
});

test('whatever the target says, an attempt comes in its order, not before the schedule and within 24 hours', () => {
  const retryAfter = fc.option(
    fc.oneof(
      fc.string(),
      fc.nat().map(String),
      fc.date({ noInvalidDate: true }).map((d) => d.toUTCString()),
    ),
    { nil: undefined },
  );
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), retryAfter, random, (attempts, text, luck) => {
      const waited = delay({ attempts, retryAfter: text }, () => luck);
      assert.ok(Number.isSafeInteger(waited));
      assert.ok(waited >= (RETRY_DELAYS_MS[attempts - 1] ?? 0) && waited <= DAY_MS);
    }),
    { numRuns: 2000 },
  );
});
