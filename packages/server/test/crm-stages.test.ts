import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { FlowSend } from '@leadtrail/contract/deliveries';
import { call } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import {
  CALLBACK_SECRET,
  type CapturedLead,
  CRM_WEBHOOK,
  capture,
  report,
  tellCrmId,
} from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { MARKETING_KEY, onBothStores, startService, type TestService } from '@leadtrail/testing/service';
import { Webhook } from 'standardwebhooks';
import { HOUR_MS, isoTime } from '../src/lib/utc-time.ts';

/** Stages that the CRM sets, and stages that are set here and go out to the automation platform. */

const SIGNING_SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;

type Detail = {
  lead: { status: string; value: number | null; delivery_state: string };
  history: { at: string; from: string; to: string; by: string }[];
  flow_sends: FlowSend[];
  crm_activity: unknown[];
};

onBothStores('stages and the CRM', (kind) => {
  const clock = aClock(NOON);
  let receiver: Receiver;
  let service: TestService;
  before(async () => {
    receiver = await startReceiver();
    service = await startService(kind, {
      env: {
        ...CAPTURE_ENV,
        CRM_CALLBACK_SECRET: CALLBACK_SECRET,
        FLOW_WEBHOOK_URL: receiver.url,
        FLOW_SIGNING_SECRET: SIGNING_SECRET,
        BOT_LEAD_DETECTION: 'on',
      },
      overrides: { now: clock.now },
    });
    await save({
      crm_stage_map: [
        { field: 'status', value: 'Closed won', stage: 'won' },
        { field: 'deal.stage', value: 'SQL', stage: 'qualified' },
      ],
    });
  });
  after(async () => {
    await service?.close();
    await receiver?.close();
  });
  beforeEach(async () => {
    clock.set(NOON);
    await save({ flow_enabled: true, flow_send_stage_changes: true });
  });

  async function save(body: object): Promise<void> {
    const answer = await call(service, 'PATCH', '/analytics/settings', { body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }
  const detailOf = ({ lead_id }: CapturedLead) =>
    service.get<Detail>(`/analytics/leads/${lead_id}?mark_seen=false`);
  const move = async ({ lead_id }: CapturedLead, body: object, key?: string) => {
    const { status } = await call(service, 'PATCH', `/analytics/leads/${lead_id}`, {
      body,
      ...(key === undefined ? {} : { key }),
    });
    assert.equal(status, 200);
  };
  const tell = async (body: object) => {
    const answer = await report(service, CRM_WEBHOOK, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };

  let leads = 0;
  /** A lead that the CRM knows, whose own delivery has arrived. */
  async function aKnownLead(): Promise<CapturedLead & { crmId: string }> {
    leads += 1;
    const crmId = `crm-${leads}`;
    const lead = await capture(service);
    await tellCrmId(service, { lead_public_id: lead.lead_public_id, crm_lead_id: crmId });
    await service.app.forwarding.settled();
    receiver.reset();
    return { ...lead, crmId };
  }

  test('a CRM event moves the stage and says what the lead is worth', async () => {
    const lead = await aKnownLead();
    clock.set(NOON + HOUR_MS);
    await tell({ crm_lead_id: lead.crmId, deal: { stage: 'sql' }, amount: '1200.50' });
    const { lead: shown, history } = await detailOf(lead);
    assert.equal(shown.status, 'qualified');
    assert.equal(shown.value, 1200.5);
    const at = isoTime(NOON + HOUR_MS)
      .slice(0, 19)
      .replace('T', ' ');
    assert.deepEqual(history, [{ at, from: 'new', to: 'qualified', by: 'crm' }]);
  });

  test('moves of one moment stay in their order, the latest first', async () => {
    const lead = await aKnownLead();
    const stages = ['won', 'contacted', 'qualified', 'lost', 'contacted', 'won'];
    for (const status of stages) await move(lead, { status });
    const { history } = await detailOf(lead);
    assert.deepEqual(
      history.map(({ from, to }) => [from, to]),
      stages.map((to, i) => [stages[i - 1] ?? 'new', to]).toReversed(),
    );
  });

  test('a replayed event changes nothing', async () => {
    const lead = await aKnownLead();
    const event = { crm_lead_id: lead.crmId, event_id: 'e-1', deal: { stage: 'SQL' }, value: 5 };
    await tell(event);
    await move(lead, { status: 'lost', value: 7 });
    await tell(event);
    const { lead: shown, history, crm_activity } = await detailOf(lead);
    assert.deepEqual([shown.status, shown.value, history.length, crm_activity.length], ['lost', 7, 2, 1]);
  });

  test('an event that the mapping does not name, or that says nothing new, moves nothing', async () => {
    const lead = await aKnownLead();
    await tell({ crm_lead_id: lead.crmId, status: 'Open' });
    await tell({ crm_lead_id: lead.crmId, status: 'Closed won' });
    await tell({ crm_lead_id: lead.crmId, status: 'closed WON', note: 'again' });
    const { lead: shown, history, crm_activity } = await detailOf(lead);
    assert.deepEqual([shown.status, history.length, crm_activity.length], ['won', 1, 3]);
  });

  test('an event that waits for its lead moves it when the CRM id comes, unless it was moved since', async () => {
    for (const [movedTo, expected] of [
      [undefined, 'won'],
      ['lost', 'lost'],
    ] as const) {
      const lead = await capture(service);
      const crm_lead_id = `late-${expected}`;
      await tell({ crm_lead_id, status: 'Closed won', value: 3 });
      clock.set(clock.now() + HOUR_MS);
      if (movedTo !== undefined) await move(lead, { status: movedTo });
      await tellCrmId(service, { lead_public_id: lead.lead_public_id, crm_lead_id });
      const { lead: shown } = await detailOf(lead);
      assert.deepEqual([shown.status, shown.value], [expected, 3]);
    }
  });

  test('a stage set here goes out, signed, small and listed as what it is', async () => {
    const lead = await aKnownLead();
    await move(lead, { value: 10 });
    await move(lead, { status: 'qualified' }, MARKETING_KEY);
    await receiver.got(1);
    const [received] = receiver.received;
    assert.ok(received);
    const { flow_send_public_id, ...body } = JSON.parse(received.body);
    assert.deepEqual(body, {
      type: 'lead.stage_changed',
      lead_id: lead.lead_id,
      lead_public_id: lead.lead_public_id,
      crm_lead_id: lead.crmId,
      from: 'new',
      to: 'qualified',
      value: 10,
      changed_at: isoTime(NOON),
      changed_by: 'marketing',
    });
    assert.equal(received.headers['webhook-id'], flow_send_public_id);
    const signature = new Webhook(SIGNING_SECRET).sign(
      flow_send_public_id,
      new Date(Number(received.headers['webhook-timestamp']) * 1000),
      received.body,
    );
    assert.equal(received.headers['webhook-signature'], signature);
    await service.app.forwarding.settled();
    const { flow_sends } = await service.get<{ flow_sends: FlowSend[] }>('/analytics/flow-sends?limit=1');
    assert.equal(flow_sends[0]?.event, 'lead.stage_changed');
    assert.equal(flow_sends[0]?.status, 'delivered');
    assert.equal(flow_sends[0]?.flow_send_public_id, flow_send_public_id);
  });

  test('is tried again, and does not count as the delivery of the lead', async () => {
    await save({ flow_enabled: false });
    const lead = await aKnownLead();
    assert.equal((await detailOf(lead)).lead.delivery_state, 'none');
    await save({ flow_enabled: true });
    receiver.answer((response) => void response.writeHead(500).end());
    await move(lead, { status: 'contacted' });
    await receiver.got(1);
    await service.app.forwarding.settled();
    const { lead: shown, flow_sends } = await detailOf(lead);
    assert.equal(shown.delivery_state, 'none');
    assert.deepEqual([flow_sends[0]?.status, flow_sends[0]?.attempts], ['pending', 1]);
    receiver.reset();
    clock.set(NOON + HOUR_MS);
    await service.app.forwarding.settled();
    assert.equal((await detailOf(lead)).flow_sends[0]?.status, 'delivered');

    const forwarded = await call(service, 'POST', `/analytics/leads/${lead.lead_id}/forward`);
    assert.equal(forwarded.status, 202);
  });

  test('goes out neither for the CRM’s own moves, nor without a move, nor for bots, nor where it is off', async () => {
    const lead = await aKnownLead();
    await tell({ crm_lead_id: lead.crmId, deal: { stage: 'SQL' } });
    await move(lead, { status: 'qualified' });
    await move(lead, { value: 4 });
    await move(await capture(service, { __pg_hp: 'x' }), { status: 'fake' });
    await save({ flow_send_stage_changes: false });
    await move(lead, { status: 'won' });
    await save({ flow_send_stage_changes: true, flow_enabled: false });
    await move(lead, { status: 'lost' });
    await save({ flow_enabled: true });
    await service.app.forwarding.settled();
    assert.deepEqual(receiver.received, []);
    const events = (await detailOf(lead)).flow_sends.map(({ event }) => event);
    assert.deepEqual(events, ['lead']);
  });

  test('400: a stage that there is not, and too many rules', async () => {
    const rule = { field: 'status', value: 'x', stage: 'won' };
    for (const crm_stage_map of [
      [{ ...rule, stage: 'closed' }],
      [{ ...rule, field: '' }],
      Array(201).fill(rule),
    ]) {
      const { status, body } = await call(service, 'PATCH', '/analytics/settings', {
        body: { crm_stage_map },
      });
      assert.equal(status, 400);
      assert.ok(JSON.stringify(body).includes('crm_stage_map'), JSON.stringify(body));
    }
  });
});
