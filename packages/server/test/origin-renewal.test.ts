import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { rows } from '@leadtrail/testing/database';
import { setUpSite } from '@leadtrail/testing/enquiries';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { onBothStores, postgresUrl, startService, type TestService } from '@leadtrail/testing/service';
import { sendEvents, startSession } from '@leadtrail/testing/visits';

/** More than are brought along at a time. */
const SESSIONS = 450;

const ORIGIN = `site_key, source, medium, campaign, term, content, click_id, channel,
  form_viewed, form_started, form_submitted`;
const KEPT = `select session_id, ${ORIGIN} from sessions order by session_id`;

/** The sessions as they were before origins were kept; the events of their forms are still there. */
const AS_BEFORE = `
  update sessions set site_key = '', source = '', medium = '', campaign = '', term = '', content = '', click_id = '',
    channel = '', form_viewed = 0, form_started = 0, form_submitted = 0;
  insert into session_renewals (below) values ('g')`;

const PAGES: readonly [page: string, referrer: string | null][] = [
  ['https://www.example.com/?utm_source=Google&utm_medium=cpc&utm_campaign=Spring&gclid=1', null],
  ['https://www.example.com/flats', 'https://www.google.de/'],
  ['https://www.example.com/flats', 'https://example.com/'],
  ['https://elsewhere.example/', 'https://l.facebook.com/'],
  ['https://promo.landing.example/?fbclid=x', 'https://l.facebook.com/'],
];

onBothStores('sessions from before origins were kept', (kind) => {
  let dataDir: string;
  let databaseUrl: string | undefined;
  let service: TestService;
  let expected: unknown[];
  const start = async () => {
    const place = databaseUrl === undefined ? { dataDir } : { dataDir, databaseUrl };
    service = await startService(kind, place);
  };
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
    if (kind === 'postgres') databaseUrl = await createDatabase(postgresUrl());
    await start();
    await setUpSite(service);
    for (let number = 0; number < SESSIONS; number += 1) {
      const [page, referrer] = PAGES[number % PAGES.length] ?? assert.fail();
      const { session_id } = await startSession(service, { visitor_id: `v-${number}`, page, referrer });
      if (number % 7 === 0)
        await sendEvents(service, session_id, [{ type: 'form_view' }, { type: 'form_start' }]);
    }
    await service.settled();
    expected = await rows(service, KEPT);
    await service.close();
    await rows(service, AS_BEFORE);
  });
  after(async () => {
    await service?.close();
    if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
    await rm(dataDir, { recursive: true, force: true });
  });

  test('are brought along after the start from what was stored, as if they had been stored now', async () => {
    assert.notDeepEqual(await rows(service, KEPT), expected);
    await start();
    await service.app.renewal.settled();
    assert.deepEqual(await rows(service, KEPT), expected);
    assert.deepEqual(await rows(service, 'select * from session_renewals'), []);
    assert.equal(new Set(expected.map((row) => (row as { channel: string }).channel)).size, 4);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('are left as they are by the next start, even with other sites', async () => {
    await service.close();
    await rows(service, "update sites set site_key = 'another'");
    await start();
    await service.app.renewal.settled();
    assert.deepEqual(await rows(service, KEPT), expected);
  });
});
