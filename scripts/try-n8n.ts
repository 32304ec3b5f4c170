// `npm run try-n8n -- <folder>`: the workflows of `integrations/n8n` in a real n8n, which was installed into that folder
// with `npm install --ignore-scripts n8n`. Leadtrail, a CRM and n8n run for the trial only, on loopback.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALLBACK_SECRET, WEBHOOK_SECRET } from '@leadtrail/testing/callbacks';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { type N8nServer, startN8n, type Workflow } from '@leadtrail/testing/n8n-server';
import { startService, type TestService } from '@leadtrail/testing/service';
import { until } from '@leadtrail/testing/torture/service-process';
import { type Crm, startCrm } from './try-n8n/crm.ts';
import { STEPS } from './try-n8n/steps.ts';

const SIGNING_SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Name the folder n8n is installed in: npm run try-n8n -- <folder>');
  process.exit(1);
}
const n8n = await startN8n(folder);
try {
  console.log(`n8n ${n8n.version}`);
  await tryWorkflows(n8n);
} finally {
  await n8n.stop();
}

async function tryWorkflows(n8n: N8nServer): Promise<void> {
  const crm = await startCrm();
  const service = await startService('sqlite', {
    env: {
      ...CAPTURE_ENV,
      CRM_CALLBACK_SECRET: CALLBACK_SECRET,
      CRM_WEBHOOK_SECRET: WEBHOOK_SECRET,
      FLOW_WEBHOOK_URL: `${n8n.url}/webhook/leadtrail`,
      FLOW_SIGNING_SECRET: SIGNING_SECRET,
    },
  });
  try {
    const leads = await importAll(n8n, service, crm);
    for (const [what, step] of Object.entries(STEPS)) {
      crm.got.length = 0;
      await step({ n8n, service, crm, leads });
      console.log(`✔ ${what}`);
    }
  } finally {
    await service.close();
    crm.close();
  }
}

/** Follows docs/AUTOMATION.md; returns the id of the workflow for leads. */
async function importAll(n8n: N8nServer, service: TestService, crm: Crm): Promise<string> {
  const bearer = (secret: string) => ({ name: 'Authorization', value: `Bearer ${secret}` });
  const headers = {
    'Leadtrail callback secret': bearer(CALLBACK_SECRET),
    'Leadtrail CRM webhook secret': bearer(WEBHOOK_SECRET),
    'n8n API key': { name: 'X-N8N-API-KEY', value: n8n.apiKey },
  };
  const credentials = new Map<string, string>();
  for (const [name, data] of Object.entries(headers)) {
    const made = { name, type: 'httpHeaderAuth', data };
    credentials.set(name, (await n8n.api<{ id: string }>('POST', '/credentials', made)).id);
  }

  async function add(file: string, settings: object = {}): Promise<string> {
    const text = readFileSync(join(import.meta.dirname, `../integrations/n8n/${file}.json`), 'utf8')
      .replaceAll('https://leads.example.com', service.url)
      .replaceAll('https://n8n.example.com', n8n.url)
      .replaceAll('https://crm.example.com', crm.url)
      .replaceAll('whsec_…', SIGNING_SECRET);
    const workflow: Workflow = JSON.parse(text);
    for (const node of workflow.nodes) {
      const used = node.credentials?.httpHeaderAuth;
      if (used !== undefined) used.id = credentials.get(used.name) ?? assert.fail(used.name);
    }
    const made = { ...workflow, settings: { ...workflow.settings, ...settings } };
    const { id } = await n8n.api<{ id: string }>('POST', '/workflows', made);
    await n8n.api('POST', `/workflows/${id}/activate`, {});
    return id;
  }

  const errorWorkflow = await add('errors');
  await add('crm-changes');
  const leads = await add('leads', { errorWorkflow });
  // Webhooks are registered a moment after their workflow is active.
  await until('Both webhooks', async () => {
    const asked = ['crm-changes', 'leadtrail'].map((path) => fetch(`${n8n.url}/webhook/${path}`));
    const answers = await Promise.all((await Promise.all(asked)).map((each) => each.text()));
    return answers.every((text) => text.includes('Did you mean to make a POST request?'));
  });
  return leads;
}
