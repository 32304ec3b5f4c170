import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertDescribed, type SeenAnswer } from '../src/checked-answers.ts';

function anAnswer(seen: Partial<Omit<SeenAnswer, 'body'>> & { body?: unknown } = {}): SeenAnswer {
  const { body = { status: 'ok' }, ...rest } = seen;
  return {
    method: 'GET',
    path: '/healthz',
    status: 200,
    contentType: 'application/json; charset=utf-8',
    ...rest,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

const ERROR = { error: 'No.', code: 'invalid' };

const described: [string, SeenAnswer][] = [
  ['a success', anAnswer()],
  ['a refusal', anAnswer({ path: '/analytics/overview', status: 401, body: ERROR })],
  ['a path with a parameter', anAnswer({ path: '/analytics/sites/7', status: 404, body: ERROR })],
  ['HEAD, as GET without its body', anAnswer({ method: 'HEAD', body: '' })],
  ['a text', anAnswer({ path: '/docs', contentType: 'text/html; charset=utf-8', body: '<!doctype html>' })],
  [
    'a redirect without a body',
    anAnswer({ method: 'POST', path: '/lead.capture', status: 301, contentType: null, body: '' }),
  ],
  ['404 on an unknown path', anAnswer({ path: '/nothing', status: 404, body: ERROR })],
  ['401 on an unknown path of analytics', anAnswer({ path: '/analytics/x', status: 401, body: ERROR })],
  ['405 for another method', anAnswer({ method: 'PUT', status: 405, body: ERROR })],
  [
    'a preflight',
    anAnswer({ method: 'OPTIONS', path: '/track/events', status: 204, contentType: null, body: '' }),
  ],
];
for (const [what, answer] of described) {
  test(`an answer passes when it is described: ${what}`, () => assertDescribed(answer));
}

const notDescribed: [string, SeenAnswer, RegExp][] = [
  ['another status', anAnswer({ status: 418, body: ERROR }), /answered 418, which is not described/],
  ['a property too many', anAnswer({ body: { status: 'ok', more: 1 } }), /NOT have additional properties/],
  ['a property too few', anAnswer({ body: {} }), /must have required property 'status'/],
  ['another value', anAnswer({ body: { status: 'fine' } }), /status must be equal to constant/],
  ['an error that is none', anAnswer({ path: '/nothing', status: 404, body: {} }), /property 'error'/],
  ['another content type', anAnswer({ contentType: 'text/plain' }), /as text\/plain, which is not described/],
  ['a body where there is none', anAnswer({ method: 'HEAD' }), /with a body/],
  ['404 on a known path', anAnswer({ method: 'PUT', status: 404, body: ERROR }), /404 instead of 405/],
  ['a success on an unknown path', anAnswer({ path: '/nothing' }), /200 instead of 404/],
];
for (const [what, answer, message] of notDescribed) {
  test(`an answer fails when it is not described: ${what}`, () => {
    assert.throws(() => assertDescribed(answer), { name: 'AssertionError', message });
  });
}
