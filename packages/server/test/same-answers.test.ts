import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CALLBACK_SECRET, WEBHOOK_SECRET } from '@leadtrail/testing/callbacks';
import { aClock, type Clock } from '@leadtrail/testing/clock';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { createMigratedDatabase } from '@leadtrail/testing/migrated-stores';
import { dropDatabase } from '@leadtrail/testing/postgres-server';
import { type AnyRequest, type Known, someChange, someRead } from '@leadtrail/testing/random-requests';
import { startReceiver } from '@leadtrail/testing/receiver';
import { startRedis } from '@leadtrail/testing/redis-server';
import { startS3Server } from '@leadtrail/testing/s3-server';
import { postgresUrl, startService, type TestService } from '@leadtrail/testing/service';
import { seeded } from '@leadtrail/testing/torture/random';
import type { Environment } from '../src/lib/environment.ts';
import { MINUTE_MS } from '../src/lib/utc-time.ts';

/** More where asked for: `REQUESTS=100000 npm test -- same-answers`, again with the SEED that it names. */
const REQUESTS = Number(process.env.REQUESTS ?? 200);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
const PROCESSES = 3;
const READ_SHARE = 0.15;
const MINUTES_MAX = 20;

const ENV = {
  ...CAPTURE_ENV,
  CRM_CALLBACK_SECRET: CALLBACK_SECRET,
  CRM_WEBHOOK_SECRET: WEBHOOK_SECRET,
  EDGE_ACCOUNT_ID: 'account',
  ANALYTICS_ENGINE_API_TOKEN: 'token',
};

test('one process with SQLite and three with PostgreSQL, Redis and S3 answer the same', async (t) => {
  t.diagnostic(`SEED=${SEED}`);
  const clock = aClock();
  const platform = await startReceiver();
  t.after(() => platform.close());
  const env = { ...ENV, FLOW_WEBHOOK_URL: platform.url };
  await using alone = await startAlone(clock, env);
  await using together = await startTogether(clock, env);
  const random = seeded(SEED);
  const known: Known = { sessions: [], leads: [] };
  for (let number = 1; number <= REQUESTS; number += 1) {
    const request = (random.chance(READ_SHARE) ? someRead : someChange)(random, known);
    // All else depends on how far visits have been taken in.
    if (!request.path.startsWith('/track/')) await Promise.all([alone.settled(), together.settled()]);
    const answers = [await alone.ask(request), await together.ask(request)] as const;
    assert.deepEqual(
      partsThatDiffer(...answers),
      ['', ''],
      `request ${number} of seed ${SEED}: ${JSON.stringify(request)}`,
    );
    learn(known, answers[0]);
    // A delivery shows when it was made.
    await Promise.all([alone.delivered(), together.delivered()]);
    clock.advance(random.between(0, MINUTES_MAX) * MINUTE_MS);
  }
  for (const installation of [alone, together]) {
    await installation.settled();
    assert.deepEqual(await installation.recount(), []);
  }
});

const SHOWN_CHARS = 300;

/** Around the first difference; answers may be long. */
function partsThatDiffer(one: string, other: string): [string, string] {
  if (one === other) return ['', ''];
  const same = [...one].findIndex((character, at) => character !== other[at]);
  const start = Math.max(0, (same === -1 ? one.length : same) - SHOWN_CHARS);
  const part = (text: string) => text.slice(start, start + 2 * SHOWN_CHARS);
  return [part(one), part(other)];
}

function learn(known: Known, answer: string): void {
  const [, session] = /"session_id":"(<\d+>)"/.exec(answer) ?? [];
  const [, lead] = /"lead_public_id":"(<\d+>)"/.exec(answer) ?? [];
  if (session !== undefined && answer.startsWith('200 {"session_id"')) known.sessions.push(session);
  if (lead !== undefined && answer.includes('"redirect_to"')) known.leads.push(lead);
}

/** Ids are made by chance: in requests and answers each has the number that it first came with. */
class Installation {
  private readonly services: readonly TestService[];
  private readonly stop: () => Promise<void>;
  private readonly names = new Map<string, string>();
  private readonly ids: string[] = [];
  private turn = 0;

  constructor(services: readonly TestService[], stop: () => Promise<void>) {
    this.services = services;
    this.stop = stop;
  }

  async ask({ method, path, headers, body }: AnyRequest): Promise<string> {
    const { url } = this.services[this.turn++ % this.services.length] as TestService;
    const response = await fetch(url + this.withIds(path), {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: this.withIds(JSON.stringify(body)) }),
    });
    return `${response.status} ${this.withNames((await response.text()).replaceAll(OWN, ''))}`;
  }

  async settled(): Promise<void> {
    for (const service of this.services) await service.settled();
    const [{ app }] = this.services as [TestService];
    for (const step of [app.store.refreshLeadFigures, app.store.indexLeads, app.store.indexSubmissions]) {
      while ((await step({ max: 100 })) > 0);
    }
  }

  async delivered(): Promise<void> {
    for (const { app } of this.services) await app.forwarding.settled();
  }

  recount() {
    return (this.services[0] as TestService).app.store.recount();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.services.map((service) => service.close()));
    await this.stop();
  }

  private withNames(text: string): string {
    return text.replaceAll(UUID, (id) => {
      const name = this.names.get(id) ?? `<${this.ids.push(id) - 1}>`;
      this.names.set(id, name);
      return name;
    });
  }

  private withIds(text: string): string {
    return text.replaceAll(NAME, (_, number) => this.ids[Number(number)] ?? '');
  }
}

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const NAME = /<(\d+)>/g;
/** When a copy was caught up, how long a delivery took, whether the server of the database clears its pages by itself. */
const OWN = /"as_of":"[^"]*"|"duration_ms":\d+|"scrubbed":(?:true|false)/g;

async function startAlone(clock: Clock, env: Environment): Promise<Installation> {
  const service = await startService('sqlite', { env, overrides: { now: clock.now } });
  return new Installation([service], async () => undefined);
}

async function startTogether(clock: Clock, env: Environment): Promise<Installation> {
  const [redis, s3] = await Promise.all([startRedis(), startS3Server()]);
  const databaseUrl = await createMigratedDatabase(postgresUrl());
  const folder = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
  const services: TestService[] = [];
  for (let number = 0; number < PROCESSES; number += 1) {
    services.push(
      await startService('postgres', {
        databaseUrl,
        dataDir: join(folder, String(number)),
        env: { ...env, REDIS_URL: redis.url, ...s3.env },
        overrides: { now: clock.now },
      }),
    );
  }
  return new Installation(services, async () => {
    await dropDatabase(databaseUrl);
    await Promise.all([redis.stop(), s3.close()]);
    await rm(folder, { recursive: true, force: true });
  });
}
