import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { capture } from '@leadtrail/testing/callbacks';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { onBothStores, useService } from '@leadtrail/testing/service';
import fc from 'fast-check';
import type { LeadDetail } from '../src/store/leads/detail.ts';

/**
 * Leads are merged and taken apart in any order: each always shows the oldest enquiry of those that it is made of, and
 * the others fill what that one left empty.
 */

/** More where asked for: `HISTORIES=500 npm test -- merge-order-property`. */
const HISTORIES = Number(process.env.HISTORIES ?? 12);
const LEADS = 4;
const STEPS = 8;

type Step = { isMerge: boolean; one: number; other: number };
const aLead = fc.nat({ max: LEADS - 1 });
const aStep: fc.Arbitrary<Step> = fc.record({ isMerge: fc.boolean(), one: aLead, other: aLead });

/** Which form fields are filled in. */
const FIELDS = [
  'FIRSTNAME',
  'PHONE',
  'LOCATION',
  'SOURCE',
  'PAGE_URL',
  'USER_MESSAGE',
  '__visitor_id',
] as const;
type FilledIn = Record<(typeof FIELDS)[number], boolean>;
const aForm = fc.record(
  Object.fromEntries(FIELDS.map((field) => [field, fc.boolean()])),
) as fc.Arbitrary<FilledIn>;
const someForms = fc.array(aForm, { minLength: LEADS, maxLength: LEADS });

const SHOWN = [
  'contact_name',
  'contact_email',
  'contact_phone',
  'project_location',
  'project_source',
  'referer',
  'message',
  'visitor_id',
] as const;
type Shown = Record<(typeof SHOWN)[number], string>;

/** Leads with those that were merged into them, which may have others merged into them. */
class Model {
  readonly own: readonly Shown[];
  readonly #into = new Map<number, number>();
  readonly #merged: readonly number[][];

  constructor(own: readonly Shown[]) {
    this.own = own;
    this.#merged = own.map(() => []);
  }
  holder(lead: number): number {
    const into = this.#into.get(lead);
    return into === undefined ? lead : this.holder(into);
  }
  isMerged(lead: number): boolean {
    return this.#into.has(lead);
  }
  membersOf(lead: number): number[] {
    return [lead, ...this.mergedInto(lead).flatMap((each) => this.membersOf(each))];
  }
  merge(holder: number, going: number): void {
    this.#into.set(going, holder);
    this.mergedInto(holder).push(going);
  }
  takeOut(lead: number): void {
    const siblings = this.mergedInto(this.#into.get(lead) ?? lead);
    siblings.splice(siblings.indexOf(lead), 1);
    this.#into.delete(lead);
  }
  shown(lead: number): Shown {
    return this.enquiryOf(lead).shown;
  }

  /** In the order in which they were merged. */
  private mergedInto(lead: number): number[] {
    return this.#merged[lead] ?? [];
  }
  private enquiryOf(lead: number): Enquiry {
    const own = { oldest: lead, shown: this.own[lead] as Shown };
    return this.mergedInto(lead).reduce((all, each) => together(all, this.enquiryOf(each)), own);
  }
}

type Enquiry = { oldest: number; shown: Shown };

function together(one: Enquiry, other: Enquiry): Enquiry {
  const [first, second] = one.oldest < other.oldest ? [one, other] : [other, one];
  return { oldest: first.oldest, shown: pick((column) => first.shown[column] || second.shown[column]) };
}

function pick(value: (column: (typeof SHOWN)[number]) => string): Shown {
  return Object.fromEntries(SHOWN.map((column) => [column, value(column)])) as Shown;
}

onBothStores('leads merged and taken apart in any order', (kind) => {
  const service = useService(kind, { env: CAPTURE_ENV });
  let histories = 0;

  test('show the oldest enquiry of those they are made of, filled by the others, and in the end their own', async () => {
    const someSteps = fc.array(aStep, { minLength: 3, maxLength: STEPS });
    await fc.assert(
      fc.asyncProperty(someForms, someSteps, async (forms, steps) => {
        histories += 1;
        const ids: number[] = [];
        for (const [n, form] of forms.entries()) ids.push(await aLeadOf(n, form));
        const model = new Model(await Promise.all(ids.map(async (id) => shownOf(await show(id)))));
        for (const step of steps) await take(step, model, ids);
        for (const lead of ids.keys()) await takeOut(lead, model, ids);
        await assertShown(model, ids);
      }),
      { numRuns: HISTORIES },
    );
  });

  const aLeadOf = async (n: number, form: FilledIn) => {
    const number = `${histories}`.padStart(5, '0') + n;
    const sent = {
      FIRSTNAME: `Person ${n}`,
      PHONE: `+4930${number}`,
      LOCATION: `City ${n}`,
      SOURCE: `Source ${n}`,
      PAGE_URL: `https://www.example.com/${n}`,
      USER_MESSAGE: `Message ${n}`,
      __visitor_id: `visitor-${number}`,
    };
    const left = FIELDS.filter((field) => !form[field]).map((field) => [field, '']);
    return (await capture(service, { ...sent, ...Object.fromEntries(left), EMAIL: `${number}@example.org` }))
      .lead_id;
  };
  const show = (id: number | undefined) => service.get<LeadDetail>(`/analytics/leads/${id}`);
  const shownOf = ({ lead }: LeadDetail) => pick((column) => lead[column]);
  const ask = (how: string, id: number | undefined, lead_id: number | undefined) =>
    call(service, 'POST', `/analytics/leads/${id}/${how}`, { body: { lead_id } });

  async function take({ isMerge, one, other }: Step, model: Model, ids: readonly number[]): Promise<void> {
    if (!isMerge) return takeOut(one, model, ids);
    const [holder, going] = [model.holder(one), model.holder(other)];
    if (holder === going) return;
    assert.equal((await ask('merge', ids[holder], ids[going])).status, 200);
    model.merge(holder, going);
    await assertShown(model, ids);
  }

  async function takeOut(lead: number, model: Model, ids: readonly number[]): Promise<void> {
    if (!model.isMerged(lead)) return;
    assert.equal((await ask('unmerge', ids[model.holder(lead)], ids[lead])).status, 200);
    model.takeOut(lead);
    await assertShown(model, ids);
  }

  async function assertShown(model: Model, ids: readonly number[]): Promise<void> {
    for (const lead of ids.keys()) {
      if (model.isMerged(lead)) continue;
      const members = model.membersOf(lead);
      const detail = await show(ids[lead]);
      assert.deepEqual(shownOf(detail), model.shown(lead));
      const { follow_ups_count, form_submit_count } = detail.lead;
      assert.deepEqual([follow_ups_count, form_submit_count], [members.length - 1, members.length]);
      const primary = detail.submissions.filter(({ is_primary_lead }) => is_primary_lead === 1);
      assert.deepEqual(
        primary.map(({ contact_email }) => contact_email),
        [model.own[Math.min(...members)]?.contact_email],
      );
    }
  }
});
