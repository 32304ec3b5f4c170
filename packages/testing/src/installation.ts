import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../server/src/lib/environment.ts';
import type { Inbox } from '../../server/src/ports/inbox.ts';
import type { Clock } from './clock.ts';
import { createMigratedDatabase } from './migrated-stores.ts';
import { dropDatabase } from './postgres-server.ts';
import type { AnyRequest } from './random-requests.ts';
import { startRedis } from './redis-server.ts';
import { startS3Server } from './s3-server.ts';
import { postgresUrl, startService, type TestService } from './service.ts';
import { openApiConnection } from './torture/api-connection.ts';

const PROCESSES = 3;
const TRIES_MAX = 20;

/**
 * One service, of one process or of several, for comparing its answers with those of another. Ids are random, so requests
 * and answers name each by the order in which it first appeared.
 */
export class Installation {
  private readonly services: readonly Process[];
  private readonly stop: () => Promise<void>;
  private readonly names = new Map<string, string>();
  private readonly ids: string[] = [];
  private readonly connection = openApiConnection({});

  constructor(services: readonly Process[], stop: () => Promise<void>) {
    this.services = services;
    this.stop = stop;
  }

  ask(requests: readonly AnyRequest[], process: number): Promise<string[]> {
    return Promise.all(requests.map((request) => this.askOne(request, process)));
  }

  private async askOne(request: AnyRequest, process: number, triesLeft = TRIES_MAX): Promise<string> {
    const { method, path, headers, body } = request;
    const service = this.services[process % this.services.length] as Process;
    if (method === 'JOB') return service.app.schedule.run(path);
    const { status, text } = await this.connection.call({
      port: Number(new URL(service.url).port),
      method,
      path: this.withIds(path),
      headers,
      body:
        body === undefined ? undefined : this.withIds(typeof body === 'string' ? body : JSON.stringify(body)),
    });
    // On a busy machine its copy takes longer than anybody waits for it.
    const isBusy = status === 503 && path.startsWith('/analytics/query');
    if (isBusy && triesLeft > 0) return this.askOne(request, process, triesLeft - 1);
    if (method !== 'GET' && SETUP.test(path)) await this.renewed();
    return `${status} ${text.replaceAll(OWN, '')}`;
  }

  /** Other processes hear of settings with the next request that needs them, and of forms within ten seconds. */
  private async renewed(): Promise<void> {
    for (const { app } of this.services) {
      await app.settings.current();
      await app.senders.refresh();
    }
  }

  async settled(): Promise<void> {
    await Promise.all(
      this.services.map((service) => {
        service.takeIn();
        return service.settled();
      }),
    );
    const [{ app }] = this.services as [Process];
    while ((await app.store.refreshLeadFigures({ max: 100 })) > 0);
  }

  async indexed(): Promise<void> {
    const [{ app }] = this.services as [Process];
    for (const step of [app.store.refreshLeadFigures, app.store.indexLeads, app.store.indexSubmissions]) {
      while ((await step({ max: 100 })) > 0);
    }
  }

  async delivered(): Promise<void> {
    await Promise.all(this.services.map(({ app }) => app.forwarding.settled()));
  }

  recount() {
    return (this.services[0] as Process).app.store.recount();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connection.close();
    await Promise.all(this.services.map((service) => service.close()));
    await this.stop();
  }

  withNames(text: string): string {
    return text
      .replaceAll(UUID, (id) => this.nameOf(id))
      .replaceAll(CURSOR, (cursor) => this.newName(cursor));
  }

  private nameOf(id: string): string {
    const name = this.names.get(id) ?? this.newName(id);
    this.names.set(id, name);
    return name;
  }

  private newName(id: string): string {
    return `<${this.ids.push(id) - 1}>`;
  }

  private withIds(text: string): string {
    return text.replaceAll(NAME, (_, number) => this.ids[Number(number)] ?? '');
  }
}

const SETUP = /^\/analytics\/(?:settings|sites|forms|integrations|blocked-ips|whitelisted-ips)/;
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
/** How often a lead was indexed, which is done beside its deliveries, shows in it. */
const CURSOR = /(?<="(?:next|resume)_cursor":")[^"]+/g;
const NAME = /<(\d+)>/g;
/**
 * When a copy was caught up, how long a delivery took, whether the server of the database clears its pages by itself, how
 * many batches of visits were archived together, and keys.
 */
const OWN =
  /"as_of":"[^"]*"|"duration_ms":\d+|"scrubbed":(?:true|false)|"total_objects":\d+|"(?:api_key|key_prefix|token)":"[^"]*"/g;

/** One that takes in visits when it is told to, so all that have come by then with one transaction. */
type Process = TestService & { takeIn: () => void };

async function startProcess(...[kind, options]: Parameters<typeof startService>): Promise<Process> {
  let takeIn = () => {};
  const inbox = (own: Inbox): Inbox => ({
    ...own,
    onAppended(listener) {
      takeIn = listener;
    },
  });
  const overrides = { ...options?.overrides, random: () => 0.5, around: { inbox } };
  const service = await startService(kind, { ...options, overrides });
  return { ...service, takeIn: () => takeIn() };
}

export async function startAlone(clock: Clock, env: Environment): Promise<Installation> {
  const service = await startProcess('sqlite', { env, overrides: { now: clock.now } });
  return new Installation([service], async () => undefined);
}

export async function startTogether(clock: Clock, env: Environment): Promise<Installation> {
  const [redis, s3] = await Promise.all([startRedis(), startS3Server()]);
  const databaseUrl = await createMigratedDatabase(postgresUrl());
  const folder = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
  const services: Process[] = [];
  for (let number = 0; number < PROCESSES; number += 1) {
    services.push(
      await startProcess('postgres', {
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
