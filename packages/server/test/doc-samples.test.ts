import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { before, describe, test } from 'node:test';
import { parseEnv, promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { call } from '@leadtrail/testing/analytics-calls';
import { aStart } from '@leadtrail/testing/builders';
import { CALLBACK_SECRET, CRM_CALLBACK, capture, WEBHOOK_SECRET } from '@leadtrail/testing/callbacks';
import { row } from '@leadtrail/testing/database';
import { samples } from '@leadtrail/testing/doc-samples';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { aSite } from '@leadtrail/testing/management';
import { ADMIN_KEY, startService, useService } from '@leadtrail/testing/service';
import { stageChange } from '../src/domain/leads/stage-change.ts';

/** What the README and the guides say to run or to send, run and sent. */

const run = promisify(execFile);
const MISSING = /"…"/g;

describe('Samples of the documentation', () => {
  const service = useService('sqlite', {
    env: {
      ...CAPTURE_ENV,
      CRM_CALLBACK_SECRET: CALLBACK_SECRET,
      CRM_WEBHOOK_SECRET: WEBHOOK_SECRET,
      FLOW_WEBHOOK_URL: 'http://127.0.0.1:9/',
      // As in a start without configuration, which the README is about.
      BOT_LEAD_DETECTION: 'on',
    },
  });
  before(async () => {
    const site = await aSite(service, { site_key: 'demo-site', name: 'Demo', domains: ['localhost'] });
    const form = { site_id: site.id, form_id: 'demo-form', name: 'Demo' };
    assert.equal((await call(service, 'POST', '/analytics/forms', { body: form })).status, 201);
  });

  test('the commands of the README', async () => {
    const [first = '', enquiry = '', search = ''] = (await samples('README.md', 'sh')).filter((sample) =>
      sample.startsWith('curl'),
    );
    const inShell = async (script: string) => {
      const text = script.replaceAll('localhost:8787', service.url);
      const { stdout } = await run('sh', ['-ec', text], { env: { ...process.env, ADMIN_KEY } });
      return stdout;
    };
    const [session, overview] = (await inShell(first)).split(/(?<=})(?={)/);
    assert.ok(JSON.parse(session ?? '').session_id);
    assert.ok('total_sessions' in JSON.parse(overview ?? ''));
    assert.match(await inShell(enquiry), /^HTTP\/1\.1 301 .*^location: /ims);
    const { leads } = JSON.parse(await inShell(search));
    assert.deepEqual(
      leads.map((lead: Record<string, string>) => [lead.contact_email, lead.delivery_state]),
      [['ada@example.com', 'pending']],
    );
  });

  test('the callbacks of the automation platform', async () => {
    await capture(service, { EMAIL: 'callbacks@example.org' });
    const ids = await row<Record<string, string>>(
      service,
      `select l.lead_public_id, s.lead_submission_public_id, f.flow_send_public_id from leads l
      join submissions s on s.lead_id = l.lead_id join flow_sends f on f.lead_id = l.lead_id
      where l.contact_email = 'callbacks@example.org'`,
    );
    const secrets = [CALLBACK_SECRET, CALLBACK_SECRET, WEBHOOK_SECRET];
    const sent = (await samples('docs/AUTOMATION.md', 'http')).flatMap((sample) =>
      sample.trim().split('\n\n'),
    );
    assert.equal(sent.length, secrets.length);
    for (const [i, sample] of sent.entries()) {
      const [request = '', ...lines] = sample.split('\n');
      const [method, path] = request.split(' ');
      const body = lines.join('\n').replaceAll(/"(\w+)": "…"/g, (_, name) => `"${name}": "${ids[name]}"`);
      const response = await fetch(service.url + path, {
        method: method ?? '',
        headers: { 'content-type': 'application/json', 'x-api-key': secrets[i] ?? '' },
        body: body.replace('https://…', 'https://n8n.example.com/execution/1'),
      });
      assert.equal(response.status, 200, `${request} ${await response.text()}`);
    }
    const lead = await row(
      service,
      "select crm_lead_id from leads where contact_email = 'callbacks@example.org'",
    );
    assert.equal(lead.crm_lead_id, '4711');
  });

  test('the other names of scripts and tracking', async () => {
    const [sample = ''] = await samples('docs/SITES.md', 'sh');
    const { TRACK_PATH, ...scripts } = parseEnv(sample);
    const renamed = await startService('sqlite', { env: { TRACK_PATH, ...scripts } });
    try {
      assert.equal(Object.keys(scripts).length, 3);
      for (const path of Object.values(scripts)) {
        const { status, headers } = await fetch(renamed.url + path);
        assert.equal(status, 200);
        assert.match(headers.get('content-type') ?? '', /javascript/);
      }
      const started = await fetch(`${renamed.url}${TRACK_PATH}/session/start`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(aStart()),
      });
      assert.equal(started.status, 200, await started.text());
    } finally {
      await renamed.close();
    }
  });

  test('the event of a stage has these keys', async () => {
    const [sample = ''] = await samples('docs/AUTOMATION.md', 'json');
    const made = stageChange(
      { lead_id: 17, lead_public_id: '…', crm_lead_id: '4711' },
      {
        from: 'contacted',
        to: 'qualified',
        by: 'marketing',
        at: Date.parse('2026-11-16T16:40:09Z'),
        value: 12_500,
      },
      '…',
    );
    assert.deepEqual(JSON.parse(sample), made);
    assert.deepEqual(sample.match(MISSING)?.length, 2);
  });

  test('the code that signs a callback', async () => {
    await call(service, 'PATCH', '/analytics/settings', { body: { callbacks_require_signature: true } });
    const { lead_public_id } = await capture(service, { EMAIL: 'signed@example.org' });
    const [code = ''] = await samples('docs/OPERATIONS.md', 'js');
    const written = code.replace('the callback secret', CALLBACK_SECRET);
    const { json } = runInNewContext(`(function () { ${written} })()`, {
      require: createRequire(import.meta.url),
      Buffer,
      Date,
      $json: { lead_public_id, crm_lead_id: '815' },
    });
    const { body, ...headers } = json as Record<string, string>;
    const send = (sent: Record<string, string>) =>
      fetch(service.url + CRM_CALLBACK, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...sent },
        body: body ?? '',
      });
    const unsigned = await send({ 'x-api-key': CALLBACK_SECRET });
    const signed = await send(
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    );
    assert.deepEqual([unsigned.status, signed.status], [401, 200], await signed.text());
  });
});
