import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unknownGeo } from '../../../src/domain/geo.ts';
import { decideCapture, type SenderFacts } from '../../../src/domain/leads/decide-capture.ts';
import { type Enquiry, readEnquiry } from '../../../src/domain/leads/enquiry.ts';

function anEnquiry(fields: Record<string, string> | null, headers: Record<string, string> = {}): Enquiry {
  return readEnquiry(fields, { at: 0, ip: '203.0.113.7', locate: unknownGeo, headers });
}

const FORM = anEnquiry({ siteKey: 'site', formId: 'form' }, { origin: 'https://example.com' });
const FAILED: Enquiry = { ...FORM, spamCheck: 'refused' };
const SERVER = anEnquiry({}, { 'x-api-key': 'lt_lead_key' });
const UNKNOWN: SenderFacts = { callerRule: null, personRule: null, site: null, integration: null };
const SITE = { enabled: true, domains: ['example.com'], formEnabled: true };
const BLOCKED = { list: 'blocked', usage: 'internal' } as const;
const TESTER = { list: 'whitelisted', usage: 'test' } as const;
const COLLEAGUE = { list: 'whitelisted', usage: 'internal' } as const;
/** The caller is the person. */
const ruled = (rule: SenderFacts['callerRule']) => ({ callerRule: rule, personRule: rule });

const CASES: readonly [name: string, Enquiry, Partial<SenderFacts>, kind: string, reason?: string][] = [
  ['a form of an enabled site and form', FORM, { site: SITE }, 'accepted'],
  ['a server with the key of an enabled integration', SERVER, { integration: { enabled: true } }, 'accepted'],
  ['an internal address', FORM, { site: SITE, ...ruled(COLLEAGUE) }, 'accepted'],
  ['a test address', FORM, { site: SITE, ...ruled(TESTER) }, 'testing'],
  ['a blocked address', FORM, { site: SITE, ...ruled(BLOCKED) }, 'rejected'],
  ['a blocked address with a wrong key', SERVER, { ...ruled(BLOCKED) }, 'rejected'],
  ['a blocked address with an unreadable body', anEnquiry(null), { ...ruled(BLOCKED) }, 'rejected'],
  ['an unreadable body', anEnquiry(null), {}, 'refused', 'unreadable'],
  ['a key that belongs to no integration', SERVER, {}, 'refused', 'invalid_key'],
  ['a disabled integration', SERVER, { integration: { enabled: false } }, 'refused', 'invalid_key'],
  ['a test address with a wrong key', SERVER, { ...ruled(TESTER) }, 'refused', 'invalid_key'],
  ['neither key nor form', anEnquiry({}), {}, 'refused', 'no_credentials'],
  ['a form without its id', anEnquiry({ siteKey: 'site' }), { site: SITE }, 'refused', 'no_credentials'],
  ['an unknown site', FORM, {}, 'refused', 'unknown_form'],
  ['an unknown form', FORM, { site: { ...SITE, formEnabled: null } }, 'refused', 'unknown_form'],
  [
    'another domain',
    FORM,
    { site: { ...SITE, domains: ['other.example'] } },
    'refused',
    'domain_not_allowed',
  ],
  ['no page', anEnquiry({ siteKey: 's', formId: 'f' }), { site: SITE }, 'refused', 'domain_not_allowed'],
  ['a disabled site', FORM, { site: { ...SITE, enabled: false } }, 'refused', 'disabled'],
  ['a form that failed its spam check', FAILED, { site: SITE }, 'refused', 'spam_check_failed'],
  ['a test address that failed it', FAILED, { site: SITE, ...ruled(TESTER) }, 'testing'],
  ['a blocked address that failed it', FAILED, { site: SITE, ...ruled(BLOCKED) }, 'rejected'],
  ['a disabled form', FORM, { site: { ...SITE, formEnabled: false } }, 'refused', 'disabled'],
];

for (const [name, enquiry, facts, kind, reason] of CASES) {
  test(`${name}: ${reason ?? kind}`, () => {
    assert.deepEqual(decideCapture(enquiry, { ...UNKNOWN, ...facts }), reason ? { kind, reason } : { kind });
  });
}
