import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { openapiDocument } from '@leadtrail/contract/openapi';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Holds every answer that a test gets against the OpenAPI document, so that it promises what is really sent. */

type Operation = { responses: Record<string, { content?: Record<string, unknown> }> };

export type SeenAnswer = {
  method: string;
  path: string;
  status: number;
  contentType: string | null;
  body: string;
};

const { TEST_OPENAPI } = process.env;
const DOCUMENT: ReturnType<typeof openapiDocument> =
  TEST_OPENAPI === undefined
    ? openapiDocument('http://localhost')
    : JSON.parse(readFileSync(TEST_OPENAPI, 'utf8'));
const DOCUMENT_ID = 'openapi';
const PATHS = Object.entries(DOCUMENT.paths as Record<string, Record<string, Operation>>).map(
  ([path, methods]) => ({ path, methods, pattern: patternOf(path) }),
);

const ajv = addFormats.default(
  new Ajv2020({ allErrors: true, allowUnionTypes: true, validateSchema: false }),
);
// The document is no schema itself, it only holds some: there is nothing to validate in it.
ajv.addVocabulary(Object.keys(DOCUMENT)).addSchema(DOCUMENT, DOCUMENT_ID);

/** As `fetch`, but an answer that the document does not describe is a failure. */
export async function fetchDescribed(...[to, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(to, init);
  assertDescribed({
    method: init?.method ?? 'GET',
    path: new URL(response.url).pathname,
    status: response.status,
    contentType: response.headers.get('content-type'),
    body: await response.clone().text(),
  });
  return response;
}

/** The same for a form that a browser sends. */
export async function navigateDescribed(
  to: string,
  init: { method: string; headers: Record<string, string>; body: string },
): Promise<Response> {
  const response = await navigate(to, init);
  assertDescribed({
    method: init.method,
    path: new URL(to).pathname,
    status: response.status,
    contentType: response.headers.get('content-type'),
    body: await response.clone().text(),
  });
  return response;
}

/**
 * As a browser sends a form and follows a link: the fetch of Node, like that of a page, says in a header that it is a
 * script. Redirects are not followed. `from` is the loopback address that it comes from.
 */
export async function navigate(
  to: string | URL,
  {
    method,
    headers,
    body,
    from,
  }: { method: string; headers: Record<string, string>; body: string; from?: string },
): Promise<Response> {
  const outgoing = request(to, {
    method,
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    ...(from === undefined ? {} : { localAddress: from }),
  });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const answered = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value) => [name, value] as [string, string]),
  );
  return new Response(await text(incoming), { status: incoming.statusCode ?? 0, headers: answered });
}

/** Fails unless the document says that this request may get this answer. */
export function assertDescribed(seen: SeenAnswer): void {
  const validate = schemaFor(seen);
  if (validate === undefined || seen.method === 'HEAD') {
    assert.equal(seen.body, '', `${title(seen)} with a body`);
    return;
  }
  const value = mediaType(seen) === 'application/json' ? JSON.parse(seen.body) : seen.body;
  if (validate(value)) return;
  assert.fail(`${title(seen)}, but ${ajv.errorsText(validate.errors, { dataVar: 'it' })}: ${seen.body}`);
}

/** Where every schema of the document is, each compiled: one that is none throws. */
export function compileSchemas(): string[] {
  const found = [...schemaSteps(DOCUMENT.paths, ['paths'])];
  const { schemas } = DOCUMENT.components as { schemas: object };
  for (const name of Object.keys(schemas)) found.push(['components', 'schemas', name]);
  for (const steps of found) schemaAt(steps);
  return found.map((steps) => steps.join(' '));
}

/** Undefined: nothing may come with it. */
function schemaFor(seen: SeenAnswer): ValidateFunction | undefined {
  // Where a path could be two of them, the one that is written out is meant.
  const known =
    PATHS.find(({ path }) => path === seen.path) ?? PATHS.find(({ pattern }) => pattern.test(seen.path));
  const method = seen.method === 'HEAD' ? 'get' : seen.method.toLowerCase();
  const operation = known?.methods[method];
  if (known === undefined || operation === undefined) return refusalSchema(seen, known !== undefined);

  const answer = operation.responses[seen.status];
  assert.ok(answer, `${title(seen)}, which is not described: ${seen.body}`);
  if (answer.content === undefined) return undefined;
  const type = mediaType(seen);
  assert.ok(answer.content[type], `${title(seen)} as ${type}, which is not described`);
  return schemaAt(['paths', known.path, method, 'responses', `${seen.status}`, 'content', type, 'schema']);
}

/**
 * What no operation takes: a preflight, another method on a known path, or a path that is not known. Without a
 * key nobody learns which paths there are under /analytics.
 */
function refusalSchema(seen: SeenAnswer, isKnown: boolean): ValidateFunction | undefined {
  if (isKnown && seen.method === 'OPTIONS' && seen.status === 204) return undefined;
  const expected = [isKnown ? 405 : 404, ...(/^\/analytics(\/|$)/.test(seen.path) ? [401] : [])];
  assert.ok(expected.includes(seen.status), `${title(seen)} instead of ${expected.join(' or ')}`);
  return schemaAt(['components', 'schemas', 'Error']);
}

function schemaAt(steps: readonly string[]): ValidateFunction {
  const validate = ajv.getSchema(`${DOCUMENT_ID}#/${steps.map(pointerStep).join('/')}`);
  assert.ok(validate, `There is no schema at ${steps.join(' ')}.`);
  return validate;
}

/** One step of a JSON pointer that stands behind a #. */
function pointerStep(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function* schemaSteps(value: unknown, steps: string[]): Generator<string[]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'schema') yield [...steps, name];
    else yield* schemaSteps(inner, [...steps, name]);
  }
}

function mediaType({ contentType }: SeenAnswer): string {
  return contentType?.split(';', 1)[0]?.trim() ?? 'nothing';
}

function title({ method, path, status }: SeenAnswer): string {
  return `${method} ${path} answered ${status}`;
}

function patternOf(path: string): RegExp {
  const literals = path.split(/\{\w+\}/).map((literal) => RegExp.escape(literal));
  return new RegExp(`^${literals.join('[^/]+')}$`);
}
