import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  RECENT_MS,
  RECENT_SUBMISSIONS_MAX,
  type SuspicionSigns,
  suspicion,
} from '../../../src/domain/leads/suspicion.ts';

function signs(found: Partial<SuspicionSigns> = {}): SuspicionSigns {
  return {
    honeypot: false,
    timeToSubmitS: 42,
    browserForm: true,
    recentSubmissions: 1,
    vpnSuspected: false,
    botAgent: false,
    hasContact: true,
    ...found,
  };
}

test('an ordinary submission is not suspicious', () => {
  assert.deepEqual(suspicion(signs()), { score: 0, reasons: '' });
});

test('each sign has its points and its reason', () => {
  const table: readonly (readonly [Partial<SuspicionSigns>, number, string])[] = [
    [{ honeypot: true }, 100, 'honeypot filled'],
    [{ timeToSubmitS: 1.9 }, 40, 'submitted in under 2 seconds'],
    [{ timeToSubmitS: 4.9 }, 20, 'submitted in under 5 seconds'],
    [{ timeToSubmitS: null }, 10, 'time to submit missing'],
    [{ recentSubmissions: 4 }, 30, 'more than 3 submissions in 10 minutes'],
    [{ vpnSuspected: true }, 15, 'VPN suspected'],
    [{ botAgent: true }, 40, 'bot user agent'],
    [{ hasContact: false }, 30, 'no contact details'],
    [{ spamCheck: 'passed' }, 0, ''],
    [{ spamCheck: 'failed' }, 40, 'spam check failed'],
    [{ spamCheck: 'unavailable' }, 5, 'spam check not available'],
  ];
  for (const [found, score, reasons] of table) assert.deepEqual(suspicion(signs(found)), { score, reasons });
});

test('the time to submit counts below 2 and below 5 seconds', () => {
  const scores: readonly (readonly [number, number])[] = [
    [0, 40],
    [1.999, 40],
    [2, 20],
    [4.999, 20],
    [5, 0],
    [86_400, 0],
  ];
  for (const [timeToSubmitS, score] of scores) {
    assert.equal(suspicion(signs({ timeToSubmitS })).score, score, String(timeToSubmitS));
    assert.equal(suspicion(signs({ timeToSubmitS, browserForm: false })).score, score, String(timeToSubmitS));
  }
});

test('a missing time to submit counts in browser mode only', () => {
  assert.equal(suspicion(signs({ timeToSubmitS: null, browserForm: true })).score, 10);
  assert.deepEqual(suspicion(signs({ timeToSubmitS: null, browserForm: false })), { score: 0, reasons: '' });
});

test('more than 3 submissions in 10 minutes are suspicious, 3 are not', () => {
  assert.equal(RECENT_MS, 600_000);
  assert.equal(RECENT_SUBMISSIONS_MAX, 3);
  assert.equal(suspicion(signs({ recentSubmissions: 3 })).score, 0);
  assert.equal(suspicion(signs({ recentSubmissions: 4 })).score, 30);
  assert.equal(suspicion(signs({ recentSubmissions: 400 })).score, 30);
});

test('points add up and reasons are joined by a comma and a space', () => {
  assert.deepEqual(suspicion(signs({ timeToSubmitS: 3, vpnSuspected: true, hasContact: false })), {
    score: 65,
    reasons: 'submitted in under 5 seconds, VPN suspected, no contact details',
  });
});

test('the sum is capped at 100 and every reason is still named', () => {
  const all = signs({
    honeypot: true,
    timeToSubmitS: 0,
    recentSubmissions: 9,
    vpnSuspected: true,
    botAgent: true,
    hasContact: false,
  });
  const { score, reasons } = suspicion(all);
  assert.equal(score, 100);
  assert.equal(reasons.split(', ').length, 6);
});

test('the score is a whole number from 0 to 100, and 0 exactly when there is no reason', () => {
  const anySigns = fc.record({
    honeypot: fc.boolean(),
    timeToSubmitS: fc.option(fc.double({ min: 0, max: 86_400, noNaN: true })),
    browserForm: fc.boolean(),
    recentSubmissions: fc.nat(20),
    vpnSuspected: fc.boolean(),
    botAgent: fc.boolean(),
    hasContact: fc.boolean(),
  });
  fc.assert(
    fc.property(anySigns, (found) => {
      const { score, reasons } = suspicion(found);
      assert.ok(Number.isInteger(score) && score >= 0 && score <= 100);
      assert.equal(score === 0, reasons === '');
    }),
  );
});
