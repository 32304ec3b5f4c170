import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { answering, startReceiver } from '@leadtrail/testing/receiver';
import { ADMIN_KEY, startService, type TestService } from '@leadtrail/testing/service';
import { within } from '@leadtrail/testing/torture/service-process';
import { JOBS } from '../src/jobs/schedule.ts';
import { MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';

async function metrics(service: TestService): Promise<Map<string, number>> {
  const response = await fetch(`${service.url}/metrics`, { headers: { 'x-api-key': ADMIN_KEY } });
  const samples = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end))] as const;
    }),
  );
}

const runs = (job: string, outcome: string) => `leadtrail_job_runs_total{job="${job}",outcome="${outcome}"}`;
const last = (figure: string, job: string) => `leadtrail_job_last_${figure}_seconds{job="${job}"}`;

test('every job can be seen in /metrics before it has run', async (t) => {
  const service = await startService('sqlite');
  t.after(() => service.close());
  const found = await metrics(service);
  for (const { name } of JOBS) {
    for (const outcome of ['success', 'failure', 'skipped']) assert.equal(found.get(runs(name, outcome)), 0);
    assert.equal(found.get(last('run_timestamp', name)), undefined);
  }
});

test('/metrics tells when a job last ran, when it succeeded, how long it took and how often', async (t) => {
  const clock = aClock();
  let fails = false;
  const service = await startService('sqlite', {
    overrides: {
      now: clock.now,
      around: {
        store: (store) => ({
          ...store,
          cleanUpTracking: (given) =>
            fails ? Promise.reject(new Error('It broke.')) : store.cleanUpTracking(given),
        }),
      },
    },
  });
  t.after(() => service.close());
  const job = 'clean-up-tracking';
  const run = () => service.app.schedule.run(job);

  await run();
  clock.advance(MINUTE_MS);
  await run();
  let found = await metrics(service);
  assert.deepEqual(
    ['success', 'failure', 'skipped'].map((outcome) => found.get(runs(job, outcome))),
    [1, 0, 1],
  );
  // What another process has done is not a run of this one.
  assert.equal(found.get(last('run_timestamp', job)), NOON / SECOND_MS);
  assert.equal(found.get(last('success_timestamp', job)), NOON / SECOND_MS);
  assert.ok((found.get(last('duration', job)) ?? 0) > 0);

  fails = true;
  clock.advance(10 * MINUTE_MS);
  await run();
  found = await metrics(service);
  assert.deepEqual(
    ['success', 'failure', 'skipped'].map((outcome) => found.get(runs(job, outcome))),
    [1, 1, 1],
  );
  assert.equal(found.get(last('run_timestamp', job)), (NOON + 11 * MINUTE_MS) / SECOND_MS);
  assert.equal(found.get(last('success_timestamp', job)), NOON / SECOND_MS);
});

test('/metrics counts what became of the attempts to forward leads', async (t) => {
  const receiver = await startReceiver();
  const service = await startService('sqlite', { env: { ...CAPTURE_ENV, FLOW_WEBHOOK_URL: receiver.url } });
  t.after(async () => {
    await service.close();
    await receiver.close();
  });
  const counted = async () => {
    await within('Forwarding', service.app.forwarding.settled());
    const found = await metrics(service);
    return ['delivered', 'retry', 'failed'].map((outcome) =>
      found.get(`leadtrail_deliveries_total{outcome="${outcome}"}`),
    );
  };
  const captured = (EMAIL: string) => assertCaptured(sendFromServer(service, { EMAIL, PHONE: '' }));

  assert.deepEqual(await counted(), [0, 0, 0]);
  await captured('delivered@example.org');
  assert.deepEqual(await counted(), [1, 0, 0]);
  receiver.answer(answering(500));
  await captured('retry@example.org');
  assert.deepEqual(await counted(), [1, 1, 0]);
  receiver.answer(answering(410));
  await captured('failed@example.org');
  assert.deepEqual(await counted(), [1, 1, 1]);
});

test('/metrics counts every submitted lead by what became of it', async (t) => {
  let isAway = false;
  const service = await startService('sqlite', {
    env: CAPTURE_ENV,
    overrides: {
      around: {
        store: (store) => ({
          ...store,
          captureLead: (given) =>
            isAway ? Promise.reject(new Error('It broke.')) : store.captureLead(given),
        }),
      },
    },
  });
  t.after(() => service.close());
  const admin = { 'x-api-key': ADMIN_KEY };
  await service.post('/analytics/blocked-ips', { ip: '198.51.100.1' }, admin);
  await service.post('/analytics/whitelisted-ips', { ip: '198.51.100.2', usage: 'test' }, admin);

  await sendFromServer(service);
  await sendFromServer(service);
  await sendFromServer(service, {}, { ip: '198.51.100.1' });
  await sendFromServer(service, {}, { ip: '198.51.100.2' });
  await sendFromServer(service, {}, { headers: { 'x-api-key': 'wrong' } });
  isAway = true;
  await sendFromServer(service);

  const found = await metrics(service);
  for (const outcome of ['primary', 'follow_up', 'rejected', 'testing', 'refused', 'failed']) {
    assert.equal(found.get(`leadtrail_leads_total{outcome="${outcome}"}`), 1, outcome);
  }
});

test('/metrics counts what is dropped, by reason', async (t) => {
  const service = await startService('sqlite', { env: { TRACK_RATE_LIMIT_PER_MINUTE: '3' } });
  t.after(() => service.close());
  const session_id = '01890000-0000-7000-8000-000000000000';
  const events = [{ type: 'click' }, { type: '' }, 'no event'];
  await service.post('/track/events', { session_id, events });
  await service.post('/track/session/start', { page: 'https://www.example.com/' });
  await service.post('/track/session/start', 'no JSON');
  await service.post('/track/session/start', { fingerprint_id: 'f', page: 'https://www.example.com/' });

  const found = await metrics(service);
  const dropped = (reason: string) => found.get(`leadtrail_dropped_total{reason="${reason}"}`);
  assert.equal(dropped('event_invalid'), 2);
  assert.equal(dropped('tracking_invalid'), 2);
  assert.equal(dropped('tracking_rate_limited'), 1);
  assert.equal(dropped('tracking_unavailable'), 0);
});
