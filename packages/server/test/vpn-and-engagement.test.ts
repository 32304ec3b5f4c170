import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { SessionStart, TrackingEvent } from '@leadtrail/contract/tracking';
import { anEvent, NOON, PAGE } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, row, rows } from '@leadtrail/testing/database';
import { onBothStores, useService } from '@leadtrail/testing/service';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';
import { engagementLabel } from '../src/domain/tracking/engagement.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';

const AT_HOME = '91.0.0.1';
const HOSTED = '2a01:4f8::1';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';
const IN_ORDER = { timezone: 'Europe/Berlin', platform: 'Win32', user_agent: WINDOWS };

onBothStores('the VPN suspicion score', (kind) => {
  const clock = aClock();
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(() => {
    clock.set(NOON);
    return emptyDatabase(service);
  });

  const start = async (ip: string, sent: Partial<SessionStart>, headers: Record<string, string> = {}) => {
    const { session_id } = await startSession(service, sent, { 'x-forwarded-for': ip, ...headers });
    await service.settled();
    const session = await row<{ vpn_score: number }>(
      service,
      `select vpn_score from sessions where session_id = '${session_id}'`,
    );
    return session.vpn_score;
  };
  const suspected = async () =>
    (await service.get<{ vpn_suspected_count: number }>('/analytics/overview')).vpn_suspected_count;

  test('nothing suspicious scores nothing', async () => {
    assert.equal(await start(AT_HOME, { device_info: IN_ORDER }), 0);
    assert.equal(await suspected(), 0);
  });

  test('a hosting or VPN network is 50 points', async () => {
    assert.equal(await start(HOSTED, { device_info: IN_ORDER }), 50);
    assert.equal(await suspected(), 1);
  });

  test('a browser timezone that does not match the country is 30 points', async () => {
    assert.equal(await start(AT_HOME, { device_info: { ...IN_ORDER, timezone: 'Asia/Kolkata' } }), 30);
  });

  test('the timezone is optional', async () => {
    assert.equal(await start(AT_HOME, { device_info: { platform: 'Win32', user_agent: WINDOWS } }), 0);
  });

  test('a platform that contradicts the user agent is 10 points', async () => {
    assert.equal(await start(AT_HOME, { device_info: { ...IN_ORDER, platform: 'MacIntel' } }), 10);
  });

  test('three or more networks for one fingerprint in 24 h are 20 points', async () => {
    const from = (asn: number) =>
      start(AT_HOME, { device_info: IN_ORDER }, { 'cf-ipcountry': 'DE', 'cf-asn': `${asn}` });
    assert.equal(await from(3320), 0);
    clock.advance(HOUR_MS);
    assert.equal(await from(6805), 0);
    assert.equal(await from(3320), 0);
    clock.advance(HOUR_MS);
    assert.equal(await from(8881), 20);
  });

  test('networks seen more than 24 h ago do not count', async () => {
    const from = (asn: number) =>
      start(AT_HOME, { device_info: IN_ORDER }, { 'cf-ipcountry': 'DE', 'cf-asn': `${asn}` });
    await from(3320);
    clock.advance(DAY_MS);
    await from(6805);
    assert.equal(await from(8881), 0);
    clock.advance(MINUTE_MS);
    assert.equal(await from(3209), 20);
  });

  test('a session counts as VPN-suspected at 50 or more', async () => {
    const kolkata = { ...IN_ORDER, timezone: 'Asia/Kolkata' };
    assert.equal(await start(AT_HOME, { device_info: { ...kolkata, platform: 'MacIntel' } }), 40);
    assert.equal(await suspected(), 0);
    assert.equal(await start(HOSTED, { device_info: { ...IN_ORDER, platform: 'MacIntel' } }), 60);
    assert.equal(await suspected(), 1);
    assert.equal(await start(HOSTED, { device_info: kolkata }), 80);
    assert.equal(await suspected(), 2);
  });

  test('the fingerprint record carries the latest score, the visitor whether any session was suspected', async () => {
    const visitor_id = 'anna';
    await start(HOSTED, { visitor_id, device_info: { ...IN_ORDER, timezone: 'Asia/Kolkata' } });
    assert.deepEqual(await rows(service, 'select vpn_score from fingerprints'), [{ vpn_score: 80 }]);
    assert.deepEqual(await rows(service, 'select vpn_suspected from visitors'), [{ vpn_suspected: 1 }]);
    clock.advance(MINUTE_MS);
    await start(AT_HOME, { visitor_id, device_info: IN_ORDER });
    assert.deepEqual(await rows(service, 'select vpn_score from fingerprints'), [{ vpn_score: 0 }]);
    assert.deepEqual(await rows(service, 'select vpn_suspected from visitors'), [{ vpn_suspected: 1 }]);
    assert.equal(await suspected(), 1);
  });
});

