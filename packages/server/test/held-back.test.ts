import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, type Fields, sendForm, setUpSite } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { patch } from '@leadtrail/testing/management';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { onBothStores, startService, type TestService } from '@leadtrail/testing/service';

type Detail = { lead: { lead_id: number; delivery_state: string; delivery_note: string } };

/** No time to submit, which is a risk of 10; a second and no contact is 40 and more. */
const RISK_10: Fields = { __pg_tts: '' };

onBothStores('a lead is held back', (kind) => {
  let receiver: Receiver;
  let service: TestService;
  before(async () => {
    receiver = await startReceiver();
    service = await startService(kind, { env: { ...CAPTURE_ENV, FLOW_WEBHOOK_URL: receiver.url } });
    await setUpSite(service);
  });
  after(async () => {
    await service?.close();
    await receiver?.close();
  });
  beforeEach(async () => {
    await emptyLeads(service);
    await set({ flow_risk_max: null, bot_lead_detection: null });
  });

  async function set(change: object): Promise<void> {
    assert.equal((await patch(service, '/analytics/settings', change)).status, 200);
  }
  /** A private address, so that a honeypot does not block it. */
  const send = (sent: Fields) => assertCaptured(sendForm(service, sent, { ip: '10.0.0.9' }));
  const sends = () => rows(service, 'select lead_id from flow_sends');
  async function onlyLead(): Promise<Detail['lead']> {
    const { leads } = await service.get<{ leads: Detail['lead'][] }>('/analytics/leads');
    assert.equal(leads.length, 1);
    return (await service.get<Detail>(`/analytics/leads/${leads[0]?.lead_id}`)).lead;
  }

  test('above flow_risk_max, and says why', async () => {
    await set({ flow_risk_max: 9 });
    await send(RISK_10);
    assert.deepEqual(await sends(), []);
    const { delivery_state, delivery_note } = await onlyLead();
    assert.deepEqual(
      [delivery_state, delivery_note],
      ['held_back', 'Its risk is 10; nothing above 9 is forwarded.'],
    );
  });

  test('not at flow_risk_max, nor without one', async () => {
    await set({ flow_risk_max: 10 });
    await send(RISK_10);
    await set({ flow_risk_max: null });
    await send({ EMAIL: 'grace@example.org', PHONE: '', __pg_hp: 'x' });
    assert.equal((await sends()).length, 2);
  });

  test('and can be forwarded by hand', async () => {
    await set({ flow_risk_max: 0 });
    await send(RISK_10);
    const { lead_id } = await onlyLead();
    assert.equal((await call(service, 'POST', `/analytics/leads/${lead_id}/forward`)).status, 202);
    await service.app.forwarding.settled();
    const { delivery_state, delivery_note } = await onlyLead();
    assert.deepEqual([delivery_state, delivery_note], ['delivered', '']);
  });

  test('when bot_lead_detection is on and it is a bot’s; off, it is forwarded', async () => {
    await set({ bot_lead_detection: true });
    await send({ __pg_hp: 'x' });
    assert.deepEqual(await sends(), []);
    const { delivery_state, delivery_note } = await onlyLead();
    assert.deepEqual([delivery_state, delivery_note], ['held_back', 'It looks like the work of a bot.']);
    await emptyLeads(service);
    await set({ bot_lead_detection: false });
    await send({ __pg_hp: 'x' });
    assert.equal((await sends()).length, 1);
  });

  test('400 for a risk that is none', async () => {
    for (const flow_risk_max of [-1, 101, 1.5, '50']) {
      const { status, body } = await patch<Refusal>(service, '/analytics/settings', { flow_risk_max });
      assert.equal(status, 400);
      assert.match(body.error, /flow_risk_max/);
    }
    assert.equal((await patch(service, '/analytics/settings', { bot_lead_detection: 'yes' })).status, 400);
  });
});

onBothStores('BOT_LEAD_DETECTION=on', (kind) => {
  test('is what holds until something is saved, and again after that is taken back', async () => {
    const service = await startService(kind, { env: { BOT_LEAD_DETECTION: 'on' } });
    try {
      const shown = async () =>
        (await service.get<{ bot_lead_detection: boolean }>('/analytics/settings')).bot_lead_detection;
      assert.equal(await shown(), true);
      await patch(service, '/analytics/settings', { bot_lead_detection: false });
      assert.equal(await shown(), false);
      await patch(service, '/analytics/settings', { bot_lead_detection: null });
      assert.equal(await shown(), true);
    } finally {
      await service.close();
    }
  });
});
