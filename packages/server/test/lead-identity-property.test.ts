import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import fc from 'fast-check';

/*
 * Few visitors, e-mail addresses, phone numbers, IPs and projects, so that they meet in every way. A model of a
 * few lines says which submissions belong together and which identities each lead holds.
 */

const SEQUENCES = 25;
const INTERLEAVINGS = 25;
const AT_ONCE_MAX = 4;

/** As it is typed, and what it is compared by; null: it says nothing about who it is. */
type Typed = { typed: string; key: string | null };
type Sent = { project: Typed; visitor: Typed; email: Typed; phone: Typed; ip: Typed };

const someSubmission: fc.Arbitrary<Sent> = fc.record({
  project: fc.constantFrom(
    { typed: 'Riverside', key: 'riverside' },
    { typed: ' RIVERSIDE ', key: 'riverside' },
    { typed: 'Hill', key: 'hill' },
  ),
  visitor: fc.constantFrom(
    { typed: '', key: null },
    { typed: 'v1', key: 'v1' },
    { typed: 'v2', key: 'v2' },
    { typed: ' v2 ', key: 'v2' },
  ),
  email: fc.constantFrom(
    { typed: '', key: null },
    { typed: 'nobody knows', key: null },
    { typed: 'ada@example.org', key: 'ada@example.org' },
    { typed: ' ADA@Example.org', key: 'ada@example.org' },
    { typed: 'bob@example.org', key: 'bob@example.org' },
  ),
  phone: fc.constantFrom(
    { typed: '', key: null },
    { typed: 'n/a', key: null },
    { typed: '98765 43210', key: '+919876543210' },
    { typed: '0091-98765-43210', key: '+919876543210' },
    { typed: '+49 30 901820', key: '+4930901820' },
  ),
  ip: fc.constantFrom(
    { typed: '198.51.100.1', key: '198.51.100.1' },
    { typed: '2001:db8::1', key: '2001:db8::1' },
    { typed: '2001:DB8:0:0::1', key: '2001:db8::1' },
  ),
});

/** A lead goes by the name of its primary submission. */
type Leads = {
  leadOf: Record<string, string>;
  holderOf: Record<string, string>;
};
type Named = { name: string; sent: Sent };

const NO_LEADS: Leads = { leadOf: {}, holderOf: {} };

/** What the specification says about one more submission. */
function submitTo(leads: Leads, { name, sent }: Named): Leads {
  const personal = identities(sent, ['visitor', 'email', 'phone']);
  const address = identities(sent, ['ip']);
  const deciding = personal.length > 0 ? personal : address;
  const known = deciding.map((identity) => leads.holderOf[identity]).find((lead) => lead !== undefined);
  const lead = known ?? name;
  const learned = Object.fromEntries([...personal, ...address].map((identity) => [identity, lead]));
  return {
    leadOf: { ...leads.leadOf, [name]: lead },
    // What another lead holds stays with it.
    holderOf: { ...learned, ...leads.holderOf },
  };
}

function identities(sent: Sent, kinds: readonly Exclude<keyof Sent, 'project'>[]): string[] {
  return kinds.flatMap((kind) =>
    sent[kind].key === null ? [] : [`${sent.project.key} ${kind} ${sent[kind].key}`],
  );
}

onBothStores('whoever submits, as whomever', (kind) => {
  const service = useService(kind, { env: CAPTURE_ENV });

  test('any sequence of submissions makes the leads that a model predicts', async () => {
    const property = fc.asyncProperty(
      fc.array(someSubmission, { minLength: 1, maxLength: 12, size: 'max' }),
      async (sequence) => {
        await emptyLeads(service);
        const submissions = named(sequence, 's');
        for (const submission of submissions) await submit(service, submission);
        assert.deepEqual(await readLeads(service), submissions.reduce(submitTo, NO_LEADS));
        assert.deepEqual(await service.app.store.recount(), []);
      },
    );
    await fc.assert(property, { numRuns: SEQUENCES });
  });

  test('submissions at the same moment make leads that some order of them explains', async () => {
    const someCrowd = fc.array(someSubmission, { minLength: 2, maxLength: AT_ONCE_MAX, size: 'max' });
    const property = fc.asyncProperty(
      fc.array(someCrowd, { minLength: 1, maxLength: 4, size: 'max' }),
      async (crowds) => {
        await emptyLeads(service);
        let leads = NO_LEADS;
        for (const [i, crowd] of crowds.entries()) {
          const submissions = named(crowd, `${i}.`);
          await Promise.all(submissions.map((submission) => submit(service, submission)));
          const found = await readLeads(service);
          assertExplained(found, leads, submissions);
          leads = found;
        }
        assert.deepEqual(await service.app.store.recount(), []);
      },
    );
    // A smaller example of a race would be another race.
    await fc.assert(property, { numRuns: INTERLEAVINGS, endOnFailure: true });
  });
});

function named(sent: readonly Sent[], prefix: string): Named[] {
  return sent.map((each, i) => ({ name: `${prefix}${i}`, sent: each }));
}

async function submit(service: TestService, { name, sent }: Named): Promise<void> {
  const fields = {
    CTA_NAME: name,
    PROJECT: sent.project.typed,
    __visitor_id: sent.visitor.typed,
    EMAIL: sent.email.typed,
    PHONE: sent.phone.typed,
    CLIENT_IP: sent.ip.typed,
  };
  await assertCaptured(sendFromServer(service, fields));
}

async function readLeads(service: TestService): Promise<Leads> {
  const primaries = 'select lead_id, cta_name from submissions where is_primary_lead = 1';
  const submissions = await rows<{ name: string; lead: string }>(
    service,
    `select each.cta_name as name, first.cta_name as lead
    from submissions each left join (${primaries}) first on first.lead_id = each.lead_id`,
  );
  assert.equal(new Set(submissions.map(({ name }) => name)).size, submissions.length, 'one is there twice');
  const held = await rows<{ project_key: string; kind: string; value: string; lead: string }>(
    service,
    `select project_key, kind, value, first.cta_name as lead
    from lead_identities held left join (${primaries}) first on first.lead_id = held.lead_id`,
  );
  return {
    leadOf: Object.fromEntries(submissions.map(({ name, lead }) => [name, lead])),
    holderOf: Object.fromEntries(
      held.map(({ project_key, kind, value, lead }) => [`${project_key} ${kind} ${value}`, lead]),
    ),
  };
}

function assertExplained(found: Leads, before: Leads, crowd: readonly Named[]): void {
  const explanations = orders(crowd).map((order) => order.reduce(submitTo, before));
  const isExplained = explanations.some((leads) => isSame(leads, found));
  // Shows how it differs from one of them.
  if (!isExplained) assert.deepEqual(found, explanations[0]);
}

function orders<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first, i) => orders(items.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}

function isSame(a: Leads, b: Leads): boolean {
  return inOrder(a.leadOf) === inOrder(b.leadOf) && inOrder(a.holderOf) === inOrder(b.holderOf);
}

function inOrder(record: Record<string, string>): string {
  return JSON.stringify(Object.entries(record).sort());
}
