import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  chooseLead,
  IDENTITY_KINDS,
  type Identity,
  identitiesOf,
  identityKey,
  lookupKinds,
  projectKey,
} from '../../../src/domain/leads/lead-identity.ts';

type Sent = Parameters<typeof identitiesOf>[0];

const IP = '203.0.113.7';

function aSubmission(given: Partial<Sent> = {}): Sent {
  return { visitorId: '', emailKey: null, phoneKey: null, ip: IP, ...given };
}

const heldBy = (leadId: number | undefined) =>
  leadId === undefined ? undefined : { leadId, isProvisional: false };

/** One project as the store keeps it: who holds an identity keeps it, what nobody holds is learned. */
function aProject() {
  const known = new Map<string, number>();
  const holderOf = (identity: Identity) => heldBy(known.get(identityKey(identity)));
  let leads = 0;
  return {
    submit(given: Partial<Sent>): number {
      const identities = identitiesOf(aSubmission(given));
      const lead = chooseLead(identities, holderOf) ?? ++leads;
      for (const identity of identities) {
        if (!known.has(identityKey(identity))) known.set(identityKey(identity), lead);
      }
      return lead;
    },
  };
}

test('project names compare trimmed and case-folded', () => {
  for (const name of ['Green Park', '  green park ', 'GREEN\t PARK\n', 'Green\u00a0Park', 'Ｇreen Ｐark']) {
    assert.equal(projectKey(name), 'green park', JSON.stringify(name));
  }
  assert.equal(projectKey('ÉTOILE'), projectKey('e\u0301toile'));
  assert.notEqual(projectKey('Green Park 1'), projectKey('Green Park 2'));
  assert.notEqual(projectKey('Green Park'), projectKey('Greenpark'));
  assert.equal(projectKey(' \n '), '');
});

test('a project key is short enough for an index, whatever the name', () => {
  assert.equal(projectKey('x'.repeat(300)), 'x'.repeat(256));
  assert.equal(projectKey(`${'x'.repeat(255)} y`), 'x'.repeat(255));
  // One character that becomes four.
  assert.equal(projectKey('\u3300'.repeat(256)), 'アパート'.repeat(64));
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
      const key = projectKey(name);
      assert.ok(key.length <= 256 && key.trim() === key);
      assert.equal(projectKey(`  ${name}\n`), key);
    }),
  );
});

test('identity priority: visitor_id, then email, then phone, then IP', () => {
  assert.deepEqual(IDENTITY_KINDS, ['visitor', 'email', 'phone', 'ip']);
  const all = identitiesOf({ visitorId: 'v1', emailKey: 'a@b.co', phoneKey: '+919812345678', ip: IP });
  assert.deepEqual(all, [
    { kind: 'visitor', value: 'v1' },
    { kind: 'email', value: 'a@b.co' },
    { kind: 'phone', value: '+919812345678' },
    { kind: 'ip', value: IP },
  ]);
});

test('a lead always remembers its address', () => {
  assert.deepEqual(identitiesOf(aSubmission()), [{ kind: 'ip', value: IP }]);
  assert.deepEqual(identitiesOf(aSubmission({ phoneKey: '12345' })).at(-1), { kind: 'ip', value: IP });
});

test('the IP counts only for a submission that has none of the three', () => {
  assert.deepEqual(lookupKinds(identitiesOf(aSubmission())), [{ kind: 'ip', value: IP }]);
  for (const given of [{ visitorId: 'v1' }, { emailKey: 'a@b.co' }, { phoneKey: '12345' }]) {
    const looked = lookupKinds(identitiesOf(aSubmission(given)));
    assert.equal(looked.length, 1);
    assert.notEqual(looked[0]?.kind, 'ip');
  }
});

test('the same text of another kind is another identity', () => {
  const keys = IDENTITY_KINDS.map((kind) => identityKey({ kind, value: '12345' }));
  assert.equal(new Set(keys).size, IDENTITY_KINDS.length);
  assert.equal(identityKey({ kind: 'email', value: 'a@b.co' }), 'email\na@b.co');
});

