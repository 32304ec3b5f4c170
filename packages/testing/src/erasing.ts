import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Erased, PersonIdentifiers } from '@leadtrail/contract/erase';
import type { Overrides } from '../../server/src/app/open-parts.ts';
import { keyHash, keyPrefix } from '../../server/src/domain/setup/integration-key.ts';
import { SECOND_MS } from '../../server/src/lib/utc-time.ts';
import { call } from './analytics-calls.ts';
import { CALLBACK_SECRET } from './callbacks.ts';
import { aClock, type Clock } from './clock.ts';
import { emptyDatabase, rows } from './database.ts';
import {
  assertCaptured,
  CAPTURE_ENV,
  type Fields,
  INTEGRATION_KEY,
  sendFromServer,
  setUpSite,
} from './enquiries.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type StoreKind, startService, type TestService } from './service.ts';
import { filesWithTraces, tablesWithTraces } from './traces.ts';
import { runJob, sendEvents, startSession } from './visits.ts';

/** A service in which people are erased, and a look whether nothing of them is left. */

export const ERASE = '/analytics/erase';
export type ErasingService = TestService & { dataDir: string; clock: Clock; receiver: Receiver };

/** With a clock, a receiver of leads and a directory that can be looked into. */
export async function startErasingService(
  kind: StoreKind,
  around: Overrides['around'] = {},
): Promise<ErasingService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'leadtrail-test-'));
  const clock = aClock();
  const receiver = await startReceiver();
  const service = await startService(kind, {
    dataDir,
    env: {
      ...CAPTURE_ENV,
      CRM_CALLBACK_SECRET: CALLBACK_SECRET,
      FLOW_WEBHOOK_URL: receiver.url,
      BOT_LEAD_DETECTION: 'on',
    },
    overrides: { now: clock.now, random: () => 0.5, around },
  });
  const close = async () => {
    await service.close();
    await receiver.close();
    rmSync(dataDir, { recursive: true });
  };
  return { ...service, dataDir, clock, receiver, close };
}

export type SharedErasingService = ErasingService & {
  /** What its stores do otherwise than usual, in one test. */
  around: Overrides['around'];
};

/** One for all tests of the surrounding suite, empty at the start of each. */
export function useErasingService(kind: StoreKind): SharedErasingService {
  const service = {} as SharedErasingService;
  const passing = <T extends object>(part: T, of: 'store' | 'objects'): T =>
    new Proxy(part, {
      get: (target, name) => Reflect.get(service.around?.[of]?.(target as never) ?? target, name),
    });
  beforeEach(async () => {
    if (service.app === undefined) {
      Object.assign(
        service,
        await startErasingService(kind, {
          store: (store) => passing(store, 'store'),
          objects: (objects) => passing(objects, 'objects'),
        }),
      );
    }
    service.around = {};
    service.receiver.reset();
    await service.app.forwarding.settled();
    for (const { key } of await rows(service, 'select key from objects')) {
      await service.app.objects.delete(String(key));
    }
    await emptyDatabase(service);
    await allowServer(service);
    await setUpSite(service);
  });
  after(() => service.close?.());
  return service;
}

export async function erase(service: TestService, given: PersonIdentifiers): Promise<Erased> {
  const { status, body } = await call<Erased>(service, 'POST', ERASE, { body: given });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

export async function assertGone(service: ErasingService): Promise<void> {
  // A database that is too busy by day is scrubbed at night.
  const left = await rows(service, "select id from erasure_steps where step = 'scrub'");
  if (left.length > 0) await runJob(service, 'scrub');
  assert.deepEqual(await tablesWithTraces(service), []);
  // Of a process that is gone it is not known that it will write no more.
  assert.deepEqual(await rows(service, "select * from erasure_steps where step <> 'stray'"), []);
  assert.deepEqual(filesWithTraces(service.dataDir), []);
  assert.deepEqual(await service.app.store.recount(), []);
}

/** Someone else: the same project, page, archive and, with another visitor, the same browser. */
export async function comeAlong(service: ErasingService): Promise<void> {
  for (const [visitor_id, ip] of [
    ['ben', '91.0.0.1'],
    ['cleo', '91.0.0.2'],
  ] as const) {
    const from = { 'x-forwarded-for': ip };
    const page = 'https://www.example.com/riverside?ben';
    const { session_id } = await startSession(service, { fingerprint_id: 'f-ben', visitor_id, page }, from);
    await sendEvents(service, session_id, [{ type: 'page_view', page: 'https://www.example.com/prices' }]);
    service.clock.advance(SECOND_MS);
  }
  await service.settled();
  await capture(service, { EMAIL: 'ben@example.org', PHONE: '98989 54321', __visitor_id: 'ben' });
}

/** It went with everything else. */
async function allowServer({ app }: TestService): Promise<void> {
  const key = { keyHash: keyHash(INTEGRATION_KEY), keyPrefix: keyPrefix(INTEGRATION_KEY) };
  await app.store.upsertDefaultIntegration({ ...key, now: app.now() });
}

export const capture = (service: TestService, sent: Fields) => assertCaptured(sendFromServer(service, sent));

export async function archivedLines(service: TestService): Promise<string[]> {
  const lines: string[] = [];
  for (const { key } of await rows(service, 'select key from objects order by key')) {
    const body = await service.app.objects.get(String(key));
    assert.ok(body, 'An object is listed, but not there.');
    lines.push(...gunzipSync(body).toString().trimEnd().split('\n'));
  }
  return lines;
}

export const count = async (service: TestService, table: string) =>
  Number((await rows(service, `select count(*) as n from ${table}`))[0]?.n);
