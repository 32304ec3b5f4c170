import assert from 'node:assert/strict';
import { call } from '@leadtrail/testing/analytics-calls';
import { type CapturedLead, capture } from '@leadtrail/testing/callbacks';
import type { N8nServer } from '@leadtrail/testing/n8n-server';
import type { TestService } from '@leadtrail/testing/service';
import { until } from '@leadtrail/testing/torture/service-process';
import { type Crm, crmIdOf, FAILING, WITHOUT_ID } from './crm.ts';

export type Trial = {
  n8n: N8nServer;
  service: TestService;
  crm: Crm;
  /** The id of the workflow for leads. */
  leads: string;
};

type Detail = {
  lead: { crm_lead_id: string | null };
  flow_sends: { flow_execution_status: string; flow_execution_url: string }[];
  crm_activity: { event_type: string }[];
};
type Execution = { id: string; status: string };

export const STEPS: Readonly<Record<string, (trial: Trial) => Promise<void>>> = {
  async 'a test lead takes the test branch, and the CRM hears nothing of it'(trial) {
    const { body } = await call<{ status_code: number }>(trial.service, 'POST', '/analytics/flow/test');
    assert.equal(body.status_code, 200);
    assert.equal((await nextExecution(trial)).status, 'success');
    assert.deepEqual(trial.crm.got, []);
  },

  async 'a lead reaches the CRM, whose id and the execution come back'(trial) {
    const { service, crm, n8n } = trial;
    const lead = await capture(service, { USER_MESSAGE: 'Say "hi"\nsoon' });
    await reported(service, lead, 'success');
    assert.deepEqual(
      crm.got.map(({ method, path }) => `${method} ${path}`),
      [`PUT /api/leads/${lead.lead_public_id}`],
    );
    assert.partialDeepStrictEqual(crm.got[0]?.body, { email: lead.email, message: 'Say "hi"\nsoon' });
    const { lead: stored, flow_sends } = await detailOf(service, lead);
    assert.equal(stored.crm_lead_id, crmIdOf(lead.lead_public_id));
    assert.ok(flow_sends[0]?.flow_execution_url.startsWith(`${n8n.url}/workflow/`));
  },

  async 'what changes in the CRM comes into the timeline of the lead'({ service, n8n }) {
    const lead = await capture(service);
    await reported(service, lead, 'success');
    const change = {
      id: crmIdOf(lead.lead_public_id),
      event: 'status_changed',
      event_id: 'e-1',
      status: 'Won',
    };
    const response = await fetch(`${n8n.url}/webhook/crm-changes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    });
    assert.equal(response.status, 200, await response.text());
    assert.equal((await detailOf(service, lead)).crm_activity[0]?.event_type, 'status_changed');
  },

  async 'a stage that is set in Leadtrail is set in the CRM'({ service, crm }) {
    const lead = await capture(service);
    await reported(service, lead, 'success');
    crm.got.length = 0;
    await call(service, 'PATCH', '/analytics/settings', { body: { flow_send_stage_changes: true } });
    await call(service, 'PATCH', `/analytics/leads/${lead.lead_id}`, { body: { status: 'qualified' } });
    await until('The stage in the CRM', () => crm.got.length > 0);
    assert.partialDeepStrictEqual(crm.got[0], { method: 'PATCH', body: { stage: 'qualified' } });
    await call(service, 'PATCH', '/analytics/settings', { body: { flow_send_stage_changes: false } });
  },

  async 'a CRM that fails is reported as an error'({ service }) {
    await reported(service, await capture(service, { EMAIL: FAILING }), 'error');
  },

  async 'an execution that fails elsewhere is reported by the error workflow'({ service }) {
    const lead = await capture(service, { EMAIL: WITHOUT_ID });
    await reported(service, lead, 'error');
    assert.equal((await detailOf(service, lead)).lead.crm_lead_id, null);
  },

  async 'an unsigned delivery is refused by the signature check'(trial) {
    const response = await fetch(`${trial.n8n.url}/webhook/leadtrail`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'webhook-id': 'x', 'webhook-timestamp': '1' },
      body: JSON.stringify({ lead_public_id: 'forged' }),
    });
    assert.equal(response.status, 200);
    assert.equal((await nextExecution(trial)).status, 'error');
    assert.deepEqual(trial.crm.got, []);
  },
};

/** The next finished execution of the workflow for leads. */
async function nextExecution({ n8n, leads }: Trial): Promise<Execution> {
  let found: Execution | undefined;
  await until('An execution', async () => {
    const { data } = await n8n.api<{ data: Execution[] }>('GET', `/executions?workflowId=${leads}`);
    found = data.find(({ id, status }) => !seen.has(id) && (status === 'success' || status === 'error'));
    if (found !== undefined) for (const { id } of data) seen.add(id);
    return found !== undefined;
  });
  return found ?? assert.fail();
}
const seen = new Set<string>();

function detailOf(service: TestService, { lead_id }: CapturedLead): Promise<Detail> {
  return service.get<Detail>(`/analytics/leads/${lead_id}?mark_seen=false`);
}

async function reported(service: TestService, lead: CapturedLead, status: string): Promise<void> {
  await until(`The report of ${status}`, async () => {
    const { flow_sends } = await detailOf(service, lead);
    return flow_sends.some(({ flow_execution_status }) => flow_execution_status === status);
  });
}
