import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unknownGeo } from '../../src/domain/geo.ts';
import { readEnquiry } from '../../src/domain/leads/enquiry.ts';
import { chainsOf } from '../../src/flows/store-logged-leads.ts';
import type { Capture } from '../../src/store/leads/submission.ts';

function aCapture(name: string, form: Record<string, string>, ip = '192.0.2.1'): Capture {
  return {
    enquiry: readEnquiry(form, { at: 0, ip, headers: {}, locate: unknownGeo }),
    submissionPublicId: name,
  } as Capture;
}

function chainNames(leads: readonly Capture[]): string[] {
  return chainsOf(leads)
    .map((chain) => chain.map(({ submissionPublicId }) => submissionPublicId).join(' '))
    .toSorted();
}

test('leads of one person follow each other in the order in which they came, others go side by side', () => {
  const leads = [
    aCapture('1', { email: 'a@example.com' }),
    aCapture('2', { email: 'b@example.com' }),
    aCapture('3', { email: 'a@example.com', phone: '+49 151 23456789' }),
    aCapture('4', { email: 'c@example.com' }),
    aCapture('5', { email: 'd@example.com', phone: '+49 151 23456789' }),
    aCapture('6', { email: 'd@example.com' }),
  ];
  assert.deepEqual(chainNames(leads), ['1 3 5 6', '2', '4']);
});

test('two chains that turn out to be one person keep the order of all', () => {
  const leads = [
    aCapture('1', { email: 'a@example.com' }),
    aCapture('2', { email: 'b@example.com' }),
    aCapture('3', { email: 'b@example.com' }),
    aCapture('4', { email: 'a@example.com', phone: '+49 151 23456789' }),
    aCapture('5', { email: 'b@example.com', phone: '+49 151 23456789' }),
  ];
  assert.deepEqual(chainNames(leads), ['1 2 3 4 5']);
});

test('an address links leads only where there is nothing else to know a person by', () => {
  const leads = [
    aCapture('1', { email: 'a@example.com' }),
    aCapture('2', { email: 'b@example.com' }),
    aCapture('3', { name: 'A' }),
    aCapture('4', { name: 'B' }),
    aCapture('5', { name: 'C' }, '192.0.2.2'),
  ];
  assert.deepEqual(chainNames(leads), ['1', '2', '3 4', '5']);
});

test('an address links all leads where a filled honeypot may block it', () => {
  const leads = [
    aCapture('1', { email: 'a@example.com' }),
    aCapture('2', { email: 'b@example.com', __pg_hp: 'filled' }),
    aCapture('3', { email: 'c@example.com' }),
    aCapture('4', { email: 'd@example.com' }, '192.0.2.2'),
  ];
  assert.deepEqual(chainNames(leads), ['1 2 3', '4']);
});
