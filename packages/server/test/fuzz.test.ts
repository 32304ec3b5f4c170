import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { endpoints } from '@leadtrail/contract/endpoints';
import { anEnquiry, FORM_ID, INTEGRATION_KEY, SITE_KEY } from '@leadtrail/testing/enquiries';
import { SECRETS } from '@leadtrail/testing/every-endpoint';
import { anyRequest, type FuzzRequest } from '@leadtrail/testing/fuzz/requests';
import { sendAndJudge, shown } from '@leadtrail/testing/fuzz/send';
import type { Known } from '@leadtrail/testing/fuzz/values';
import { ADMIN_KEY, MARKETING_KEY, startService } from '@leadtrail/testing/service';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { getText, inboxEmpty, within } from '@leadtrail/testing/torture/service-process';
import { leastStallMs, startWatchedService, type WatchedService } from '@leadtrail/testing/watched-service';
import fc from 'fast-check';

/** Always the same requests, unless more are asked for: `FUZZ_REQUESTS=200000 npm test -- fuzz`, again with FUZZ_SEED. */
const { FUZZ_REQUESTS, FUZZ_SEED } = process.env;
const REQUESTS = Number(FUZZ_REQUESTS ?? 5000);
const SEED = Number(FUZZ_SEED ?? (FUZZ_REQUESTS === undefined ? 7 : randomInt(2 ** 31)));
const REQUESTS_PER_ROUND = 500;
const AT_ONCE = 8;
const STALL_MS_MAX = 50;
const MIB = 1024 * 1024;
const HEAP_BYTES_MORE_MAX = 64 * MIB;
const PEAK_BYTES_MORE_MAX = 256 * MIB;
/** After which everything is loaded, compiled and cached that ever is. */
const WARM_UP_ROUNDS = 3;

const PUBLIC = Object.entries(endpoints)
  .filter(([, { auth }]) => auth === 'public')
  .map(([name]) => name);

const KEYS = {
  right: [ADMIN_KEY, MARKETING_KEY, INTEGRATION_KEY, SECRETS.CRM_CALLBACK_SECRET],
  capture: [INTEGRATION_KEY],
  wrong: ['wrong', '', 'x'.repeat(5000), 'null'],
};

