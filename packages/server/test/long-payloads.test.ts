import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  assertCaptured,
  CAPTURE_ENV,
  FORM_ID,
  SITE_KEY,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import { type SqlBool, sql } from 'kysely';
import { openPostgresPool } from '../src/adapters/postgres-pool.ts';
import { openSqliteDatabase } from '../src/adapters/sqlite-database.ts';
import { readPerson } from '../src/domain/leads/person.ts';
import { submissionsOfLeads } from '../src/store/answers/submissions.ts';
import type { Db } from '../src/store/dialect.ts';
import { findAndHold } from '../src/store/erase/find-person.ts';
import { leadDetail } from '../src/store/leads/detail.ts';
import { leadItems } from '../src/store/leads/list.ts';
import { refill } from '../src/store/leads/refill.ts';
import { renewSearchTextsOf } from '../src/store/leads/renew.ts';

/** Anybody may send forms that are as long as they may be, and any number of them for one lead. */

const LONG = 250 * 1024;
const FOLLOW_UPS = 80;
/** Half of all that was sent. */
const BYTES_AT_ONCE_MAX = (LONG * FOLLOW_UPS) / 2;
const EMAIL = 'long@example.org';

onBothStores('a lead with long follow-ups', (kind) => {
  const service = useService(kind, { env: CAPTURE_ENV });
  let leadId: number;
  const send = (sent: Record<string, string>) =>
    assertCaptured(
      sendFromServer(service, { EMAIL, PHONE: '', siteKey: SITE_KEY, formId: FORM_ID, ...sent }),
    );

  before(async () => {
    await setUpSite(service);
    await send({ FIRSTNAME: '' });
    for (let n = 0; n < FOLLOW_UPS; n += 1) {
      await send({ FIRSTNAME: '', LOCATION: n === 0 ? '' : `Town ${n}`, notes: `${n} `.padEnd(LONG, 'x') });
    }
    const found = await service.get<{ leads: { lead_id: number }[] }>(`/analytics/leads?q=${EMAIL}`);
    leadId = found.leads[0]?.lead_id ?? 0;
  });

  test('is copied for questions', async () => {
    const rows = await readABit(service, (db) => submissionsOfLeads(db, { leadIds: [leadId] }));
    assert.equal(rows.length, 1 + FOLLOW_UPS);
  });

  test('gets a new search text', () => readABit(service, (db) => renewSearchTextsOf(db, [leadId])));

  test('is filled again from its follow-ups', async () => {
    const filled = await readABit(service, async (db) => {
      const query = db.query.selectFrom('leads').selectAll().where('lead_id', '=', leadId);
      return refill(db, { ...(await query.executeTakeFirstOrThrow()), project_location: '' }, []);
    });
    assert.equal(filled.project_location, 'Town 1');
  });

  test('is found to be erased', async () => {
    const found = await readABit(service, (db) => findAndHold(db, readPerson({ email: EMAIL })));
    assert.deepEqual(
      found.leads.map((each) => each.leadId),
      [leadId],
    );
  });

  test('is shown by itself and in a list', async () => {
    const detail = await readABit(service, (db) => leadDetail(db, { id: String(leadId) }));
    assert.equal(detail?.lead.follow_ups_count, FOLLOW_UPS);
    const listed = await readABit(service, (db) => leadItems(db, [leadId]));
    assert.equal(listed[0]?.follow_ups_count, FOLLOW_UPS);
  });

  test('a list looks through none of its follow-ups', async () => {
    const failsAtFollowUp =
      kind === 'sqlite'
        ? sql<SqlBool>`json(case s.is_primary_lead when 1 then '1' else '' end) is not null`
        : sql<SqlBool>`1 / s.is_primary_lead = 1`;
    await inTransaction(service, ({ query, dialect }) =>
      leadItems({ query, dialect: { ...dialect, contains: () => failsAtFollowUp } }, [leadId]),
    );
  });
});

/** What it answers, having had little of what it has read in memory at a time. */
async function readABit<R>(service: TestService, read: (db: Db) => Promise<R>): Promise<R> {
  let most = 0;
  const measuring = ({ query, dialect }: Db): Db => ({
    query: query.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        most = Math.max(most, JSON.stringify(result.rows).length);
        return result;
      },
    }),
    dialect,
  });
  const answer = await inTransaction(service, (db) => read(measuring(db)));
  assert.ok(most < BYTES_AT_ONCE_MAX, `${most} bytes at once`);
  return answer;
}

/** What it writes is undone. */
async function inTransaction<R>({ database }: TestService, run: (db: Db) => Promise<R>): Promise<R> {
  if (database.kind === 'sqlite') {
    const { db, exec, close } = openSqliteDatabase(database.file, { readOnly: false, cacheKiB: 1024 });
    exec('begin immediate');
    return run(db).finally(() => {
      exec('rollback');
      close();
    });
  }
  const pool = openPostgresPool(database.url, { connections: 1, statementMs: 60_000, connectMs: 10_000 });
  const use = pool.use(async ({ db, begin, rollback }) => {
    await begin();
    return run(db).finally(rollback);
  });
  return use.finally(pool.close);
}
