import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Erased } from '@leadtrail/contract/erase';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { CALLBACK_SECRET } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import { INTEGRATION_KEY, setUpSite } from '@leadtrail/testing/enquiries';
import { patch } from '@leadtrail/testing/management';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import {
  aChunk,
  allowRecording,
  aRecordedEvent,
  askForReplay,
  knownChunk,
  listed,
  record,
  replayed,
  sendBody,
} from '@leadtrail/testing/recordings';
import {
  answering,
  type Behaviour,
  hanging,
  resetting,
  S3_KEY,
  S3_SECRET,
  type S3Server,
  startS3Server,
} from '@leadtrail/testing/s3-server';
import { onBothStores, postgresUrl, startService, type TestService } from '@leadtrail/testing/service';
import { newPlace, removePlace } from '@leadtrail/testing/torture/place';
import { within } from '@leadtrail/testing/torture/service-process';
import {
  archive,
  CANARY,
  filesWithTraces,
  leaveTraces,
  PERSON,
  tablesWithTraces,
  visit,
} from '@leadtrail/testing/traces';
import { runJob, startSession } from '@leadtrail/testing/visits';
import { AwsClient } from 'aws4fetch';
import { keyHash, keyPrefix } from '../src/domain/setup/integration-key.ts';
import { DAY_MS, MINUTE_MS } from '../src/lib/utc-time.ts';

type Storage = { total_objects: number; estimated_sessions: number };

