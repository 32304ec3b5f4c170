import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { capture } from '@leadtrail/testing/callbacks';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { onBothStores, useService } from '@leadtrail/testing/service';
import fc from 'fast-check';
import type { LeadDetail } from '../src/store/leads/detail.ts';

/** Leads are merged and taken apart in any order: each always shows the oldest enquiry of those that it is made of. */

const LEADS = 4;
const HISTORIES = 12;
const STEPS = 8;

type Step = { isMerge: boolean; one: number; other: number };
const aLead = fc.nat({ max: LEADS - 1 });
const aStep: fc.Arbitrary<Step> = fc.record({ isMerge: fc.boolean(), one: aLead, other: aLead });

/** Where each lead is, and which others went with it when it was merged. */
class Model {
  readonly #into = new Map<number, number>();
  readonly #companions = new Map<number, number[]>();

  holder(lead: number): number {
    return this.#into.get(lead) ?? lead;
  }
  isMerged(lead: number): boolean {
    return this.#into.has(lead);
  }
  membersOf(holder: number): number[] {
    return [holder, ...[...this.#into].filter(([, into]) => into === holder).map(([lead]) => lead)];
  }
  merge(holder: number, going: number): void {
    const members = this.membersOf(going);
    this.#companions.set(going, members.slice(1));
    for (const member of members) this.#into.set(member, holder);
  }
  takeOut(lead: number): void {
    const holder = this.holder(lead);
    this.#into.delete(lead);
    for (const [other, companions] of this.#companions) {
      this.#companions.set(
        other,
        companions.filter((each) => each !== lead),
      );
    }
    for (const companion of this.#companions.get(lead) ?? []) {
      if (this.#into.get(companion) === holder) this.#into.set(companion, lead);
    }
  }
}

onBothStores('leads merged and taken apart in any order', (kind) => {
  const service = useService(kind, { env: CAPTURE_ENV });
  let histories = 0;

  test('show the oldest enquiry of those they are made of, and in the end their own', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 3, maxLength: STEPS }), async (steps) => {
        histories += 1;
        const ids: number[] = [];
        for (let n = 0; n < LEADS; n += 1) ids.push(await aLeadNamed(n));
        const model = new Model();
        for (const step of steps) await take(step, model, ids);
        for (const lead of ids.keys()) await takeOut(lead, model, ids);
        await assertShown(model, ids);
      }),
      { numRuns: HISTORIES },
    );
  });

  const aLeadNamed = async (n: number) => {
    const names = { FIRSTNAME: `Person ${n}`, EMAIL: `${histories}-${n}@example.org`, PHONE: '' };
    return (await capture(service, names)).lead_id;
  };
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
      const detail = await service.get<LeadDetail>(`/analytics/leads/${ids[lead]}`);
      const { contact_name, contact_email, follow_ups_count } = detail.lead;
      const oldest = Math.min(...members);
      assert.deepEqual(
        [contact_name, contact_email, follow_ups_count],
        [`Person ${oldest}`, `${histories}-${oldest}@example.org`, members.length - 1],
      );
      const primary = detail.submissions.filter(({ is_primary_lead }) => is_primary_lead === 1);
      assert.deepEqual(
        primary.map(({ contact_name }) => contact_name),
        [`Person ${oldest}`],
      );
    }
  }
});
