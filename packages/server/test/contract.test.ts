import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { ApiProblem, type CallableName } from '@leadtrail/contract/client';
import { type Endpoint, isSuccess, successStatus } from '@leadtrail/contract/endpoint';
import { endpoints } from '@leadtrail/contract/endpoints';
import { EXAMPLES } from '@leadtrail/contract/examples';
import { ApiError } from '@leadtrail/contract/fields';
import { apiClient } from '@leadtrail/testing/api-client';
import { PAGE } from '@leadtrail/testing/builders';
import { compileSchemas, fetchDescribed } from '@leadtrail/testing/checked-answers';
import { callEverything, SECRETS } from '@leadtrail/testing/every-endpoint';
import { ADMIN_KEY, MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { Validator } from '@seriousme/openapi-schema-validator';

type Json = Record<string, unknown>;
type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: unknown[];
  parameters?: { name: string; in: string; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; content: Record<string, { schema: Json }> }>;
};
type OpenApi = {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; securitySchemes: Json };
};

const ALL = Object.entries(endpoints) as [string, Endpoint][];

function inBraces(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** Every `$ref` in the document. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' ? [String(inner)] : references(inner),
  );
}

onBothStores('GET /openapi.json', (kind) => {
  const service = useService(kind);
  const document = async (headers: Record<string, string> = {}) =>
    (await (await fetchDescribed(`${service.url}/openapi.json`, { headers })).json()) as OpenApi;

  test('describes every endpoint with its method, key, query, body and answers', async () => {
    const { openapi, paths } = await document();
    assert.equal(openapi, '3.1.0');
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(described.sort(), ALL.map(([, each]) => `${each.method} ${inBraces(each.path)}`).sort());

    for (const [name, declared] of ALL) {
      const operation = paths[inBraces(declared.path)]?.[declared.method.toLowerCase()];
      assert.ok(operation, name);
      assert.equal(operation.operationId, name);
      assert.ok(operation.summary.length > 0);
      assert.equal(
        operation.security.length > 0,
        declared.auth !== 'public' || declared.form !== undefined,
        name,
      );
      assert.equal(
        operation.requestBody !== undefined,
        (declared.body ?? declared.form ?? declared.file) !== undefined,
        name,
      );
      assert.deepEqual(
        (operation.parameters ?? []).map((each) => each.name),
        [declared.params?.shape, declared.query?.shape, declared.headers?.shape].flatMap((each) =>
          Object.keys(each ?? {}),
        ),
      );
      // Wherever a key can be wrong, there is a limit for wrong ones.
      const limited = operation.security.length > 0 ? { 429: undefined } : {};
      // A shared link is a key that may do little.
      const refused = declared.auth === 'marketing' ? { 403: undefined } : {};
      assert.deepEqual(
        Object.keys(operation.responses),
        Object.keys({ ...declared.responses, ...refused, ...limited }),
      );
    }
  });

  test('is valid OpenAPI', async () => {
    const { valid, errors } = await new Validator().validate(await document());
    assert.ok(valid, JSON.stringify(errors));
  });

  test('says the limits of days and limit', async () => {
    const { paths } = await document();
    const schemaOf = (path: string) => paths[path]?.get?.parameters?.[0];
    assert.deepEqual(schemaOf('/analytics/sessions/daily'), {
      name: 'days',
      in: 'query',
      required: false,
      schema: { type: 'integer', default: 30, minimum: 1, maximum: 90 },
    });
    assert.deepEqual(schemaOf('/analytics/pages/top')?.schema, {
      type: 'integer',
      default: 20,
      minimum: 1,
      maximum: 100,
    });
  });

  test('says what a session start needs', async () => {
    const { paths } = await document();
    const body = paths['/track/session/start']?.post?.requestBody?.content['application/json']?.schema;
    assert.deepEqual(body?.required, ['fingerprint_id', 'page']);
    assert.deepEqual(Object.keys(body?.properties as Json), [
      'fingerprint_id',
      'page',
      'visitor_id',
      'session_id',
      'referrer',
      'site_key',
      'device_info',
      'screen',
    ]);
  });

  test('refers to nothing that is not in it', async () => {
    const whole = await document();
    const targets = references(whole);
    assert.ok(targets.length > 0);
    for (const target of targets) {
      const name = /^#\/components\/schemas\/(\w+)$/.exec(target)?.[1] ?? '';
      assert.ok(whole.components.schemas[name], target);
    }
    const referredTo = new Set(targets.map((target) => target.split('/').at(-1)));
    assert.deepEqual(Object.keys(whole.components.schemas).sort(), [...referredTo].sort());
  });

  test('is about the service that it comes from, whatever the Host header says', async () => {
    assert.deepEqual((await document()).servers, [{ url: '/' }]);
  });
});

onBothStores('with PUBLIC_URL', (kind) => {
  const service = useService(kind, { env: { PUBLIC_URL: 'https://leads.example/' } });

  test('GET /openapi.json names that address', async () => {
    const { servers } = (await (await fetchDescribed(`${service.url}/openapi.json`)).json()) as OpenApi;
    assert.deepEqual(servers, [{ url: 'https://leads.example' }]);
  });
});

