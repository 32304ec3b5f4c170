import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { DimensionName } from '@leadtrail/contract/question-fields';
import { openCopy } from '../../src/adapters/duckdb-copy.ts';
import { runHere } from '../../src/adapters/duckdb-run.ts';
import { countingByBits } from '../../src/adapters/duckdb-visitors.ts';
import { compileQuestion } from '../../src/domain/questions/compile.ts';
import { checkQuestion } from '../../src/domain/questions/question.ts';
import { DAY_MS } from '../../src/lib/utc-time.ts';

const NOW = Date.parse('2026-07-15T12:00:00Z');
const VISITS = 20_000;
const VISITORS = 3000;
const BITS_AT_ONCE = 10 * (VISITORS + 1);

let folder: string;
let copy: Awaited<ReturnType<typeof openCopy>>;
let connection: DuckDBConnection;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
  copy = await openCopy(join(folder, '1.duckdb'), join(folder, 'spill'), 'test');
  connection = await copy.connect();
  await runHere(
    connection,
    `insert into visits (happened_at, visitor_no, source, campaign_key, entry_page, pages)
      select ${NOW} - (i * 388799) % ${90 * DAY_MS}, 1 + (i * 7919) % ${VISITORS}, 'source-' || i % 4, 'campaign-' || i % 2,
        'page-' || i % 500, 'page-' || i % 7
      from range(${VISITS}) t(i)`,
  );
  await runHere(connection, 'checkpoint');
});
after(() => {
  connection?.closeSync();
  copy?.close();
  rmSync(folder, { recursive: true, force: true });
});

function ask(dimensions: DimensionName[], more: object = {}) {
  const asked = { metrics: ['visits', 'visitors'], dimensions, filters: [], period: 'all', ...more };
  const question = { attribution: 'last_non_direct', order_by: [], limit: 5000, offset: 0, ...asked };
  const at = { timeZone: 'Europe/Berlin', now: NOW, onlySites: null };
  return compileQuestion(checkQuestion(question as Parameters<typeof checkQuestion>[0], at)).rows;
}

/** How many times it counts by bits, once it has been shown to answer the same. */
async function timesCounted(statement: ReturnType<typeof ask>): Promise<number> {
  const fast = await countingByBits(connection, statement, BITS_AT_ONCE);
  const expected = await runHere(connection, statement.sql, statement.values);
  assert.ok(expected.length > 0);
  assert.deepEqual(await runHere(connection, fast.sql, fast.values), expected);
  return fast.sql.split('bitstring_agg').length - 1;
}

describe('visitors are counted by bits', () => {
  test('all of them', async () => {
    assert.equal(await timesCounted(ask([])), 1);
  });
  test('where groups are few', async () => {
    assert.equal(await timesCounted(ask(['source', 'campaign'])), 1);
  });
  test('a few days at a time, as the clocks of the zone have them', async () => {
    // The days of the visits, and one more at either end.
    assert.equal(await timesCounted(ask(['date'])), Math.ceil((91 + 2) / 10));
  });
  test('in both periods that are compared', async () => {
    const compared = ask(['date', 'campaign'], { period: 'last_30_days', compare: 'previous_period' });
    assert.equal(await timesCounted(compared), 2 * Math.ceil((60 + 2) / 5));
  });
});

describe('visitors are counted by a hash table', () => {
  test('where groups are too many', async () => {
    assert.equal(await timesCounted(ask(['entry_page', 'source'])), 0);
  });
  test('where one day has too many', async () => {
    assert.equal(await timesCounted(ask(['date', 'hour'])), 0);
  });
  test('where nothing is known of the groups', async () => {
    assert.equal(await timesCounted(ask(['page'])), 0);
  });
});