onBothStores('a service with its objects in S3', (kind) => {
  const clock = aClock();
  let s3: S3Server;
  let receiver: Receiver;
  let service: TestService & { dataDir: string };

  before(async () => {
    [s3, receiver] = await Promise.all([startS3Server(), startReceiver()]);
    const dataDir = mkdtempSync(join(tmpdir(), 'leadtrail-test-'));
    const started = await startService(kind, {
      dataDir,
      env: { ...s3.env, CRM_CALLBACK_SECRET: CALLBACK_SECRET, FLOW_WEBHOOK_URL: receiver.url },
      overrides: { now: clock.now },
    });
    service = { ...started, dataDir };
  });
  after(async () => {
    await service?.close();
    rmSync(service.dataDir, { recursive: true });
    await Promise.all([s3.close(), receiver.close()]);
  });
  beforeEach(async () => {
    s3.behave();
    clock.advance(DAY_MS);
    for (const key of s3.keys()) await service.app.objects.delete(key);
    await emptyDatabase(service);
  });
  afterEach(async () => {
    for (const secret of [S3_KEY, S3_SECRET]) {
      assert.ok(!JSON.stringify(service.logged).includes(secret), 'A secret was logged.');
    }
    assert.deepEqual(readdirSync(service.dataDir).includes('objects'), false);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  const storage = () => service.get<Storage>('/analytics/storage');
  const erase = () =>
    call<Erased & Refusal>(service, 'POST', '/analytics/erase', { body: { email: PERSON.email } });

  /** Away for as long as something takes. */
  async function whileAway(doing: () => Promise<void>): Promise<void> {
    await s3.goAway();
    try {
      await doing();
    } finally {
      await s3.comeBack();
    }
  }

  test('keeps archives and recordings there, and nothing in its own directory', async () => {
    await startSession(service);
    await archive(service);
    const { session_id, events } = await record(service);
    assert.deepEqual(s3.keys().length, 2);
    assert.match(s3.keys()[0] ?? '', /^archives\/\d{4}\/\d{2}\/\d{2}\/[0-9a-f-]{36}\.ndjson\.gz$/);
    assert.equal(s3.keys()[1], `replays/${session_id.slice(-2)}/${session_id}-0.json.gz`);
    assert.deepEqual((await replayed(service, session_id)).events, events);
    assert.deepEqual((await storage()).total_objects, 2);
  });

  const OUTAGES: Record<string, Behaviour> = {
    'answers with an error': answering(500, 'InternalError'),
    'asks to slow down': answering(503, 'SlowDown'),
    'resets connections': resetting,
    hangs: hanging,
    'has lost the bucket': answering(404, 'NoSuchBucket'),
  };
  for (const [what, outage] of Object.entries(OUTAGES)) {
    test(`6: object store ${what}: tracking answers; archives stay queued and arrive later`, () =>
      assertArchivesWait(
        () => s3.behave(outage),
        () => s3.behave(),
      ));
  }
  test('6: object store down: tracking answers; archives stay queued and arrive later', () =>
    assertArchivesWait(s3.goAway, s3.comeBack));

  async function assertArchivesWait(
    begin: () => Promise<void> | void,
    end: () => Promise<void> | void,
  ): Promise<void> {
    await begin();
    await startSession(service);
    await service.settled();
    await assert.rejects(runJob(service, 'archive-sessions'), /object store/);
    await startSession(service);
    await service.settled();
    assert.deepEqual(await storage(), { total_objects: 0, estimated_sessions: 0 });

    await end();
    clock.advance(MINUTE_MS);
    await runJob(service, 'archive-sessions');
    assert.equal((await storage()).estimated_sessions, 2);
    assert.equal(s3.keys().length, (await storage()).total_objects);
  }

  test('a recording sent while it is down is answered 503 with Retry-After, and taken when it is sent again', async () => {
    const chunk = await knownChunk(service, { events: [aRecordedEvent({ timestamp: clock.now() })] });
    await whileAway(async () => {
      const refused = await sendBody(service, JSON.stringify(chunk));
      assert.equal(refused.status, 503);
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
      assert.deepEqual(await refused.json(), {
        error: 'The recording cannot be stored at present.',
        code: 'unavailable',
      });
      assert.equal((await listed(service)).total, 0);
    });
    await record(service, chunk);
    assert.deepEqual((await replayed(service, chunk.session_id)).events, chunk.events);
  });

  test('a recording asked for while it is down is answered 503 with Retry-After', async () => {
    const { session_id } = await record(service);
    await whileAway(async () => {
      const refused = await askForReplay(service, session_id);
      assert.equal(refused.status, 503);
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
      assert.deepEqual(await refused.json(), {
        error: 'The recording cannot be read at present.',
        code: 'unavailable',
      });
    });
    assert.equal((await replayed(service, session_id)).event_count, 1);
  });

  test('retention deletes there, and what it cannot delete the next time', async () => {
    await patch(service, '/analytics/settings', { archive_retention_days: 1, replay_retention_days: 1 });
    await startSession(service);
    await archive(service);
    await record(service);
    assert.equal(await service.app.schedule.run('retention'), 'success');
    clock.advance(2 * DAY_MS);
    await whileAway(async () => {
      assert.equal(await service.app.schedule.run('retention'), 'failure');
      assert.equal((await storage()).total_objects, 2);
    });
    assert.equal(s3.keys().length, 2);
    clock.advance(DAY_MS);
    assert.equal(await service.app.schedule.run('retention'), 'success');
    assert.deepEqual(s3.keys(), []);
    assert.equal((await storage()).total_objects, 0);
  });

  /** Somebody with a lead, an archived session and a recording, and somebody else with the same. */
  async function beRemembered(): Promise<{ other: string }> {
    const key = { keyHash: keyHash(INTEGRATION_KEY), keyPrefix: keyPrefix(INTEGRATION_KEY) };
    await service.app.store.upsertDefaultIntegration({ ...key, now: 0 });
    await setUpSite(service);
    await leaveTraces(service);
    const { session_id } = await visit(service);
    const { session_id: other } = await startSession(service, { visitor_id: 'ben', fingerprint_id: 'f-ben' });
    await archive(service);
    await record(service, { session_id, events: [aRecordedEvent({ data: CANARY })] });
    await record(service, { session_id: other });
    assert.equal(filesWithTraces(s3.dir).length, 2);
    return { other };
  }

  async function assertForgotten(other: string): Promise<void> {
    assert.deepEqual(filesWithTraces(s3.dir), []);
    assert.deepEqual(filesWithTraces(service.dataDir), []);
    assert.deepEqual(await tablesWithTraces(service), []);
    assert.deepEqual(await rows(service, 'select * from erasure_steps'), []);
    assert.equal((await replayed(service, other)).event_count, 1);
    assert.equal(s3.keys().length, 2);
  }

  test("38: erase request: the person's text is in no object", async () => {
    const { other } = await beRemembered();
    const { status, body } = await erase();
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.archived_sessions, body.replays], [2, 1]);
    await assertForgotten(other);
  });

  test('an erasure while it is down is answered 503 with Retry-After, and finished at night', async () => {
    const { other } = await beRemembered();
    await whileAway(async () => {
      const refused = await erase();
      assert.equal(refused.status, 503);
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
      assert.equal((await listed(service)).total, 1);
    });
    assert.equal(filesWithTraces(s3.dir).length, 2);
    clock.advance(MINUTE_MS);
    await runJob(service, 'scrub');
    await assertForgotten(other);
  });

  test('what was on its way while its session was erased is deleted when it is sent again, if not at once', async () => {
    const { session_id } = await visit(service);
    await service.settled();
    await allowRecording(service);
    const late = JSON.stringify(aChunk({ session_id, events: [aRecordedEvent({ data: CANARY })] }));
    let erased: Promise<void> | undefined;
    s3.behave((request, response, pass) => {
      if (request.method === 'DELETE') return answering(503, 'SlowDown')(request, response, pass);
      erased = pass().then(async ({ status }) => {
        const body = { visitor_id: PERSON.visitor_id };
        assert.equal((await call(service, 'POST', '/analytics/erase', { body })).status, 200);
        response.writeHead(status).end();
      });
    });
    assert.equal((await sendBody(service, late)).status, 503);
    await erased;
    assert.equal(filesWithTraces(s3.dir).length, 1);
    s3.behave();
    assert.equal((await sendBody(service, late)).status, 410);
    assert.deepEqual(s3.keys(), []);
  });
});

