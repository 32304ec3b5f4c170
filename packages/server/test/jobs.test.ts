import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NOON } from '@leadtrail/testing/builders';
import { row, rows } from '@leadtrail/testing/database';
import { useProcesses } from '@leadtrail/testing/processes';
import { onBothStores, type TestService } from '@leadtrail/testing/service';
import fc from 'fast-check';
import { cronOf, tickAt } from '../src/jobs/run-job.ts';
import { JOBS } from '../src/jobs/schedule.ts';
import { unavailable } from '../src/lib/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';
import type { Store } from '../src/store/store.ts';

const YEAR_MS = 365 * DAY_MS;

test('the jobs of the specification run at its times', () => {
  const cronOfJob = (name: string) => JOBS.find((job) => job.name === name)?.cron;
  assert.equal(cronOfJob('check-lead-drought'), '*/10 * * * *');
  assert.equal(cronOfJob('retention'), '0 3 * * *');
});

describe('a tick', () => {
  const iso = (job: { cron: string }, at: string) =>
    new Date(tickAt(cronOf(job), Date.parse(at)).tick).toISOString();

  test('is the time when the job was due, however late the timer is', () => {
    const everyTenMinutes = { cron: '*/10 * * * *' };
    for (const at of ['12:10:00.000', '12:10:00.001', '12:10:00.999', '12:13:30.000', '12:19:59.999']) {
      assert.equal(iso(everyTenMinutes, `2026-03-10T${at}Z`), '2026-03-10T12:10:00.000Z');
    }
    assert.equal(iso(everyTenMinutes, '2026-03-10T12:09:59.999Z'), '2026-03-10T12:00:00.000Z');
    assert.equal(iso({ cron: '0 3 * * *' }, '2026-03-10T02:59:59.999Z'), '2026-03-09T03:00:00.000Z');
  });

  test('is the latest of its schedule, for every job and at any time', () => {
    const at = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2100-01-01') });
    for (const job of JOBS) {
      const cron = cronOf(job);
      fc.assert(
        fc.property(at, (now) => {
          const { tick, intervalMs } = tickAt(cron, now);
          assert.ok(tick <= now && now < tick + intervalMs);
          assert.equal(tickAt(cron, tick).tick, tick);
          assert.equal(tickAt(cron, tick - 1).tick, tick - intervalMs);
        }),
        { numRuns: 30 },
      );
    }
  });

  describe('where clocks are put forward and back', () => {
    const timeZone = process.env.TZ;
    before(() => {
      process.env.TZ = 'Europe/Berlin';
    });
    after(() => {
      if (timeZone === undefined) delete process.env.TZ;
      else process.env.TZ = timeZone;
    });

    for (const [what, change] of [
      ['forward', '2026-03-29T01:00:00Z'],
      ['back', '2026-10-25T01:00:00Z'],
    ] as const) {
      test(`comes once per interval all the same: ${what}`, () => {
        const changeAt = Date.parse(change);
        const offsetAt = (at: number) => new Date(at).getTimezoneOffset();
        assert.notEqual(offsetAt(changeAt - 1), offsetAt(changeAt));

        for (const job of JOBS.filter(({ scope }) => scope === 'service')) {
          const cron = cronOf(job);
          const { intervalMs } = tickAt(cron, changeAt - 2 * DAY_MS);
          const around = Math.max(3 * HOUR_MS, 2 * intervalMs);
          const ticks = new Set<number>();
          for (let at = changeAt - around; at < changeAt + around; at += intervalMs / 3) {
            ticks.add(tickAt(cron, at).tick);
          }
          const inOrder = [...ticks];
          const gaps = inOrder.slice(1).map((tick, i) => tick - (inOrder[i] as number));
          assert.deepEqual([...new Set(gaps)], [intervalMs], job.name);
          // The timer is set by the same schedule.
          const due = cron.nextRuns(4, new Date(changeAt - 2 * intervalMs - 1)).map((next) => next.getTime());
          assert.deepEqual(
            due.slice(1).map((next, i) => next - (due[i] as number)),
            [intervalMs, intervalMs, intervalMs],
            job.name,
          );
        }
      });
    }
  });
});

