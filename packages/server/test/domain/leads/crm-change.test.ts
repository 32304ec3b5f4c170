import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CrmMapping, crmChange } from '../../../src/domain/leads/crm-change.ts';

const MAPPING: CrmMapping = {
  stages: [
    { field: 'status', value: 'Closed Won', stage: 'won' },
    { field: 'deal.stage', value: '7', stage: 'qualified' },
    { field: 'is_junk', value: 'true', stage: 'fake' },
  ],
  valueFields: ['value', 'deal.amount'],
};
const change = (body: unknown) => crmChange(body, MAPPING);

test('the first rule that holds decides, by name or path, without regard to case and space', () => {
  assert.equal(change({ status: ' closed WON ' }).status, 'won');
  assert.equal(change({ deal: { stage: 7 } }).status, 'qualified');
  assert.equal(change({ 'deal.stage': '7' }).status, 'qualified');
  assert.equal(change({ is_junk: true }).status, 'fake');
  assert.equal(change({ status: 'closed won', is_junk: true }).status, 'won');
});

test('anything else moves nothing', () => {
  for (const body of [
    {},
    null,
    'closed won',
    [],
    { status: null },
    { status: ['Closed Won'] },
    { deal: '7' },
    { deal: null },
    { status: 'open' },
    JSON.parse('{"__proto__": {"status": "Closed Won"}}'),
  ]) {
    assert.equal(change(body).status, undefined, JSON.stringify(body));
  }
});

test('the first field with a number says what the lead is worth', () => {
  assert.equal(change({ value: 12.5 }).value, 12.5);
  assert.equal(change({ value: ' 1200.50 ' }).value, 1200.5);
  assert.equal(change({ value: null, deal: { amount: 3 } }).value, 3);
  assert.equal(change({ value: 0, deal: { amount: 3 } }).value, 0);
});

test('what is no amount changes nothing', () => {
  for (const value of ['1,200', '1.200,50', '12 €', '', -1, 1e12, Number.NaN, true, {}, [5]]) {
    assert.equal(change({ value }).value, undefined, String(value));
  }
});
