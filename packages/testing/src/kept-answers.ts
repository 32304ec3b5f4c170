import assert from 'node:assert/strict';
import { call } from './analytics-calls.ts';
import type { TestService } from './service.ts';

/** What the service says about answers that it may have kept. */

export type Asked = { from: string | null; body: unknown };

/** A GET that has to succeed, with where its answer came from. */
export async function ask(service: Pick<TestService, 'url'>, path: string): Promise<Asked> {
  const { status, headers, body } = await call<unknown>(service, 'GET', path);
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  return { from: headers.get('x-cache'), body };
}

export async function assertHit(service: Pick<TestService, 'url'>, path: string): Promise<unknown> {
  const { from, body } = await ask(service, path);
  assert.equal(from, 'hit', path);
  return body;
}

export async function assertMiss(service: Pick<TestService, 'url'>, path: string): Promise<unknown> {
  const { from, body } = await ask(service, path);
  assert.equal(from, 'miss', path);
  return body;
}

/** Has an answer kept, and answers with it. */
export async function warmed(service: Pick<TestService, 'url'>, path: string): Promise<unknown> {
  await ask(service, path);
  return assertHit(service, path);
}

/** Resolves when nothing of what was sent so far is left to do. */
export async function quiet({ app, settled }: TestService): Promise<void> {
  await settled();
  await app.forwarding.settled();
  await app.indexing.settled();
}
