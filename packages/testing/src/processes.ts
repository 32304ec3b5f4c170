import { after, afterEach, before, beforeEach } from 'node:test';
import type { Overrides } from '../../server/src/app/open-parts.ts';
import type { App } from '../../server/src/app.ts';
import type { Environment } from '../../server/src/lib/environment.ts';
import { NOON } from './builders.ts';
import { aClock, type Clock } from './clock.ts';
import { emptyDatabase } from './database.ts';
import { postgresUrl, type StoreKind, startService, type TestService } from './service.ts';
import { newPlace, type Place, removePlace } from './torture/place.ts';

/**
 * Several processes of one installation. Starting one takes longer than most tests, so they are kept for all tests of
 * the surrounding suite; each test begins at noon with an empty database.
 */
export type Processes = {
  clock: Clock;
  /** One that is running already. What `around` puts in the place of a part holds until the end of the test. */
  process(around?: Around): Promise<TestService>;
  /** One that starts now and ends with the test, for what happens at a start. */
  start(options?: { env?: Environment; overrides?: Overrides }): Promise<TestService>;
};

type Around = {
  store?: (store: App['store']) => App['store'];
  cache?: (cache: App['cache']) => App['cache'];
};
type Kept = { service: TestService; use(around: Around): void };

export function useProcesses(kind: StoreKind, env: Environment = {}): Processes {
  const clock = aClock();
  let place: Place;
  let kept: Kept[] = [];
  let taken = 0;
  let started: TestService[] = [];

  before(async () => {
    place = await newPlace(kind, postgresUrl);
  });
  beforeEach(async () => {
    clock.set(NOON);
    taken = 0;
    for (const { service, use } of kept) {
      use({});
      service.logged.length = 0;
    }
    await empty(kept.map(({ service }) => service));
  });
  afterEach(async () => {
    await Promise.all(started.map((service) => service.close()));
    started = [];
  });
  after(async () => {
    await Promise.all(kept.map(({ service }) => service.close()));
    kept = [];
    await removePlace(place);
  });

  function start({ env: more = {}, overrides = {} }: Parameters<Processes['start']>[0] = {}) {
    return startService(kind, {
      dataDir: place.dataDir,
      ...(place.databaseUrl === undefined ? {} : { databaseUrl: place.databaseUrl }),
      env: { ...env, ...more },
      overrides: { now: clock.now, ...overrides },
    });
  }

  async function keepOne(): Promise<Kept> {
    const store = switchable<App['store']>();
    const cache = switchable<App['cache']>();
    const service = await start({ overrides: { around: { store: store.wrap, cache: cache.wrap } } });
    const use = (around: Around) => {
      store.use(around.store);
      cache.use(around.cache);
    };
    return { service, use };
  }

  return {
    clock,
    async process(around = {}) {
      const next = kept[taken] ?? (await keepOne());
      kept[taken] = next;
      taken += 1;
      next.use(around);
      return next.service;
    },
    async start(options) {
      const service = await start(options);
      started.push(service);
      return service;
    },
  };
}

/** Takes away all that tests have left, in the database and in what processes remember of it. */
async function empty(services: readonly TestService[]): Promise<void> {
  const [first] = services;
  if (first === undefined) return;
  for (const { app } of services) await Promise.all([app.ingest.settled(), app.indexing.settled()]);
  // The integration of the environment is set up at a start only.
  await emptyDatabase(first, { except: ['integrations'] });
  for (const { app } of services) await app.settings.latest();
}

/** A part of the service that another can take the place of for a while. */
function switchable<T extends object>(): { wrap(real: T): T; use(around?: (real: T) => T): void } {
  let part: T | undefined;
  let current: T | undefined;
  return {
    wrap(real) {
      part = real;
      current = real;
      return new Proxy(real, { get: (target, name) => Reflect.get(current ?? target, name) });
    },
    use(around) {
      if (part !== undefined) current = around?.(part) ?? part;
    },
  };
}