onBothStores('the engagement score', (kind) => {
  const clock = aClock();
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(() => {
    clock.set(NOON);
    return emptyDatabase(service);
  });

  /** The score of a first session in which this happened; its one page is worth 6. */
  const scoreOf = async (events: readonly TrackingEvent[]) => {
    const { session_id } = await startSession(service);
    if (events.length > 0) await sendEvents(service, session_id, events);
    await service.settled();
    return (await row<{ engagement_score: number }>(service, 'select engagement_score from sessions'))
      .engagement_score;
  };
  const pageViews = (count: number) =>
    Array.from({ length: count }, (_, i) => anEvent({ type: 'page_view', page: `${PAGE}${i}` }));
  const engaged = (ms: unknown) => anEvent({ type: 'engaged', data: { ms } });
  const scrolled = (depth: unknown) => anEvent({ type: 'scroll', data: { depth } });

  test('the first page counts, and pages are worth up to 30', async () => {
    assert.equal(await scoreOf([]), 6);
    await emptyDatabase(service);
    assert.equal(await scoreOf(pageViews(3)), 24);
    await emptyDatabase(service);
    assert.equal(await scoreOf(pageViews(50)), 30);
  });

  test('engaged time adds up and is worth up to 30', async () => {
    assert.equal(await scoreOf([engaged(45 * SECOND_MS), engaged(45 * SECOND_MS)]), 6 + 15);
    await emptyDatabase(service);
    assert.equal(await scoreOf([engaged(180 * SECOND_MS), engaged(HOUR_MS)]), 6 + 30);
  });

  test('the deepest scroll counts and is worth up to 15', async () => {
    assert.equal(await scoreOf([scrolled(60), scrolled(40)]), 6 + 9);
    await emptyDatabase(service);
    assert.equal(await scoreOf([scrolled(100), scrolled(100)]), 6 + 15);
  });

  for (const type of ['form_start', 'form_submit', 'cta_click']) {
    test(`a form or CTA touch is worth 10 once: ${type}`, async () => {
      assert.equal(await scoreOf([anEvent({ type }), anEvent({ type })]), 6 + 10);
    });
  }

  test('clicks and unknown events are worth nothing', async () => {
    assert.equal(await scoreOf([anEvent({ type: 'click' }), anEvent({ type: 'anything' })]), 6);
  });

  test('return visits are worth up to 15', async () => {
    const scores: number[] = [];
    for (let visit = 0; visit < 5; visit += 1) {
      const { session_id } = await startSession(service, { visitor_id: 'anna' });
      await service.settled();
      const session = await row<{ engagement_score: number }>(
        service,
        `select engagement_score from sessions where session_id = '${session_id}'`,
      );
      scores.push(session.engagement_score);
    }
    assert.deepEqual(scores, [6, 11, 16, 21, 21]);
  });

  test('everything together is 100', async () => {
    for (let visit = 0; visit < 3; visit += 1) await startSession(service, { visitor_id: 'anna' });
    const { session_id } = await startSession(service, { visitor_id: 'anna' });
    const events = [...pageViews(9), engaged(HOUR_MS), scrolled(100), anEvent({ type: 'cta_click' })];
    await sendEvents(service, session_id, events);
    await endSession(service, session_id);
    await service.settled();
    const buckets = await service.get<{ bucket: string; count: number }[]>('/analytics/engagement');
    assert.deepEqual(
      buckets.filter((each) => each.count > 0),
      [{ bucket: '80-100', count: 1 }],
    );
    assert.deepEqual(
      await rows(service, `select engagement_score from sessions where session_id = '${session_id}'`),
      [{ engagement_score: 100 }],
    );
  });

  test('figures that make no sense are worth nothing, or as much as they can be', async () => {
    const senseless = [null, 'all', -50, {}, [100], true].flatMap((value) => [
      engaged(value),
      scrolled(value),
    ]);
    assert.equal(await scoreOf([...senseless, anEvent({ type: 'engaged' }), anEvent({ type: 'scroll' })]), 6);
    await emptyDatabase(service);
    assert.equal(await scoreOf([engaged(1e300), scrolled(1e300)]), 6 + 30 + 15);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('a score moves its session to another bucket when more arrives after the end', async () => {
    const { session_id } = await startSession(service);
    await endSession(service, session_id);
    await service.settled();
    const filled = async () =>
      (await service.get<{ bucket: string; count: number }[]>('/analytics/engagement'))
        .filter((each) => each.count > 0)
        .map((each) => each.bucket);
    assert.deepEqual(await filled(), ['0-19']);
    await sendEvents(service, session_id, [
      engaged(HOUR_MS),
      scrolled(100),
      anEvent({ type: 'form_submit' }),
    ]);
    await service.settled();
    assert.deepEqual(await filled(), ['60-79']);
  });

  test('a visitor is scored over all sessions', async () => {
    const first = await startSession(service, { visitor_id: 'anna' });
    await sendEvents(service, first.session_id, [engaged(90 * SECOND_MS), scrolled(40)]);
    const second = await startSession(service, { visitor_id: 'anna' });
    await sendEvents(service, second.session_id, [engaged(90 * SECOND_MS), anEvent({ type: 'cta_click' })]);
    await service.settled();
    const visitor = 'session_count, page_views, engaged_ms, scroll_depth, touched, engagement_score';
    assert.deepEqual(await rows(service, `select ${visitor} from visitors`), [
      {
        session_count: 2,
        page_views: 2,
        engaged_ms: 180 * SECOND_MS,
        scroll_depth: 40,
        touched: 1,
        engagement_score: 2 * 6 + 30 + 6 + 5 + 10,
      },
    ]);
  });
});

test('labels: Cold 0–19, Cool 20–39, Warm 40–59, Hot 60–79, Very Hot 80–100', () => {
  const scores = [0, 19, 20, 39, 40, 59, 60, 79, 80, 100];
  assert.deepEqual(scores.map(engagementLabel), [
    'Cold',
    'Cold',
    'Cool',
    'Cool',
    'Warm',
    'Warm',
    'Hot',
    'Hot',
    'Very Hot',
    'Very Hot',
  ]);
});
