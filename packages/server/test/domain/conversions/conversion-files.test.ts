import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { adClick } from '../../../src/domain/conversions/ad-click.ts';
import { type Conversion, conversionFile } from '../../../src/domain/conversions/conversion-files.ts';
import type { OriginVisit } from '../../../src/domain/leads/touches.ts';

const AT = Date.parse('2026-11-05T16:40:09.500Z');
const CLICKED_AT = Date.parse('2026-11-02T08:00:00Z');

function aConversion(more: Partial<Conversion> = {}): Conversion {
  return {
    leadPublicId: '0199a1b2-0000-7000-8000-000000000001',
    at: AT,
    clickId: 'EAIaIQobChMI_x-1',
    clickedAt: CLICKED_AT,
    email: 'ada.lovelace@example.org',
    phone: '+919876543210',
    value: 12500.5,
    ...more,
  };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const USUAL = { name: undefined, currency: 'EUR' };

/** Headers and lines as the platforms' own templates and sample files have them. */
test('Google: the columns of the template, ISO time with its zone, hashes for enhanced conversions', () => {
  const { head, line } = conversionFile('google', 'won', { ...USUAL, name: 'Sale, signed' });
  assert.equal(
    head,
    'Google Click ID,Conversion Name,Conversion Time,Conversion Value,Conversion Currency,Order ID,Email,Phone Number\r\n',
  );
  assert.equal(
    line(aConversion()),
    'EAIaIQobChMI_x-1,"Sale, signed",2026-11-05T16:40:09+00:00,12500.5,EUR,0199a1b2-0000-7000-8000-000000000001,' +
      `${sha256('ada.lovelace@example.org')},${sha256('+919876543210')}\r\n`,
  );
});

test('Google: dots in addresses of its own do not count', () => {
  const { line } = conversionFile('google', 'lead', USUAL);
  assert.ok(line(aConversion({ email: 'a.d.a@gmail.com' })).includes(sha256('ada@gmail.com')));
  assert.ok(line(aConversion({ email: 'a.d.a@example.com' })).includes(sha256('a.d.a@example.com')));
});

test('Microsoft: the zone in a line of its own, the columns of the template, hashed columns', () => {
  const { head, line } = conversionFile('microsoft', 'qualified', USUAL);
  assert.equal(
    head,
    'Parameters:TimeZone=+0000\r\nMicrosoft Click ID,Conversion Name,Conversion Time,Conversion Value,Conversion Currency,Hashed Email Address,Hashed Phone Number\r\n',
  );
  assert.equal(
    line(aConversion({ clickId: 'f894f652ea334e739002f7167ab8f8e3' })),
    `f894f652ea334e739002f7167ab8f8e3,Qualified lead,2026-11-05 16:40:09,12500.5,EUR,${sha256('ada.lovelace@example.org')},${sha256('+919876543210')}\r\n`,
  );
});

test('Meta: the click as its cookie has it, phone as digits, standard events', () => {
  const { head, line } = conversionFile('meta', 'won', USUAL);
  assert.equal(head, 'event_name,event_time,value,currency,order_id,fbc,email,phone\r\n');
  assert.equal(
    line(aConversion({ clickId: 'IwAR1abc' })),
    'Purchase,2026-11-05T16:40:09+00:00,12500.5,EUR,0199a1b2-0000-7000-8000-000000000001,' +
      `fb.1.${CLICKED_AT}.IwAR1abc,${sha256('ada.lovelace@example.org')},${sha256('919876543210')}\r\n`,
  );
});

test('what is not known is empty, the currency of nothing too', () => {
  const { line } = conversionFile('google', 'lead', USUAL);
  assert.equal(
    line(aConversion({ value: null, email: null, phone: null })),
    'EAIaIQobChMI_x-1,Lead,2026-11-05T16:40:09+00:00,,,0199a1b2-0000-7000-8000-000000000001,,\r\n',
  );
});

test('a name that a spreadsheet would run is defused', () => {
  const { line } = conversionFile('google', 'lead', { ...USUAL, name: '=1+1' });
  assert.ok(line(aConversion()).includes(",'=1+1,"));
});

const lead = { campaign: {}, referer: 'https://www.example.com/', enquiry_at: AT };
const touch = (entry_page: string, started_at: number) => ({ entry_page, started_at }) as OriginVisit;

test('the click is the latest of the platform, even if another brought the last visit', () => {
  const touches = [
    touch('https://www.example.com/?gclid=first', 1),
    touch('https://www.example.com/?gclid=second&utm_source=x', 2),
    touch('https://www.example.com/?fbclid=IwAR1', 3),
    touch('https://www.example.com/', 4),
  ];
  assert.deepEqual(adClick('google', lead, touches), { clickId: 'second', clickedAt: 2 });
  assert.deepEqual(adClick('meta', lead, touches), { clickId: 'IwAR1', clickedAt: 3 });
  assert.equal(adClick('microsoft', lead, touches), undefined);
});

test('the click of the form counts, with the time of the visit that it repeats', () => {
  const touches = [touch('https://www.example.com/?gclid=abc', 1)];
  assert.deepEqual(adClick('google', { ...lead, campaign: { gclid: 'abc' } }, touches), {
    clickId: 'abc',
    clickedAt: 1,
  });
  assert.deepEqual(adClick('google', { ...lead, campaign: { gclid: 'other' } }, touches), {
    clickId: 'other',
    clickedAt: AT,
  });
});

test('what cannot be a click id is none', () => {
  for (const gclid of ['=1+1', '-2+3', '@SUM(A1)', 'a b', 'a,b', '']) {
    assert.equal(adClick('google', { ...lead, campaign: { gclid } }, []), undefined, gclid);
  }
});
