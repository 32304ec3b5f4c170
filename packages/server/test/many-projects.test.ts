import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { anEvent } from '@leadtrail/testing/builders';
import { captureOf } from '@leadtrail/testing/captures';
import { rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, INTEGRATION_KEY, sendFromServer } from '@leadtrail/testing/enquiries';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import { sendEvents, startSession } from '@leadtrail/testing/visits';
import { openPostgresPool } from '../src/adapters/postgres-pool.ts';
import { openSqliteDatabase } from '../src/adapters/sqlite-database.ts';
import { unknownGeo } from '../src/domain/geo.ts';
import { readEnquiry } from '../src/domain/leads/enquiry.ts';
import { SECOND_MS } from '../src/lib/utc-time.ts';
import type { Db } from '../src/store/dialect.ts';
import { captureLead } from '../src/store/leads/capture.ts';
import { noteFiguresOf, refreshLeadFigures } from '../src/store/leads/figures.ts';
import { LINKED_LEADS_MAX } from '../src/store/leads/links.ts';

/** Whoever fills in a form can name any project, and so have any number of leads. */

const LEADS = 3 * LINKED_LEADS_MAX;
const VISITOR = 'v-everywhere';
const PERSON = { EMAIL: 'everywhere@example.org', PHONE: '', __visitor_id: VISITOR };
/** In the order of their names. */
const project = (i: number) => `Project ${String(i).padStart(3, '0')}`;

onBothStores('one person in many projects', (kind) => {
  const service = useService(kind, { env: CAPTURE_ENV });
  const write = (i: number) => assertCaptured(sendFromServer(service, { ...PERSON, PROJECT: project(i) }));

  before(async () => {
    for (let i = 0; i < LEADS; i += 1) await write(i);
  });

  const leads = async () => {
    await service.settled();
    await service.app.indexing.settled();
    return rows<{ form_submit_count: number; follow_ups_count: number; pages_visited: number }>(
      service,
      'select form_submit_count, follow_ups_count, pages_visited from leads order by project_name',
    );
  };
  const counts = async () => (await leads()).map(({ form_submit_count }) => form_submit_count);
  const first = (count: number) => Array(LINKED_LEADS_MAX).fill(count);

  test('the first leads count each other, and each further one these and itself', async () => {
    const further = Array(LEADS - LINKED_LEADS_MAX).fill(LINKED_LEADS_MAX + 1);
    assert.deepEqual(await counts(), [...first(LINKED_LEADS_MAX), ...further]);
  });

  test('what follows in a project adds to its lead, however many others there are', async () => {
    const last = LEADS - 1;
    await write(7);
    assert.deepEqual((await counts()).slice(0, LINKED_LEADS_MAX), first(LINKED_LEADS_MAX + 1));
    await write(last);
    const all = await leads();
    assert.equal(all.length, LEADS);
    assert.deepEqual(
      all.flatMap(({ follow_ups_count }, i) => (follow_ups_count === 0 ? [] : [i])),
      [7, last],
    );
    assert.equal(all[last]?.form_submit_count, LINKED_LEADS_MAX + 3);
  });

  test('what the visitor does counts for the first leads', async () => {
    const { session_id } = await startSession(service, { visitor_id: VISITOR });
    await sendEvents(service, session_id, [anEvent({ type: 'page_view' })]);
    const pages = (await leads()).slice(0, LINKED_LEADS_MAX).map(({ pages_visited }) => pages_visited);
    assert.deepEqual(pages, first(2));
  });

  describe('takes no more rows than a person with a hundred leads', () => {
    const LEADS_PER_STEP = 20;
    const ROWS_MAX = 6 * LINKED_LEADS_MAX;

    test('for another lead', async () => {
      const read = await rowsRead(service, (db) => captureLead(db, captureFor(project(LEADS))));
      assert.ok(read < ROWS_MAX, `${read}`);
    });

    test('for what the visitor does', async () => {
      const read = await rowsRead(service, async (db) =>
        assert.equal(await noteFiguresOf(db, [VISITOR]), LINKED_LEADS_MAX),
      );
      assert.equal(read, LINKED_LEADS_MAX);
    });

    test('for the figures of some leads', async () => {
      const read = await rowsRead(service, async (db) => {
        await db.dialect.run(
          `insert into lead_figure_changes (lead_id)
          select lead_id from leads order by lead_id desc limit ${LEADS_PER_STEP}`,
          [],
        );
        assert.equal(await refreshLeadFigures(db, { max: LEADS_PER_STEP }), LEADS_PER_STEP);
      });
      assert.ok(read < ROWS_MAX, `${read}`);
    });
  });

  test('the leads that follow are written in the order of their numbers', async () => {
    const written: number[] = [];
    await inTransaction(service, async ({ query, dialect }) => {
      await query.updateTable('leads').set({ form_submit_count: 0 }).execute();
      const last = `select lead_id from leads where project_name = '${project(LINKED_LEADS_MAX - 1)}'`;
      await dialect.run(`insert into lead_figure_changes (lead_id) ${last}`, []);
      const insertRows: Db['dialect']['insertRows'] = (table, rows, conflict) => {
        if (table === 'lead_changes')
          written.push(...(rows as unknown as readonly { lead_id: number }[]).map((row) => row.lead_id));
        return dialect.insertRows(table, rows, conflict);
      };
      await refreshLeadFigures({ query, dialect: { ...dialect, insertRows } }, { max: 1 });
    });
    assert.equal(written.length, LINKED_LEADS_MAX);
    assert.deepEqual(
      written,
      written.toSorted((one, other) => one - other),
    );
  });

  test('once the first have gone, the next ones count each other', async () => {
    const now = Date.now() + SECOND_MS;
    const walk = { before: now, after: 0, max: LINKED_LEADS_MAX, stages: ['new'], now };
    const { removed } = await service.app.store.forgetOldLeads(walk);
    assert.equal(removed, LINKED_LEADS_MAX);
    service.app.indexing.nudge();
    assert.deepEqual((await counts()).slice(0, LINKED_LEADS_MAX), first(LINKED_LEADS_MAX));
  });
});

function captureFor(PROJECT: string) {
  const headers = { 'x-api-key': INTEGRATION_KEY };
  const sender = { at: Date.now(), ip: '198.51.100.8', locate: unknownGeo, headers };
  return captureOf(readEnquiry({ ...PERSON, PROJECT }, sender));
}

/** How many rows an operation is answered with, all its statements together. */
async function rowsRead(service: TestService, run: (db: Db) => Promise<unknown>): Promise<number> {
  let read = 0;
  const counting = ({ query, dialect }: Db): Db => ({
    query: query.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        read += result.rows.length;
        return result;
      },
    }),
    dialect: {
      ...dialect,
      async run<R>(...asked: Parameters<typeof dialect.run>) {
        const found = await dialect.run<R>(...asked);
        read += found.length;
        return found;
      },
    },
  });
  await inTransaction(service, (db) => run(counting(db)));
  return read;
}

/** What it writes is undone. */
async function inTransaction({ database }: TestService, run: (db: Db) => Promise<unknown>): Promise<void> {
  if (database.kind === 'sqlite') {
    const { db, exec, close } = openSqliteDatabase(database.file, { readOnly: false, cacheKiB: 1024 });
    exec('begin immediate');
    await run(db).finally(() => {
      exec('rollback');
      close();
    });
  } else {
    const pool = openPostgresPool(database.url, { connections: 1, statementMs: 60_000, connectMs: 10_000 });
    const use = pool.use(async ({ db, begin, rollback }) => {
      await begin();
      await run(db).finally(rollback);
    });
    await use.finally(pool.close);
  }
}
