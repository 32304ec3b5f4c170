import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { captureOf } from '@leadtrail/testing/captures';
import { openSqliteStore } from '../../src/adapters/sqlite-store.ts';
import { unknownGeo } from '../../src/domain/geo.ts';
import { readEnquiry } from '../../src/domain/leads/enquiry.ts';
import type { Capture } from '../../src/store/leads/submission.ts';

const AT = Date.UTC(2026, 10, 18);

function aCapture(name: string): Capture {
  const form = { FIRSTNAME: name, EMAIL: `${name}@example.com`, PROJECT: 'Riverside' };
  const enquiry = readEnquiry(form, { at: AT, ip: '192.0.2.1', headers: {}, locate: unknownGeo });
  // Otherwise it would be refused, for want of a site.
  return { ...captureOf(enquiry), isLogged: true };
}

/** Removed with its folder after the test. */
async function aStore(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-together-'));
  const file = join(dir, 'leadtrail.db');
  const store = await openSqliteStore(file);
  t.after(async () => {
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });
  return { file, store };
}

test('of leads that are committed together, one that comes too late takes no other with it', async (t) => {
  const { file, store } = await aStore(t);
  using lock = new DatabaseSync(file);
  lock.exec('begin immediate');
  const first = store.captureLead(aCapture('ada'));
  const late = store.captureLead({ ...aCapture('bob'), deadline: Date.now() - 1 });
  const inTime = store.captureLead(aCapture('zoe'));
  // The store has all three by then.
  await setTimeout(100);
  lock.exec('commit');
  await assert.rejects(late, { code: 'unavailable' });
  assert.deepEqual([(await first).kind, (await inTime).kind], ['stored', 'stored']);
});

test('of leads that are committed together, one that fails is in no table and no total', async (t) => {
  const { file, store } = await aStore(t);
  using database = new DatabaseSync(file);
  database.exec(`create trigger no_eve before insert on lead_identities when new.value = 'eve@example.com'
    begin select raise(abort, 'not this one'); end`);
  const captures = ['ada', 'bob', 'eve', 'zoe'].map(aCapture);
  const outcomes = await Promise.allSettled(captures.map((capture) => store.captureLead(capture)));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  const figure = (select: string) => Object.values(database.prepare(select).get() ?? {})[0];
  assert.equal(figure('select count(*) from leads'), 3);
  assert.equal(figure('select sum(submissions) from submission_slots'), 3);
  assert.equal(figure("select sum(json_array_length(ids)) from answer_changes where kind = 'leads'"), 3);
});
