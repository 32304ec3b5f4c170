import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Question } from '@leadtrail/contract/questions';
import { offsetsOf, readPeriods, readTimeZone } from '../../../src/domain/questions/periods.ts';
import { HOUR_MS } from '../../../src/lib/utc-time.ts';

/** A Monday. */
const NOW = Date.parse('2026-11-16T10:35:00Z');

function periodsOf(period: Question['period'], compare?: Question['compare'], zone = 'UTC', now = NOW) {
  return readPeriods({ period, compare }, zone, now);
}

const days = ({ from, to }: { from: string; to: string }) => `${from} ${to}`;
const iso = (at: number) => new Date(at).toISOString();

test('periods are whole days, the last one included', () => {
  const expected: [Question['period'], string, boolean][] = [
    ['today', '2026-11-16 2026-11-16', true],
    ['yesterday', '2026-11-15 2026-11-15', false],
    ['last_7_days', '2026-11-10 2026-11-16', true],
    ['last_30_days', '2026-10-18 2026-11-16', true],
    ['last_3_days', '2026-11-14 2026-11-16', true],
    ['this_month', '2026-11-01 2026-11-30', true],
    ['last_month', '2026-10-01 2026-10-31', false],
    ['this_year', '2026-01-01 2026-12-31', true],
    [{ from: '2026-02-01', to: '2026-02-28' }, '2026-02-01 2026-02-28', false],
  ];
  for (const [period, text, isPartial] of expected) {
    const { period: found } = periodsOf(period);
    assert.equal(days(found), text);
    assert.equal(found.isPartial, isPartial, text);
  }
});

test('days begin at midnight of the time zone, also when clocks change', () => {
  const { period } = periodsOf({ from: '2026-03-29', to: '2026-03-29' }, undefined, 'Europe/Berlin');
  assert.equal(iso(period.start), '2026-03-28T23:00:00.000Z');
  assert.equal(period.end - period.start, 23 * HOUR_MS);
  const autumn = periodsOf({ from: '2026-10-25', to: '2026-10-25' }, undefined, 'Europe/Berlin').period;
  assert.equal(autumn.end - autumn.start, 25 * HOUR_MS);
});

test('today is that of the time zone', () => {
  const late = Date.parse('2026-11-16T23:30:00Z');
  assert.equal(periodsOf('today', undefined, 'Europe/Berlin', late).period.from, '2026-11-17');
  assert.equal(periodsOf('today', undefined, 'America/New_York', late).period.from, '2026-11-16');
});

test('a period that is not over is compared with the same part of the other', () => {
  const { previous } = periodsOf('last_7_days', 'previous_period');
  assert.equal(previous && days(previous), '2026-11-03 2026-11-09');
  assert.equal(iso(previous?.end ?? 0), '2026-11-09T10:35:00.000Z');
  const month = periodsOf('this_month', 'previous_period').previous;
  assert.equal(month?.from, '2026-10-01');
  assert.equal(iso(month?.end ?? 0), '2026-10-16T10:35:00.000Z');
  const year = periodsOf('this_month', 'previous_year').previous;
  assert.equal(iso(year?.end ?? 0), '2025-11-16T10:35:00.000Z');
});

test('the same part is that by the clock on the wall', () => {
  const spring = Date.parse('2026-03-29T08:35:00Z');
  const { previous } = periodsOf('today', 'previous_period', 'Europe/Berlin', spring);
  // 10:35 in both, before the change an hour later in UTC.
  assert.equal(iso(previous?.end ?? 0), '2026-03-28T09:35:00.000Z');
});

test('a period that is over is compared with a whole one', () => {
  const month = periodsOf('last_month', 'previous_period').previous;
  assert.equal(month && days(month), '2026-09-01 2026-09-30');
  assert.equal(iso(month?.end ?? 0), '2026-10-01T00:00:00.000Z');
  const leap = periodsOf({ from: '2024-02-29', to: '2024-02-29' }, 'previous_year').previous;
  assert.equal(leap?.from, '2023-02-28');
  const other = periodsOf('yesterday', { from: '2026-01-01', to: '2026-01-31' }).previous;
  assert.equal(other && days(other), '2026-01-01 2026-01-31');
});

test('what makes no sense is refused with what is allowed', () => {
  const refused: [Question['period'], Question['compare'] | undefined, RegExp][] = [
    ['fortnight', undefined, /period must be one of today, yesterday/],
    ['last_0_days', undefined, /period must be one of/],
    [{ from: '2026-02-30', to: '2026-03-01' }, undefined, /period\.from must be a date that exists/],
    [{ from: '2026-03-02', to: '2026-03-01' }, undefined, /period\.from must not be after to/],
    ['all', 'previous_period', /compare cannot be combined with the period all/],
    ['today', 'last_week', /compare must be one of previous_period, previous_year/],
  ];
  for (const [period, compare, message] of refused)
    assert.throws(() => periodsOf(period, compare), { message });
  assert.throws(() => readTimeZone('Mars/Olympus'), /timezone must be a time zone/);
});

test('all changes of the clock between two moments are known', () => {
  const offsets = offsetsOf('Europe/Berlin', Date.parse('2026-01-01'), Date.parse('2027-01-01'));
  assert.deepEqual(
    offsets.map(({ from, offsetMs }) => [iso(from), offsetMs / HOUR_MS]),
    [
      ['2026-01-01T00:00:00.000Z', 1],
      ['2026-03-29T01:00:00.000Z', 2],
      ['2026-10-25T01:00:00.000Z', 1],
    ],
  );
});