onBothStores('a scheduled job', (kind) => {
  const { clock, process, start } = useProcesses(kind);
  const run = (service: TestService, job: string) => service.app.schedule.run(job);
  const inAll = async (services: readonly TestService[], job: string) =>
    (await Promise.all(services.map((service) => run(service, job)))).sort();

  /** Notes the time that was given to an operation whenever it is called. */
  const noting = <N extends 'cleanUpCrmEvents' | 'cleanUpTracking'>(name: N, times: number[]) => ({
    store: (store: Store): Store => ({
      ...store,
      [name]: (given: { now: number; keptMs: number }) => {
        times.push(given.now);
        return store[name](given);
      },
    }),
  });

  describe('of the service', () => {
    test('runs once per tick however many processes there are', async () => {
      const times: number[] = [];
      const around = noting('cleanUpTracking', times);
      const services = [await process(around), await process(around), await process(around)];
      for (let tick = 0; tick < 5; tick += 1) {
        assert.deepEqual(await inAll(services, 'clean-up-tracking'), ['skipped', 'skipped', 'success']);
        assert.equal(times.length, tick + 1);
        clock.advance(10 * MINUTE_MS);
      }
    });

    test('runs once per tick when a timer is late', async () => {
      const [prompt, late] = [await process(), await process()];
      assert.equal(await run(prompt, 'clean-up-tracking'), 'success');
      clock.advance(10 * MINUTE_MS - 1);
      assert.equal(await run(late, 'clean-up-tracking'), 'skipped');
      clock.advance(1);
      assert.equal(await run(late, 'clean-up-tracking'), 'success');
      assert.equal(await run(prompt, 'clean-up-tracking'), 'skipped');
    });

    test('runs once per tick over a restart', async () => {
      const first = await start();
      assert.equal(await run(first, 'retention'), 'success');
      await first.close();
      assert.equal(await run(await start(), 'retention'), 'skipped');
    });

    test('does not keep others from their ticks', async () => {
      const service = await process();
      for (const { name } of JOBS) assert.equal(await run(service, name), 'success', name);
    });

    test('leaves when it was due, when it ran and what came of it', async () => {
      clock.set(NOON + 90 * SECOND_MS);
      const service = await process();
      await run(service, 'end-idle-sessions');
      const kept = await row(service, 'select job, tick, started_at, finished_at, outcome from job_runs');
      assert.deepEqual(kept, {
        job: 'end-idle-sessions',
        tick: NOON + MINUTE_MS,
        started_at: clock.now(),
        finished_at: clock.now(),
        outcome: 'success',
      });
    });

    test('that fails is logged, is not run again for the same tick, and is for the next', async () => {
      let fails = true;
      const service = await process({
        store: (store) => ({
          ...store,
          cleanUpTracking: (given) =>
            fails ? Promise.reject(new Error('It broke.')) : store.cleanUpTracking(given),
        }),
      });
      assert.equal(await run(service, 'clean-up-tracking'), 'failure');
      assert.deepEqual(
        service.logged.filter(({ level }) => level === 'error'),
        [
          {
            level: 'error',
            message: 'job failed',
            fields: { job: 'clean-up-tracking', reason: 'It broke.' },
          },
        ],
      );
      assert.equal((await row(service, 'select outcome from job_runs')).outcome, 'failure');
      fails = false;
      assert.equal(await run(service, 'clean-up-tracking'), 'skipped');
      clock.advance(10 * MINUTE_MS);
      assert.equal(await run(service, 'clean-up-tracking'), 'success');
    });

    test('fails while the store is away, and goes on when it is back', async () => {
      let isAway = true;
      const service = await process({
        store: (store) => ({
          ...store,
          claimTick: (claim) =>
            isAway ? Promise.reject(unavailable('The store is away.')) : store.claimTick(claim),
        }),
      });
      assert.equal(await run(service, 'clean-up-tracking'), 'failure');
      isAway = false;
      assert.equal(await run(service, 'clean-up-tracking'), 'success');
    });
  });

  test('of the process runs in each of them', async () => {
    const services = [await process(), await process()];
    for (const job of ['adopt-inboxes', 'archive-sessions']) {
      assert.deepEqual(await inAll(services, job), ['success', 'success']);
      assert.deepEqual(await inAll(services, job), ['success', 'success']);
    }
    assert.deepEqual(await rows(services[0] as TestService, 'select * from job_runs'), []);
  });

  describe('while the clock jumps', () => {
    const HOURLY = 'clean-up-crm-events';

    test('a year ahead and back, runs once per tick before, meanwhile and after', async () => {
      const services = [await process(), await process()];
      for (const jump of [0, YEAR_MS, HOUR_MS - YEAR_MS, HOUR_MS]) {
        clock.advance(jump);
        assert.deepEqual(await inAll(services, HOURLY), ['skipped', 'success']);
        assert.deepEqual(await inAll(services, HOURLY), ['skipped', 'skipped']);
      }
    });

    test('back by no more than two intervals, waits for the tick that follows the last one', async () => {
      const service = await process();
      assert.equal(await run(service, HOURLY), 'success');
      clock.advance(-2 * HOUR_MS);
      assert.equal(await run(service, HOURLY), 'skipped');
      clock.advance(3 * HOUR_MS);
      assert.equal(await run(service, HOURLY), 'success');
    });

    test('back by more than that, does not wait until the wrong time has come', async () => {
      const service = await process();
      assert.equal(await run(service, HOURLY), 'success');
      clock.advance(-5 * HOUR_MS);
      assert.equal(await run(service, HOURLY), 'success');
      assert.equal(await run(service, HOURLY), 'skipped');
    });

    test('deletes what two intervals have brought at most', async () => {
      const times: number[] = [];
      const service = await process(noting('cleanUpCrmEvents', times));
      const runAt = async (at: number) => {
        clock.set(at);
        assert.equal(await run(service, HOURLY), 'success');
        return ((times.at(-1) as number) - NOON) / HOUR_MS;
      };
      assert.equal(await runAt(NOON), 0);
      assert.equal(await runAt(NOON + HOUR_MS), 1);
      assert.equal(await runAt(NOON + YEAR_MS), 3);
      assert.equal(await runAt(NOON + YEAR_MS + HOUR_MS), 5);
      // Right again: nothing is younger than it is, and a second jump begins where the first has ended.
      assert.equal(await runAt(NOON + 2 * HOUR_MS), 2);
      assert.equal(await runAt(NOON + YEAR_MS), 7);
    });

    test('into the past, goes on from where it was', async () => {
      const times: number[] = [];
      const service = await process(noting('cleanUpCrmEvents', times));
      for (const at of [NOON, 0, NOON + HOUR_MS, NOON + 2 * HOUR_MS]) {
        clock.set(at);
        await run(service, HOURLY);
      }
      assert.deepEqual(times, [NOON, 0, NOON + HOUR_MS, NOON + 2 * HOUR_MS]);
    });

    test('one process whose clock is wrong does not carry the others away', async () => {
      const times: number[] = [];
      const right = await process(noting('cleanUpCrmEvents', times));
      const wrong = await start({ overrides: { now: () => clock.now() + YEAR_MS } });
      for (let hour = 0; hour < 5; hour += 1) {
        assert.equal(await run(right, HOURLY), 'success');
        assert.equal(times.at(-1), clock.now());
        assert.equal(await run(wrong, HOURLY), 'success');
        clock.advance(HOUR_MS);
      }
    });

    test('idle sessions are ended by the time it is', async () => {
      let idleSince = 0;
      const service = await process({
        store: (store) => ({
          ...store,
          endIdleSessions: (given) => {
            idleSince = given.idleSince;
            return store.endIdleSessions(given);
          },
        }),
      });
      for (const at of [NOON, NOON + HOUR_MS]) {
        clock.set(at);
        await run(service, 'end-idle-sessions');
        assert.equal(idleSince, at - 30 * MINUTE_MS);
      }
    });
  });
});