describe(`any request at all, ${REQUESTS} of them (seed ${SEED})`, () => {
  let place: Place;
  let service: WatchedService;
  let port: number;
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const statuses = new Map<string, number>();
  /** Endpoints that a request got through to. */
  const reached = new Set<string>();
  before(async () => {
    place = await newPlace('sqlite', () => '');
    service = startWatchedService(place, {
      ...SECRETS,
      ANALYTICS_MARKETING_API_KEY: MARKETING_KEY,
      CAPTURE_RATE_LIMIT_PER_MINUTE: '0',
      FLOW_WEBHOOK_URL: '',
      LOG_LEVEL: 'info',
    });
    port = await within('The start', service.listening);
  });
  after(async () => {
    agent.destroy();
    service.kill('SIGKILL');
    await removePlace(place);
  });

  async function sendAll(requests: readonly FuzzRequest[]): Promise<void> {
    const faults: string[] = [];
    const left = requests.values();
    const one = async () => {
      for (const sent of left) {
        const { status, fault } = await sendAndJudge(port, agent, sent);
        const answered = `${Math.floor(status / 100)}xx`;
        statuses.set(answered, (statuses.get(answered) ?? 0) + 1);
        if (status >= 200 && status < 400) reached.add(sent.endpoint);
        if (fault !== null) faults.push(`${fault}\n  ${shown(sent)}`);
      }
    };
    await within('A round', Promise.all(Array.from({ length: AT_ONCE }, one)));
    assert.equal(faults.length, 0, `${faults.length} faults, the first of them: ${faults[0]}`);
  }

  /** Things under which there is something, so that not all requests end at the first check. */
  async function setUp(): Promise<Known> {
    const post = async (path: string, body: object, key = ADMIN_KEY, method = 'POST') => {
      const headers = { 'content-type': 'application/json', 'x-api-key': key };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        redirect: 'manual',
        headers,
        body: JSON.stringify(body),
      });
      return response.json().catch(() => ({}));
    };
    await post('/analytics/settings', { replay_sample_rate: 1 }, ADMIN_KEY, 'PATCH');
    await post('/analytics/sites', { site_key: SITE_KEY, name: 'Example', domains: ['example.com'] });
    await post('/analytics/forms', { site_key: SITE_KEY, form_id: FORM_ID, name: 'Enquiry' });
    const page = 'https://www.example.com/';
    const { session_id } = (await post('/track/session/start', { fingerprint_id: 'f', page })) as {
      session_id: string;
    };
    await post('/lead.capture', anEnquiry(), INTEGRATION_KEY);
    return {
      id: ['1', '2'],
      session_id: [session_id],
      fingerprint_id: ['f'],
      page: [page],
      guide: ['sites', 'operations'],
      sequence: [0, 1, 2],
      events: [[{ type: 'page_view', page }], [{ type: 4, timestamp: Date.now(), data: {} }]],
      siteKey: [SITE_KEY],
      formId: [FORM_ID],
      site_id: ['1'],
      lead_id: ['1'],
      crm_lead_id: ['crm-1'],
      EMAIL: ['ada@example.org', 'ben@example.org'],
      PHONE: ['98765 43210'],
      PROJECT: ['Riverside', 'Hillside'],
      __visitor_id: ['visitor-1'],
      visitor_id: ['visitor-1'],
      ip: ['203.0.113.7', '198.51.100.1'],
      flow_webhook_url: ['http://127.0.0.1:9/'],
    };
  }

  test('is answered in its form, without a stall, in the same memory, and harms nothing', async (t) => {
    const requests = anyRequest(KEYS, await setUp());
    const rounds = Math.ceil(REQUESTS / REQUESTS_PER_ROUND);
    let longest = 0;
    let warm = await service.figures();
    for (let round = 0; round < rounds; round += 1) {
      const sent = fc.sample(requests, { numRuns: REQUESTS_PER_ROUND, seed: SEED + round });
      // The first rounds load and compile what they need.
      const limit = round < WARM_UP_ROUNDS ? Number.POSITIVE_INFINITY : STALL_MS_MAX;
      const stallMs = await leastStallMs(service, limit, () => sendAll(sent));
      if (round >= WARM_UP_ROUNDS) longest = Math.max(longest, stallMs);
      assert.ok(stallMs < limit, `A stall of ${stallMs} ms in round ${round} of seed ${SEED}`);
      if (round === Math.min(WARM_UP_ROUNDS, rounds - 1)) warm = await service.figures();
    }
    const end = await service.figures();
    const heapMore = end.heapBytes - warm.heapBytes;
    const peakMore = end.peakBytes - warm.peakBytes;
    t.diagnostic(`answers ${JSON.stringify(Object.fromEntries(statuses))}`);
    assert.deepEqual(
      PUBLIC.filter((name) => !reached.has(name)),
      [],
      'Some endpoints were never reached.',
    );
    t.diagnostic(`longest stall ${longest.toFixed(1)} ms`);
    t.diagnostic(`heap ${Math.round(heapMore / MIB)} MiB more, peak ${Math.round(peakMore / MIB)} MiB more`);
    assert.ok(heapMore < HEAP_BYTES_MORE_MAX, `${heapMore} bytes more on the heap`);
    assert.ok(peakMore < PEAK_BYTES_MORE_MAX, `${peakMore} bytes more at the peak`);

    assert.match(await getText(port, '/readyz'), /ok|ready|true/);
    await inboxEmpty(port);
    service.kill('SIGTERM');
    await service.exited;
    assertIntact(place);
    const again = await startService('sqlite', { dataDir: place.dataDir });
    t.after(() => again.close());
    assert.deepEqual(await again.app.store.recount(), []);
  });
});

function assertIntact({ dataDir }: Place): void {
  const database = new DatabaseSync(join(dataDir, 'leadtrail.db'));
  try {
    assert.deepEqual(
      database
        .prepare('pragma integrity_check')
        .all()
        .map((row) => ({ ...row })),
      [{ integrity_check: 'ok' }],
    );
    assert.deepEqual(database.prepare('select count(*) as n from failed_records').get()?.n, 0);
  } finally {
    database.close();
  }
}
