import assert from 'node:assert/strict';
import { test } from 'node:test';
import { submissionPeriod } from '../../../src/domain/leads/submission-period.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/lib/utc-time.ts';

const MIDNIGHT = Date.parse('2026-03-10T00:00:00.000Z');

const range = (date_from?: string, date_to?: string) =>
  submissionPeriod({ period: 'range', date_from, date_to }, MIDNIGHT);

test('today and yesterday are UTC days', () => {
  for (const now of [MIDNIGHT, MIDNIGHT + 12 * HOUR_MS, MIDNIGHT + DAY_MS - 1]) {
    assert.deepEqual(submissionPeriod({ period: 'today' }, now), {
      from: MIDNIGHT,
      until: MIDNIGHT + DAY_MS,
    });
    assert.deepEqual(submissionPeriod({ period: 'yesterday' }, now), {
      from: MIDNIGHT - DAY_MS,
      until: MIDNIGHT,
    });
  }
  assert.equal(submissionPeriod({ period: 'today' }, MIDNIGHT - 1).from, MIDNIGHT - DAY_MS);
});

test('dates are used when period is range, and not otherwise', () => {
  const dates = { date_from: '2020-01-01', date_to: '2020-01-02' };
  assert.equal(submissionPeriod({ period: 'today', ...dates }, MIDNIGHT).from, MIDNIGHT);
  assert.equal(submissionPeriod({ period: 'yesterday', ...dates }, MIDNIGHT).until, MIDNIGHT);
  assert.deepEqual(submissionPeriod({ period: 'range', ...dates }, MIDNIGHT), {
    from: Date.parse('2020-01-01T00:00:00Z'),
    until: Date.parse('2020-01-03T00:00:00Z'),
  });
});

test('a date is its whole UTC day, at both ends', () => {
  assert.deepEqual(range('2026-03-10', '2026-03-10'), { from: MIDNIGHT, until: MIDNIGHT + DAY_MS });
});

test('a datetime is inclusive: the second it names, or the millisecond', () => {
  assert.equal(range('2026-03-10T12:00:00Z').from, MIDNIGHT + 12 * HOUR_MS);
  assert.equal(range(undefined, '2026-03-10T12:00:00Z').until, MIDNIGHT + 12 * HOUR_MS + SECOND_MS);
  assert.equal(range('2026-03-10T12:00:00.250Z').from, MIDNIGHT + 12 * HOUR_MS + 250);
  assert.equal(range(undefined, '2026-03-10T12:00:00.250Z').until, MIDNIGHT + 12 * HOUR_MS + 251);
});

test('a datetime without a zone is UTC, and one with a zone is moved there', () => {
  const noon = MIDNIGHT + 12 * HOUR_MS;
  for (const text of [
    '2026-03-10T12:00:00',
    '2026-03-10 12:00:00',
    '2026-03-10T12:00',
    '2026-03-10 12:00:00Z',
    '2026-03-10T12:00:00z',
    '2026-03-10T14:00:00+02:00',
    '2026-03-10T17:30:00+0530',
    '2026-03-10T04:00-08:00',
  ]) {
    assert.equal(range(text).from, noon, text);
  }
});

test('a missing bound is open', () => {
  assert.equal(range(undefined, '2026-03-10').from, 0);
  assert.ok(range('2026-03-10').until > Date.parse('9999-01-01T00:00:00Z'));
  const { from, until } = range();
  assert.ok(from <= 0 && until > Date.parse('9999-01-01T00:00:00Z'));
});

test('a bound beyond all days is open too', () => {
  for (const text of ['9999-12-31', '9999-12-31T23:59:59-12:00'])
    assert.deepEqual(range('2026-03-10', text), range('2026-03-10'));
  for (const text of ['0000-01-01', '0000-01-01T00:00:00+12:00']) assert.deepEqual(range(text), range());
});
