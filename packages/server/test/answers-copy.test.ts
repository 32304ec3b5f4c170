import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { call } from '@leadtrail/testing/analytics-calls';
import { row, rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { useProcesses } from '@leadtrail/testing/processes';
import { ask, QUERY } from '@leadtrail/testing/questions';
import { ADMIN_KEY, onBothStores, startService, type TestService } from '@leadtrail/testing/service';
import { until } from '@leadtrail/testing/torture/service-process';
import { startSession } from '@leadtrail/testing/visits';
import { Client } from 'pg';
import { openDuckdbAnswers } from '../src/adapters/duckdb-answers.ts';
import { openCopy } from '../src/adapters/duckdb-copy.ts';
import {
  DamagedCopy,
  type FollowedCopy,
  type FollowingOptions,
  openFollowedCopy,
} from '../src/adapters/duckdb-following.ts';
import { claimPlace } from '../src/adapters/duckdb-place.ts';
import { openStoreReader, type StoreReader } from '../src/adapters/store-reader.ts';
import { unavailable } from '../src/lib/errors.ts';
import type { answerChangesSince, Change } from '../src/store/answers/changes.ts';
import type { OperationName } from '../src/store/operations.ts';

/** The columnar copy can be lost, damaged or left unfinished at any moment: answers are right, or there are none for now. */

const VISITS = { metrics: ['visits' as const] };
/** The store knows its changes as they are. */
const unpadded = (change: Change): Change => ({ ...change, ids: change.ids.trimEnd() });
const visits = async (service: TestService) => (await ask(service, VISITS)).totals.metrics[0];

onBothStores('the columnar copy', (kind) => {
  let dataDir: string;
  let services: TestService[] = [];
  let databaseUrl: string | undefined;
  const folder = () => join(dataDir, 'answers');
  const file = () => join(folder(), '1.duckdb');

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
  });
  afterEach(async () => {
    for (const service of services) await service.close();
    services = [];
  });
  after(() => rm(dataDir, { recursive: true, force: true }));

  /** The same installation again, with its copy as it was left. */
  async function start(): Promise<TestService> {
    const options = { dataDir, env: CAPTURE_ENV, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
    const service = await startService(kind, options);
    services.push(service);
    return service;
  }
  /** On PostgreSQL a service of its own would drop its database. */
  async function inOneInstallation(
    act: (restart: () => Promise<TestService>) => Promise<void>,
  ): Promise<void> {
    rmSync(folder(), { recursive: true, force: true });
    const owner = kind === 'postgres' ? await startService(kind) : undefined;
    databaseUrl = owner?.database.kind === 'postgres' ? owner.database.url : undefined;
    try {
      await act(async () => {
        for (const service of services) await service.close();
        services = [];
        return start();
      });
    } finally {
      for (const service of services) await service.close();
      services = [];
      await owner?.close();
    }
  }

  /** One beside that of the service, which reads the store as it is told. */
  async function withCopy(
    reading: (reader: StoreReader) => Partial<StoreReader>,
    act: (copy: FollowedCopy, service: TestService) => Promise<void>,
    options: FollowingOptions = {},
  ): Promise<void> {
    await inOneInstallation(async (restart) => {
      const service = await restart();
      await startSession(service);
      await service.settled();
      await service.app.store.bookmarkAnswers();
      const reader = await openStoreReader(service.database);
      const place = claimPlace(join(dataDir, 'another-copy'));
      const copy = openFollowedCopy(place, { ...reader, ...reading(reader) }, options);
      try {
        await act(copy, service);
      } finally {
        await copy.close();
        place.release();
      }
    });
  }

  async function countVisits(copy: FollowedCopy): Promise<number> {
    await copy.follow(Date.now());
    return copy.use(async (connection) => {
      const found = await connection.runAndReadAll('select count(*) as n from visits');
      return Number(found.getRowObjectsJS()[0]?.n);
    });
  }

  test('is not there until somebody asks, and then only for the user of the service', async () => {
    await inOneInstallation(async (restart) => {
      const service = await restart();
      await startSession(service);
      await service.settled();
      assert.equal(existsSync(folder()), false);
      const before = (await visits(service)) ?? 0;
      assert.ok(before >= 1);
      assert.equal(statSync(folder()).mode & 0o777, 0o700);
      for (const name of readdirSync(folder()))
        assert.equal(statSync(join(folder(), name)).mode & 0o777, 0o600);
    });
  });

  test('is closed while aborted questions are still running', async () => {
    await inOneInstallation(async (restart) => {
      let service = await restart();
      await startSession(service);
      await service.settled();
      const expected = await visits(service);
      for (const pauseMs of [5, 20, 40, 80]) {
        const left = new AbortController();
        const headers = { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' };
        const questions = Array.from({ length: 60 }, (_, index) => {
          const body = JSON.stringify({ ...VISITS, period: 'all', limit: index + 1 });
          return fetch(`${service.url}${QUERY}`, { method: 'POST', headers, body, signal: left.signal });
        });
        await delay(pauseMs);
        left.abort();
        await Promise.allSettled(questions);
        service = await restart();
      }
      assert.equal(await visits(service), expected);
    });
  });

  test('is made again when it is lost, damaged or unfinished', async () => {
    await inOneInstallation(async (restart) => {
      let service = await restart();
      for (const visitor_id of ['a', 'b', 'c']) await startSession(service, { visitor_id });
      await service.settled();
      const expected = await visits(service);
      const spoil: (() => void | Promise<void>)[] = [
        () => rmSync(folder(), { recursive: true }),
        () => writeFileSync(file(), 'This is no database.'),
        () => writeFileSync(file(), ''),
        async () => {
          rmSync(file());
          const copy = await openCopy(file(), join(folder(), 'spill'), '1 sqlite');
          copy.close();
        },
        // As it is left.
        () => undefined,
      ];
      for (const act of spoil) {
        await service.close();
        await act();
        service = await restart();
        assert.equal(await visits(service), expected);
        assert.equal(globSync('*.duckdb', { cwd: folder() }).length, 1);
      }
    });
  });

  test('is made again when changes it has not seen are forgotten, or when the database is another', async () => {
    await inOneInstallation(async (restart) => {
      const service = await restart();
      await startSession(service);
      await service.settled();
      const before = Number(await visits(service));
      await rows(service, 'delete from answer_changes');
      await startSession(service);
      await service.settled();
      assert.equal(await visits(service), before + 1);
    });
  });

  test('that cannot be written leaves capture and tracking alone, and answers come back', async () => {
    await inOneInstallation(async (restart) => {
      const service = await restart();
      writeFileSync(folder(), 'A file in the place of the folder.');
      const refused = await call(service, 'POST', QUERY, { body: { ...VISITS, period: 'all' } });
      assert.equal(refused.status, 503);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      await startSession(service);
      await assertCaptured(sendFromServer(service));
      await service.settled();
      rmSync(folder());
      assert.ok(Number(await visits(service)) >= 1);
    });
  });

  test('loses no change where the store goes away while it follows', async () => {
    let isAway = false;
    const away = () => Promise.reject(unavailable('The store cannot be read at present.'));
    await withCopy(
      ({ read }) => ({
        read: ((name: OperationName, argument: never) =>
          isAway && name === 'visitsOf' ? away() : read(name, argument)) as StoreReader['read'],
      }),
      async (copy, service) => {
        const before = await countVisits(copy);
        await startSession(service);
        await service.settled();
        isAway = true;
        assert.equal(await countVisits(copy), before);
        isAway = false;
        assert.equal(await countVisits(copy), before + 1);
      },
    );
  });

  test('waits for a store that is away to forget what has left it', async () => {
    let isAway = false;
    let reads = 0;
    await withCopy(
      ({ read }) => ({
        read: ((name: OperationName, argument: never) => {
          reads += 1;
          return isAway
            ? Promise.reject(unavailable('The store cannot be read at present.'))
            : read(name, argument);
        }) as StoreReader['read'],
      }),
      async (copy) => {
        await countVisits(copy);
        isAway = true;
        reads = 0;
        const forgotten = copy.forget(Date.now());
        await delay(300);
        assert.ok(reads <= 3, `read ${reads} times in vain`);
        isAway = false;
        await forgotten;
      },
    );
  });

  test('works no longer on a question for which nobody waits any more', async () => {
    await inOneInstallation(async (restart) => {
      const { app, database } = await restart();
      const answers = openDuckdbAnswers({
        place: { folder: join(dataDir, 'late-copy'), store: database },
        store: app.store,
        now: app.now,
        isBusy: () => false,
        msMax: 2000,
      });
      const question = (sql: string) => ({
        rows: { sql, values: [] },
        totals: { sql: 'select 1 as m0', values: [] },
        earliest: null,
      });
      const isAnswered = (asked: typeof short) =>
        answers.ask(asked).then(
          () => true,
          () => false,
        );
      const short = question('select 7 as m0');
      const long = question('select count(distinct hash(range * random())) as m0 from range(1000000000000)');
      try {
        await until('The copy', () => isAnswered(short));
        // More than are worked on at once.
        for (const outcome of await Promise.allSettled(Array.from({ length: 6 }, () => answers.ask(long))))
          assert.match(String(outcome.status === 'rejected' && outcome.reason), /takes too long/);
        await until('The next answer', () => isAnswered(short));
      } finally {
        await answers.close();
      }
    });
  });

  test('is made again once where several questions find it damaged', async () => {
    let made = 0;
    await withCopy(
      ({ read }) => ({
        read: ((name: OperationName, argument: never) => {
          if (name === 'startOfAnswers') made += 1;
          return read(name, argument);
        }) as StoreReader['read'],
      }),
      async (copy) => {
        const before = await countVisits(copy);
        made = 0;
        const damaged = () =>
          copy.use(() => Promise.reject(new Error('FATAL Error: the database has been invalidated')));
        const asked = [damaged(), damaged(), damaged()].map((each) =>
          assert.rejects(each, DamagedCopy).then(() => countVisits(copy)),
        );
        assert.deepEqual(await Promise.all(asked), [before, before, before]);
        assert.equal(made, 1);
        await assert.rejects(
          copy.use(() => Promise.reject(new Error('Binder Error'))),
          /Binder Error/,
        );
        assert.equal(made, 1);
      },
    );
  });

  test('stays behind while more important work waits, and then has everything', async () => {
    let isBusy = false;
    let looks = 0;
    await withCopy(
      ({ read }) => ({
        // Changes as large as what is taken in at a time, from a store so slow that not all are taken in before an answer.
        read: (async (name: OperationName, argument: never) => {
          if (name !== 'answerChangesSince') return read(name, argument);
          looks += 1;
          const { bookmark, ...asked } = argument as Parameters<typeof answerChangesSince>[1];
          const known = { ...bookmark, last: unpadded(bookmark.last) };
          const [found] = await Promise.all([read(name, { ...asked, bookmark: known }), delay(600)]);
          const padded = found?.changes.map((each) => ({ ...each, ids: each.ids.padEnd(200_001) }));
          return found && { ...found, changes: padded };
        }) as StoreReader['read'],
      }),
      async (copy, service) => {
        const before = await countVisits(copy);
        for (let n = 0; n < 4; n += 1) {
          await startSession(service);
          await service.settled();
        }
        const partly = await countVisits(copy);
        assert.ok(partly > before && partly < before + 4, `${partly - before} of 4`);
        isBusy = true;
        looks = 0;
        assert.equal(await countVisits(copy), partly);
        assert.equal(looks, 0);
        isBusy = false;
        for (let n = 0; n < 10 && (await countVisits(copy)) < before + 4; n += 1);
        assert.equal(await countVisits(copy), before + 4);
        assert.ok(looks > 0);
      },
      { isBusy: () => isBusy },
    );
  });

  test('follows by changes of which old ones are forgotten, the last never', async () => {
    await inOneInstallation(async (restart) => {
      const service = await restart();
      for (let n = 0; n < 3; n += 1) {
        await startSession(service);
        await service.settled();
      }
      const expected = await visits(service);
      await service.app.store.trimAnswerChanges({ now: Date.now() + 10 * 86_400_000 });
      assert.equal((await row(service, 'select count(*) as n from answer_changes')).n, 1);
      await startSession(service);
      await service.settled();
      assert.equal(await visits(service), Number(expected) + 1);
    });
  });

  if (kind === 'postgres') {
    test('misses no change, however late its transaction commits', async () => {
      await inOneInstallation(async (restart) => {
        const service = await restart();
        const cost = async () => (await ask(service, { metrics: ['cost'] })).totals.metrics[0];
        assert.equal(await cost(), 0);
        const slow = new Client(databaseUrl);
        await slow.connect();
        await slow.query('begin');
        await slow.query(
          `insert into costs values ('2026-03-01', '', 'a', 'b', 'c', 'c', 1000000, 0, 0, 'slow')`,
        );
        await slow.query(`insert into answer_changes (at, kind, ids) values (0, 'costs', '["slow"]')`);
        // Its number is higher, and it is there earlier.
        const fast = { day: '2026-03-02', site_key: '', source: 'a', medium: 'b', campaign: 'c' };
        for (const [n, importId] of ['fast-1', 'fast-2'].entries()) {
          const costs = [
            { ...fast, site_key: String(n), amount_micros: 2_000_000, clicks: 0, impressions: 0 },
          ];
          await service.app.store.importCosts({ importId, format: 'plain', fileName: '', costs, now: 0 });
          assert.equal(await cost(), 2 * (n + 1));
        }
        await slow.query('commit');
        await slow.end();
        assert.equal(await cost(), 5);
      });
    });

    test('misses no change whose transaction commits while it takes in others', async () => {
      let slow: Client | undefined;
      await withCopy(
        ({ read }) => ({
          // Changes as large as what is taken in at a time.
          read: (async (name: OperationName, argument: never) => {
            if (name !== 'answerChangesSince') return read(name, argument);
            const { bookmark, ...asked } = argument as Parameters<typeof answerChangesSince>[1];
            if (asked.after > 0) {
              await slow?.query('commit');
              await slow?.end();
              slow = undefined;
            }
            const found = await read(name, {
              ...asked,
              bookmark: { ...bookmark, last: unpadded(bookmark.last) },
            });
            const padded = found?.changes.map((each) => ({ ...each, ids: each.ids.padEnd(200_001) }));
            return found && { ...found, changes: padded };
          }) as StoreReader['read'],
        }),
        async (copy, service) => {
          const before = await countVisits(copy);
          const session = (await row<{ session_id: string }>(service, 'select session_id from sessions'))
            .session_id;
          slow = new Client(databaseUrl);
          await slow.connect();
          await slow.query('begin');
          await slow.query('delete from sessions');
          await slow.query(
            `insert into answer_changes (at, kind, ids) values (0, 'erased', '["${session}"]')`,
          );
          // Their numbers are higher, and they are there earlier.
          for (const ids of ['["one"]', '["another"]', '["last"]']) {
            await rows(
              service,
              `insert into answer_changes (at, kind, ids) values (0, 'sessions', '${ids}') returning 1`,
            );
          }
          await countVisits(copy);
          assert.equal(slow, undefined);
          assert.equal(await countVisits(copy), before - 1);
        },
      );
    });
  }
});

onBothStores('two processes', (kind) => {
  const processes = useProcesses(kind, CAPTURE_ENV);

  test('give the same answers, each from a copy of its own', async () => {
    const [one, other] = [await processes.process(), await processes.process()];
    for (let n = 0; n < 5; n += 1) {
      const asked = n % 2 === 0 ? one : other;
      await startSession(asked, {
        visitor_id: `visitor-${n}`,
        page: `https://example.com/${n}?utm_source=s${n}`,
      });
      await asked.settled();
      await assertCaptured(
        sendFromServer(asked, { EMAIL: `${n}@example.org`, PHONE: '', __visitor_id: `visitor-${n}` }),
      );
      const question = {
        metrics: ['visits', 'leads'] as ['visits', 'leads'],
        dimensions: ['source' as const],
      };
      const { rows: found, totals } = await ask(one, question);
      assert.deepEqual(totals.metrics, [n + 1, n + 1]);
      const again = await ask(other, question);
      assert.deepEqual([again.rows, again.totals], [found, totals]);
    }
  });
});