onBothStores('GET /docs', (kind) => {
  const service = useService(kind);

  test('is HTML for people, with a script of its own and nothing from elsewhere', async () => {
    const response = await fetchDescribed(`${service.url}/docs`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    const html = await response.text();
    assert.match(html, /^<!doctype html>/);
    const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(html) ?? [];
    assert.doesNotMatch(
      html.replace(script, ''),
      /<iframe|<link|<img|javascript:|\son\w+=|@import|url\(|src=/i,
    );
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; /);
    assert.ok(policy.includes(`'sha256-${hash('sha256', script, 'base64')}'`));
    for (const [, { path, summary }] of ALL) {
      assert.ok(html.includes(`<code>${inBraces(path)}</code>`), path);
      assert.ok(html.includes(summary), summary);
    }
  });

  test('shows the fields of a lead where they are used, and what is sent to the automation platform', async () => {
    const html = await (await fetchDescribed(`${service.url}/docs`)).text();
    assert.doesNotMatch(html, /\$ref/);
    const [, leads = ''] = html.split('<code>/analytics/leads</code>');
    assert.match(leads.split('</details>')[0] ?? '', /contact_email/);
    const [, webhook = ''] = html.split('<h2 id="webhooks">');
    assert.match(webhook, /lead_submission_public_id/);
  });
});

test('every endpoint that takes a body has an example that it accepts', () => {
  for (const [name, { body, form }] of ALL) {
    const schema = body ?? form;
    if (schema === undefined) continue;
    const parsed = schema.safeParse(EXAMPLES[name as keyof typeof EXAMPLES]);
    assert.ok(parsed.success, `${name}: ${parsed.error?.message}`);
    assert.notDeepEqual(parsed.data, {}, name);
  }
});

onBothStores('the typed client', (kind) => {
  const service = useService(kind, { env: SECRETS });
  const clientWith = (key?: string) => apiClient(service.url, key);

  test('calls every endpoint, and every answer is what the contract declares', async () => {
    const answers = await callEverything(service);
    const callable = ALL.filter(([, declared]) => (declared.form ?? declared.file) === undefined);
    assert.deepEqual(Object.keys(answers).sort(), callable.map(([name]) => name).sort());
    for (const [name, declared] of callable) {
      const schema = declared.responses[successStatus(declared)];
      assert.deepEqual(schema?.parse(answers[name as CallableName]), answers[name as CallableName], name);
    }
  });

  test('sends the query', async () => {
    const call = clientWith(ADMIN_KEY);
    for (const page of ['b', 'c']) {
      await call('startSession', { body: { fingerprint_id: 'f', page: PAGE + page } });
    }
    await service.settled();
    assert.equal((await call('topPages', { query: { limit: 2 } })).length, 2);
  });

  test('says what went wrong', async () => {
    await assert.rejects(clientWith()('overview'), (error) => {
      assert.ok(error instanceof ApiProblem);
      assert.deepEqual([error.status, error.code], [401, 'unauthorized']);
      assert.match(error.message, /^An API key is required/);
      return true;
    });
    await assert.rejects(clientWith(MARKETING_KEY)('metrics'), { status: 403, code: 'forbidden' });
    const empty = clientWith()('startSession', { body: { fingerprint_id: '', page: '' } });
    await assert.rejects(empty, (error) => {
      assert.ok(error instanceof ApiProblem);
      assert.deepEqual([error.status, error.code], [400, 'invalid']);
      assert.deepEqual(
        error.details.map((each) => each.path),
        ['fingerprint_id', 'page'],
      );
      return true;
    });
  });
});

test('every endpoint declares exactly one success and only errors besides; a form may lead to a page', () => {
  for (const [name, { responses, form }] of ALL) {
    const statuses = Object.keys(responses).map(Number);
    assert.equal(statuses.filter(isSuccess).length, 1, name);
    for (const status of statuses) {
      assert.ok(isSuccess(status) || status >= 400 || (form !== undefined && status === 301), name);
    }
  }
});

/** These know their answer without asking anything that could be away or fail. */
const ANSWERED_FROM_MEMORY = ['whoami', 'liveness', 'health', 'metrics', 'openapi', 'docs'];

test('every endpoint declares the refusals that follow from what it takes, who may call it and what it needs', () => {
  for (const [name, { body, form, params, auth, group, responses }] of ALL) {
    const refusals = [
      ...((body ?? form ?? params) ? [400] : []),
      ...((body ?? form) ? [413] : []),
      ...(auth === 'public' ? [] : [401]),
      ...(auth === 'admin' ? [403] : []),
      ...(group === 'Tracking' ? [429] : []),
      ...(ANSWERED_FROM_MEMORY.includes(name) ? [] : [500, 503]),
    ];
    for (const status of refusals) assert.equal(responses[status], ApiError, `${name} ${status}`);
  }
});

test('every schema in the OpenAPI document is JSON Schema', () => {
  const found = compileSchemas();
  for (const [, { method, path }] of ALL) {
    const start = `paths ${inBraces(path)} ${method.toLowerCase()} responses `;
    assert.ok(
      found.some((each) => each.startsWith(start)),
      start,
    );
  }
});
