import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TOUCHES_MAX, touchesOf } from '../../../src/domain/leads/touches.ts';
import { DAY_MS } from '../../../src/lib/utc-time.ts';

const ENQUIRY_AT = Date.UTC(2026, 5, 18, 12);
const DAYS = 90;

function visit(daysBefore: number, channel: string, session_id = `${daysBefore}`) {
  return { session_id, started_at: ENQUIRY_AT - daysBefore * DAY_MS, channel };
}

const daysOf = (visits: readonly ReturnType<typeof visit>[]) =>
  touchesOf(visits, ENQUIRY_AT, DAYS).map(({ session_id }) => session_id);

test('are the first visit, even a direct one, and every later one that was not direct', () => {
  const visits = [visit(0, 'Direct'), visit(3, 'Paid search'), visit(9, 'Direct'), visit(5, 'Direct')];
  assert.deepEqual(daysOf(visits), ['9', '3']);
  assert.deepEqual(daysOf([visit(3, 'Social'), visit(1, 'Direct')]), ['3']);
  assert.deepEqual(daysOf([visit(3, 'Direct'), visit(1, 'Direct')]), ['3']);
  assert.deepEqual(daysOf([]), []);
});

test('are within the days before the enquiry, its own moment included', () => {
  const visits = [90.001, 90, 1, 0, -0.001].map((days) => visit(days, 'E-mail'));
  assert.deepEqual(daysOf(visits), ['90', '1', '0']);
});

test(`are ${TOUCHES_MAX} at most: the first and the latest`, () => {
  const visits = Array.from({ length: 80 }, (_, i) => visit(80 - i, 'Referral'));
  const touches = daysOf(visits);
  assert.equal(touches.length, TOUCHES_MAX);
  assert.deepEqual([touches[0], touches[1], touches.at(-1)], ['80', '49', '1']);
});

test('are the same in whatever order the visits come, of the same moment too', () => {
  const anyVisit = fc.record({
    session_id: fc.uuid(),
    started_at: fc
      .integer({ min: ENQUIRY_AT - 100 * DAY_MS, max: ENQUIRY_AT })
      .map((at) => at - (at % DAY_MS)),
    channel: fc.constantFrom('Direct', 'Social', 'Paid search'),
  });
  fc.assert(
    fc.property(fc.uniqueArray(anyVisit, { selector: ({ session_id }) => session_id }), (visits) => {
      const touches = touchesOf(visits, ENQUIRY_AT, DAYS);
      assert.deepEqual(touchesOf(visits.toReversed(), ENQUIRY_AT, DAYS), touches);
      assert.ok(touches.slice(1).every(({ channel }) => channel !== 'Direct'));
    }),
  );
});
