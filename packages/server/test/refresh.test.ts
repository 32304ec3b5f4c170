import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { type CallAnswer, call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { aClock, type Clock } from '@leadtrail/testing/clock';
import { assertHit, assertMiss, warmed } from '@leadtrail/testing/kept-answers';
import { patch } from '@leadtrail/testing/management';
import {
  MARKETING_KEY,
  onBothStores,
  postgresUrl,
  startService,
  type TestService,
} from '@leadtrail/testing/service';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';

const REFRESH = '/analytics/refresh';
const OVERVIEW = '/analytics/overview';
const COOLDOWN_MS = 30 * MINUTE_MS;

type Refreshed = { refreshed: true; next_refresh_at: string };

onBothStores('POST /analytics/refresh', (kind) => {
  let place: Place;
  let clock: Clock;
  let service: TestService;
  let other: TestService;
  const running: TestService[] = [];

  async function start(env: Record<string, string> = {}): Promise<TestService> {
    const started = await startService(kind, {
      dataDir: place.dataDir,
      ...(place.databaseUrl === undefined ? {} : { databaseUrl: place.databaseUrl }),
      env,
      overrides: { now: clock.now },
    });
    running.push(started);
    return started;
  }

  beforeEach(async () => {
    place = await newPlace(kind, postgresUrl);
    clock = aClock();
    service = await start();
    other = await start();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.close()));
    await removePlace(place);
  });

  const refresh = <T = Refreshed>(at = service) => call<T>(at, 'POST', REFRESH);

  function assertTooEarly({ status, headers, body }: CallAnswer<Refusal>, seconds: number): void {
    assert.equal(status, 429);
    assert.equal(headers.get('retry-after'), String(seconds));
    assert.match(body.error, /^Refreshed a short while ago/);
  }

  test('drops the cache of every process, and says when the next time is', async () => {
    await warmed(service, OVERVIEW);
    await warmed(other, OVERVIEW);
    const { status, body } = await refresh();
    assert.equal(status, 200);
    assert.deepEqual(body, { refreshed: true, next_refresh_at: '2026-03-10 12:30:00' });
    await assertMiss(service, OVERVIEW);
    await assertMiss(other, OVERVIEW);
    await assertHit(other, OVERVIEW);
  });

  test('429 with Retry-After within the cooldown, in every process and after a restart, and nothing is dropped', async () => {
    await refresh();
    await warmed(other, OVERVIEW);
    assertTooEarly(await refresh(), 1800);
    assertTooEarly(await refresh(other), 1800);
    clock.advance(20 * MINUTE_MS + 1);
    assertTooEarly(await refresh(other), 600);
    await service.close();
    service = await start();
    assertTooEarly(await refresh(), 600);
    await assertHit(other, OVERVIEW);

    clock.set(NOON + COOLDOWN_MS - 1);
    assertTooEarly(await refresh(), 1);
    clock.advance(1);
    assert.equal((await refresh(other)).status, 200);
    assertTooEarly(await refresh(), 1800);
  });

  test('next_refresh_at is never too early', async () => {
    clock.advance(1);
    assert.equal((await refresh()).body.next_refresh_at, '2026-03-10 12:30:01');
    clock.set(Date.parse('2026-03-10T12:30:01Z'));
    assert.equal((await refresh()).status, 200);
  });

  test('of many at the same moment one is done', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => refresh(i % 2 ? service : other)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array(19).fill(429)]);
  });

  test('a clock that is set back does not lock it', async () => {
    await refresh();
    clock.advance(-HOUR_MS);
    assert.equal((await refresh()).status, 200);
    assertTooEarly(await refresh(other), 1800);
  });

  test('the cooldown is the one that was saved, else the environment’s', async () => {
    const own = await start({ ANALYTICS_REFRESH_COOLDOWN_SECONDS: '60' });
    assert.equal((await refresh(own)).body.next_refresh_at, '2026-03-10 12:01:00');
    await patch(service, '/analytics/settings', { analytics_refresh_cooldown_seconds: 10 });
    assertTooEarly(await refresh(own), 10);
    clock.advance(10 * SECOND_MS);
    assert.equal((await refresh(own)).body.next_refresh_at, '2026-03-10 12:00:20');
    await patch(service, '/analytics/settings', { analytics_refresh_cooldown_seconds: 0 });
    for (let time = 1; time <= 3; time += 1) assert.equal((await refresh(other)).status, 200);
  });

  test('403 for the marketing key, 401 without a key, and neither starts the cooldown', async () => {
    for (const [key, expected] of [
      [MARKETING_KEY, 403] as const,
      ['wrong', 401] as const,
      [null, 401] as const,
    ]) {
      assert.equal((await call(service, 'POST', REFRESH, { key })).status, expected);
    }
    assert.equal((await refresh()).status, 200);
  });
});