test('the first identity in priority order that is known decides', () => {
  const identities = identitiesOf({ visitorId: 'v', emailKey: 'e@x.co', phoneKey: '12345', ip: IP });
  const known = new Map<string, number>();
  const holderOf = (identity: Identity) => heldBy(known.get(identityKey(identity)));
  assert.equal(chooseLead(identities, holderOf), undefined);
  known.set(identityKey({ kind: 'ip', value: IP }), 4);
  assert.equal(chooseLead(identities, holderOf), undefined);
  known.set(identityKey({ kind: 'phone', value: '12345' }), 3);
  assert.equal(chooseLead(identities, holderOf), 3);
  known.set(identityKey({ kind: 'email', value: 'e@x.co' }), 2);
  assert.equal(chooseLead(identities, holderOf), 2);
  known.set(identityKey({ kind: 'visitor', value: 'v' }), 1);
  assert.equal(chooseLead(identities, holderOf), 1);
  assert.equal(chooseLead(lookupKinds(identities), holderOf), 1);
});

test('a lead learns from its follow-ups: visitor and email, then email and phone, then phone are one lead', () => {
  const project = aProject();
  const first = project.submit({ visitorId: 'v1', emailKey: 'a@b.co', ip: '192.0.2.1' });
  assert.equal(project.submit({ emailKey: 'a@b.co', phoneKey: '12345', ip: '192.0.2.2' }), first);
  assert.equal(project.submit({ phoneKey: '12345', ip: '192.0.2.3' }), first);
  assert.equal(project.submit({ ip: '192.0.2.3' }), first);
});

test('two people in one office stay two leads', () => {
  const project = aProject();
  const first = project.submit({ emailKey: 'a@b.co' });
  const second = project.submit({ emailKey: 'c@b.co' });
  assert.notEqual(first, second);
  assert.equal(project.submit({ emailKey: 'c@b.co' }), second);
});

test('who says nothing about themselves is the first lead of that address', () => {
  const project = aProject();
  const first = project.submit({});
  assert.equal(project.submit({}), first);
  assert.notEqual(project.submit({ ip: '192.0.2.1' }), first);
  assert.notEqual(project.submit({ emailKey: 'a@b.co' }), first);
});

/** The rules again, told the other way round: a list of leads, each with what it holds, searched from the top. */
function modelOf(submissions: readonly Sent[]): number[] {
  const leads: { visitor: string[]; email: string[]; phone: string[]; ip: string[] }[] = [];
  const holder = (kind: Identity['kind'], value: string | null) =>
    value === null || value === '' ? undefined : leads.find((lead) => lead[kind].includes(value));
  return submissions.map(({ visitorId, emailKey, phoneKey, ip }) => {
    const anonymous = visitorId === '' && emailKey === null && phoneKey === null;
    const lead =
      holder('visitor', visitorId) ??
      holder('email', emailKey) ??
      holder('phone', phoneKey) ??
      (anonymous ? holder('ip', ip) : undefined) ??
      leads[leads.push({ visitor: [], email: [], phone: [], ip: [] }) - 1];
    assert.ok(lead);
    if (visitorId !== '' && !holder('visitor', visitorId)) lead.visitor.push(visitorId);
    if (emailKey !== null && !holder('email', emailKey)) lead.email.push(emailKey);
    if (phoneKey !== null && !holder('phone', phoneKey)) lead.phone.push(phoneKey);
    if (ip !== null && !holder('ip', ip)) lead.ip.push(ip);
    return leads.indexOf(lead) + 1;
  });
}

test('overlapping identities make the leads that the model predicts', () => {
  const submission = fc.record({
    visitorId: fc.constantFrom('', '', 'v1', 'v2', 'v3'),
    emailKey: fc.constantFrom(null, null, 'a@b.co', 'c@b.co', 'e@b.co'),
    phoneKey: fc.constantFrom(null, null, '+911', '+912', '+913'),
    ip: fc.constantFrom('192.0.2.1', '192.0.2.2'),
  });
  fc.assert(
    fc.property(fc.array(submission, { maxLength: 30 }), (submissions) => {
      const project = aProject();
      assert.deepEqual(
        submissions.map((sent) => project.submit(sent)),
        modelOf(submissions),
      );
    }),
    { numRuns: 1000 },
  );
});
