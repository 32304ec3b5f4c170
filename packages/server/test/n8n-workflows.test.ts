import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { call } from '@leadtrail/testing/analytics-calls';
import { CALLBACK_SECRET } from '@leadtrail/testing/callbacks';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { type Received, type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { onBothStores, startService, type TestService } from '@leadtrail/testing/service';
import { PROJECT_DIR } from '../src/lib/places.ts';

/** The requests of the ready-made workflows, made as n8n makes them: from their own expressions and code. */

type Json = Record<string, unknown>;
type Node = { name: string; type: string; parameters: { url?: string; jsonBody?: string; jsCode?: string } };
type Workflow = { nodes: Node[]; connections: Record<string, { main: { node: string }[][] }> };

const FILES = ['leads', 'errors', 'crm-changes'] as const;
const SIGNING_SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
const EXECUTION = 'https://n8n.example.com/workflow/w1/executions/77';

function workflow(name: (typeof FILES)[number]): Workflow {
  return JSON.parse(readFileSync(join(PROJECT_DIR, 'integrations/n8n', `${name}.json`), 'utf8'));
}

function nodeOf({ nodes }: Workflow, name: string): Node['parameters'] {
  return nodes.find((node) => node.name === name)?.parameters ?? assert.fail(`There is no step ${name}.`);
}

/** What the steps before have put out, by their names. */
type Run = { before: Record<string, Json>; json: Json };

function scopeOf({ before, json }: Run) {
  return createContext({
    $json: json,
    $execution: { id: '77' },
    $workflow: { id: 'w1' },
    $: (name: string) => ({ first: () => ({ json: before[name] }), item: { json: before[name] } }),
    JSON,
  });
}

/** `={{ … }}`, with text around it or not. */
function evaluated(text: string, run: Run): string {
  assert.ok(text.startsWith('='), text);
  const scope = scopeOf(run);
  return text.slice(1).replaceAll(/\{\{(.*?)\}\}/gs, (_, code: string) => String(runInContext(code, scope)));
}

onBothStores('the workflows for n8n', (kind) => {
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
      },
    });
  });
  after(async () => {
    await service?.close();
    await receiver?.close();
  });

  const settings = () => ({
    leadtrail_url: service.url,
    n8n_url: 'https://n8n.example.com',
    signing_secret: SIGNING_SECRET,
  });

  async function verify({ headers, body }: Received): Promise<Json> {
    const code = nodeOf(workflow('leads'), 'Verify signature').jsCode;
    const scope = createContext({
      require: createRequire(import.meta.url),
      Buffer,
      $input: { all: () => [{ json: { headers, ...settings() } }] },
    });
    const step = runInContext(`(async function () {${code}\n})`, scope);
    const [out] = await step.call({ helpers: { getBinaryDataBuffer: async () => Buffer.from(body) } });
    return out.json;
  }

  async function send(name: (typeof FILES)[number], step: string, run: Run): Promise<Json> {
    const { url = '', jsonBody = '' } = nodeOf(workflow(name), step);
    const response = await fetch(evaluated(url, run), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${CALLBACK_SECRET}` },
      body: evaluated(jsonBody, run),
    });
    const answer = (await response.json()) as Json;
    assert.equal(response.status, 200, JSON.stringify(answer));
    return answer;
  }

  async function received(trigger: () => Promise<unknown>): Promise<Received> {
    receiver.reset();
    await trigger();
    await receiver.got(1);
    return receiver.received[0] ?? assert.fail();
  }
  const detailOf = (lead: Json) =>
    service.get<{ lead: Json; flow_sends: Json[]; crm_activity: Json[] }>(
      `/analytics/leads/${lead.lead_public_id}?mark_seen=false`,
    );

  test('a lead is verified, upserted by its public id and reported; a CRM change and an error come back', async () => {
    const delivery = await received(() =>
      assertCaptured(sendFromServer(service, { EMAIL: 'n8n@example.org', USER_MESSAGE: 'Say "hi"\nsoon' })),
    );
    const lead = await verify(delivery);
    const before = { Settings: settings(), 'Verify signature': lead };

    const upsert = nodeOf(workflow('leads'), 'Upsert in the CRM');
    assert.ok(evaluated(upsert.url ?? '', { before, json: lead }).endsWith(`/${lead.lead_public_id}`));
    const upserted = JSON.parse(evaluated(upsert.jsonBody ?? '', { before, json: lead }));
    assert.partialDeepStrictEqual(upserted, { email: 'n8n@example.org', message: 'Say "hi"\nsoon' });

    const reported = await send('leads', 'Report CRM id', { before, json: { id: 4711 } });
    assert.deepEqual([reported.updated_lead, reported.updated_submission], [true, true]);
    await send('leads', 'Report success', { before, json: {} });
    const done = await detailOf(lead);
    assert.equal(done.lead.crm_lead_id, '4711');
    assert.partialDeepStrictEqual(done.flow_sends[0], {
      flow_execution_url: EXECUTION,
      flow_execution_status: 'success',
    });

    await send('leads', 'Report error', { before, json: {} });
    assert.equal((await detailOf(lead)).flow_sends[0]?.flow_execution_status, 'error');

    const change = { body: { id: 4711, event: 'status_changed', event_id: 1, status: 'Won' } };
    assert.equal((await send('crm-changes', 'Send to Leadtrail', { before, json: change })).stored, true);
    assert.equal((await detailOf(lead)).crm_activity[0]?.event_type, 'status_changed');
  });

  test('what was not signed with the secret is refused', async () => {
    const delivery = await received(() =>
      assertCaptured(sendFromServer(service, { EMAIL: 'forged@example.org' })),
    );
    const forged = { ...delivery, body: delivery.body.replace('forged@', 'other@') };
    await assert.rejects(verify(forged), /The signature is wrong/);
    const old = { ...delivery, headers: { ...delivery.headers, 'webhook-timestamp': '1000000000' } };
    await assert.rejects(verify(old), /too old/);
  });

  test('a test lead takes the branch that leaves the CRM alone', async () => {
    const delivery = await received(() => call(service, 'POST', '/analytics/flow/test'));
    const lead = await verify(delivery);
    assert.equal(lead.test_lead, 'yes');
    const [isTest, isReal] = workflow('leads').connections['Test lead?']?.main ?? [];
    assert.deepEqual(
      isTest?.map(({ node }) => node),
      ['Report success'],
    );
    assert.deepEqual(
      isReal?.map(({ node }) => node),
      ['Upsert in the CRM'],
    );
    const before = { Settings: settings(), 'Verify signature': lead };
    assert.equal((await send('leads', 'Report success', { before, json: lead })).test, true);
  });

  test('a stage change is set in the CRM by the public id of its lead, and reported', async () => {
    const body = { flow_send_stage_changes: true };
    assert.equal((await call(service, 'PATCH', '/analytics/settings', { body })).status, 200);
    const delivery = await received(() =>
      assertCaptured(sendFromServer(service, { EMAIL: 'stage@example.org' })),
    );
    const { lead_public_id } = await verify(delivery);
    const moved = await received(() =>
      call(service, 'PATCH', `/analytics/leads/${lead_public_id}`, { body: { status: 'won', value: 5 } }),
    );
    const change = await verify(moved);
    assert.equal(change.type, 'lead.stage_changed');
    const [isChange, isLead] = workflow('leads').connections['Stage change?']?.main ?? [];
    assert.deepEqual([isChange?.[0]?.node, isLead?.[0]?.node], ['Set stage in the CRM', 'Test lead?']);
    const before = { Settings: settings(), 'Verify signature': change };
    const { url = '', jsonBody = '' } = nodeOf(workflow('leads'), 'Set stage in the CRM');
    assert.ok(evaluated(url, { before, json: change }).endsWith(`/${lead_public_id}`));
    assert.deepEqual(JSON.parse(evaluated(jsonBody, { before, json: change })), { stage: 'won', value: 5 });
    await send('leads', 'Report success', { before, json: {} });
  });

  test('the error workflow finds the delivery in the execution and reports it', async () => {
    const delivery = await received(() =>
      assertCaptured(sendFromServer(service, { EMAIL: 'error@example.org' })),
    );
    const lead = await verify(delivery);
    const failed = {
      execution: { id: '77', url: EXECUTION, error: { message: 'It said "no"' } },
      ...settings(),
    };
    const data = {
      resultData: { runData: { 'Verify signature': [{ data: { main: [[{ json: lead }]] } }] } },
    };
    const scope = scopeOf({ before: { Settings: failed }, json: { data } });
    const code = nodeOf(workflow('errors'), 'Find the delivery').jsCode;
    const [found] = runInContext(`(() => {${code}\n})()`, scope);
    await send('errors', 'Report error', { before: { Settings: failed }, json: found.json });
    assert.partialDeepStrictEqual((await detailOf(lead)).flow_sends[0], {
      flow_execution_status: 'error',
      flow_execution_url: EXECUTION,
      callback: { error: 'It said "no"' },
    });
  });

  test('every step leads to one that is there', () => {
    for (const file of FILES) {
      const { nodes, connections } = workflow(file);
      const names = nodes.map(({ name }) => name);
      const reached = Object.values(connections).flatMap(({ main }) => main.flat().map(({ node }) => node));
      assert.deepEqual(new Set([...Object.keys(connections), ...reached]), new Set(names), file);
    }
  });
});