describe('the start of a service with its objects in S3', () => {
  let s3: S3Server;
  beforeEach(async () => {
    s3 = await startS3Server();
  });
  afterEach(() => s3.close());

  async function start(env: Record<string, string> = {}): Promise<TestService> {
    return startService('sqlite', { env: { ...s3.env, ...env } });
  }
  async function warnings(service: TestService): Promise<unknown[]> {
    const said = () => service.logged.filter(({ level }) => level === 'warn');
    while (said().length === 0) await new Promise(setImmediate);
    return said().map(({ message, fields }) => [message, fields.reason]);
  }

  test('succeeds although nobody is there, with one warning, and heals', async (t) => {
    await s3.goAway();
    const service = await start();
    t.after(() => service.close());
    const { host } = new URL(s3.settings.address);
    const reason = `The object store at ${host} cannot be reached (ECONNREFUSED).`;
    assert.deepEqual(await warnings(service), [['object store not available', reason]]);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    await startSession(service);
    await service.settled();

    await s3.comeBack();
    await runJob(service, 'archive-sessions');
    await record(service);
    assert.equal(s3.keys().length, 2);
    assert.equal((await warnings(service)).length, 1);
  });

  test('says clearly that there is no such bucket', async (t) => {
    const service = await start({ S3_BUCKET: 'misspelt' });
    t.after(() => service.close());
    const { host } = new URL(s3.settings.address);
    const reason = `The object store at ${host} has no bucket "misspelt" (404 NoSuchBucket).`;
    assert.deepEqual(await warnings(service), [['object store not available', reason]]);
  });

  test('says clearly that the key is wrong', async (t) => {
    const service = await start({ S3_SECRET_ACCESS_KEY: 'wrong' });
    t.after(() => service.close());
    const [[, reason] = []] = (await warnings(service)) as string[][];
    assert.match(reason ?? '', /does not accept S3_ACCESS_KEY_ID with S3_SECRET_ACCESS_KEY/);
  });
});

test('4: a service whose object store hangs ends in time: what was under way is refused, not lost', async (t) => {
  const s3 = await startS3Server();
  t.after(() => s3.close());
  const service = await startService('sqlite', { env: s3.env });
  const chunk = await knownChunk(service);
  await service.settled();
  s3.behave(hanging);
  const asked = s3.requests();
  const sending = sendBody(service, JSON.stringify(chunk));
  const archiving = service.app.schedule.run('archive-sessions');
  while (s3.requests() < asked + 2) await new Promise(setImmediate);
  await within('The end', service.close());
  assert.equal((await sending).status, 503);
  assert.equal(await archiving, 'failure');
});

onBothStores('moving from files to S3', (kind) => {
  test('a copy of the folder is all there is to it', async (t) => {
    const s3 = await startS3Server();
    t.after(() => s3.close());
    const place = await newPlace(kind, postgresUrl);
    t.after(() => removePlace(place));
    const start = (env: Record<string, string>) =>
      startService(kind, {
        env,
        dataDir: place.dataDir,
        ...(place.databaseUrl === undefined ? {} : { databaseUrl: place.databaseUrl }),
      });

    const before = await start({});
    const { session_id, visitor_id } = await startSession(before);
    await archive(before);
    const { events } = await record(before, { session_id });
    await before.close();

    await copyFolder(join(place.dataDir, 'objects'), s3);
    rmSync(join(place.dataDir, 'objects'), { recursive: true });

    const afterwards = await start(s3.env);
    t.after(() => afterwards.close());
    assert.equal(s3.keys().length, 2);
    assert.deepEqual((await replayed(afterwards, session_id)).events, events);
    const { body } = await call<Erased>(afterwards, 'POST', '/analytics/erase', { body: { visitor_id } });
    assert.deepEqual([body.archived_sessions, body.replays], [1, 1]);
    assert.deepEqual(s3.keys(), []);
  });

  /** As the usual tools do it: the path of a file becomes the key of an object. */
  async function copyFolder(dir: string, { settings }: S3Server): Promise<void> {
    const { address, region = '', accessKeyId, secretAccessKey } = settings;
    const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' });
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      const body = readFileSync(file);
      const headers = {
        'x-amz-content-sha256': Buffer.from(await crypto.subtle.digest('SHA-256', body)).toString('hex'),
      };
      const url = `${address}/${relative(dir, file).split(sep).join('/')}`;
      const stored = await client.fetch(url, { method: 'PUT', body, headers });
      assert.equal(stored.status, 200, await stored.text());
    }
  }
});
