import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { aClock } from '@leadtrail/testing/clock';
import { row, rows } from '@leadtrail/testing/database';
import { samples } from '@leadtrail/testing/doc-samples';
import { anEnquiry, CAPTURE_ENV, INTEGRATION_KEY } from '@leadtrail/testing/enquiries';
import { generateClient, typeErrors } from '@leadtrail/testing/generated-client';
import { copyOnlyLead } from '@leadtrail/testing/leads';
import { MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { until } from '@leadtrail/testing/torture/service-process';
import { HOUR_MS } from '../src/lib/utc-time.ts';

/** The program of docs/AUTOMATION.md, as it stands there, on a client generated from the service's own description. */

const LEADS = 10_000;
const WRITERS = 2;
const ARRIVING_MAX = 1000;
/** With so many leads copied it is killed, and started again. */
const KILLED_AT = [2000, 5000];
/** Every so many that arrive while it pulls is a follow-up. */
const FOLLOW_UP_EVERY = 4;

/** What must not compile: types that take everything would pass any program. */
const MISTAKES = `
import createClient from 'openapi-fetch';
import type { paths } from './leadtrail.d.ts';
const client = createClient<paths>({ baseUrl: '' });
// @ts-expect-error No such path.
client.GET('/analytics/nothing');
// @ts-expect-error No such order.
client.GET('/analytics/leads', { params: { query: { sort: 'changed' } } });
// @ts-expect-error No such stage.
client.GET('/analytics/leads', { params: { query: { status: 'sold' } } });
const { data } = await client.GET('/analytics/leads');
// @ts-expect-error No such field.
data?.leads[0]?.nothing;
`;

type Delivered = { lead_public_id: string; updated_at: string; times: number };

onBothStores('a generated client', (kind) => {
  const clock = aClock();
  const service = useService(kind, { env: CAPTURE_ENV, overrides: { now: clock.now } });
  /** By number: the person, and the lead that was acknowledged. */
  const acknowledged = new Map<number, string>();
  let folder: string;
  let people = 0;

  async function submit(person: number): Promise<void> {
    const fields = { EMAIL: `p${person}@example.org`, PHONE: '', COUNTRYCODE: '', FIRSTNAME: `P${person}` };
    const response = await fetch(`${service.url}/lead.capture`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-api-key': INTEGRATION_KEY,
      },
      body: JSON.stringify(anEnquiry(fields)),
    });
    const { lead_public_id } = (await response.json()) as { lead_public_id?: string };
    acknowledged.set(person, lead_public_id ?? assert.fail(`${response.status}`));
  }

  /** A copy that also notes what is brought, so that a lead brought twice shows. */
  async function emptyCopy(name: string): Promise<string> {
    const at = join(folder, name);
    await mkdir(at);
    const copy = new DatabaseSync(join(at, 'leads.db'));
    const note = `begin insert into brought values (new.lead_public_id, new.lead ->> 'updated_at_iso'); end`;
    copy.exec(`pragma journal_mode = wal;
      create table leads (lead_public_id text primary key, lead text not null);
      create table brought (lead_public_id text, updated_at text);
      create trigger note_new after insert on leads ${note};
      create trigger note_change after update on leads ${note}`);
    copy.close();
    return at;
  }

  function inCopy<T>(at: string, select: string): T[] {
    const copy = new DatabaseSync(join(at, 'leads.db'), { readOnly: true, timeout: 5000 });
    try {
      return copy.prepare(select).all() as T[];
    } finally {
      copy.close();
    }
  }
  const copied = (at: string) => Number(inCopy<{ n: number }>(at, 'select count(*) as n from leads')[0]?.n);
  const brought = (at: string) =>
    inCopy<Delivered>(at, 'select *, count(*) as times from brought group by lead_public_id, updated_at');

  function startPull(at: string, env: Record<string, string> = {}): ChildProcess {
    return spawn(process.execPath, [join(folder, 'pull.ts')], {
      cwd: at,
      env: { ...env, LEADTRAIL_URL: service.url, LEADTRAIL_KEY: MARKETING_KEY },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  async function pull(at: string, env: Record<string, string> = {}): Promise<void> {
    const program = startPull(at, env);
    const [complaint, [code]] = await Promise.all([
      text(program.stderr ?? assert.fail()),
      once(program, 'exit'),
    ]);
    assert.equal(code, 0, complaint);
  }

  before(async () => {
    const [program, ...more] = await samples('docs/AUTOMATION.md', 'ts');
    assert.equal(more.length, 0);
    folder = await generateClient(service.url, { 'pull.ts': program ?? '', 'mistakes.ts': MISTAKES });
    await submit(1);
    await copyOnlyLead(service, { from: 2, to: LEADS });
    people = LEADS;
    for (let person = 2; person <= LEADS; person++) acknowledged.set(person, `lead-${person}`);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('compiles, and refuses what the service does not have', async () => {
    assert.equal(await typeErrors(folder), '');
  });

  test('pulls, pages and resumes while leads arrive: none is missed, none comes twice', async () => {
    const at = await emptyCopy('all');
    let isWriting = true;
    let sent = 0;
    const write = async () => {
      while (isWriting && sent < ARRIVING_MAX) {
        sent += 1;
        clock.advance(1);
        await submit(sent % FOLLOW_UP_EVERY === 0 ? 1 + ((sent * 37) % LEADS) : ++people);
      }
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, write));
    for (const count of KILLED_AT) {
      const program = startPull(at);
      const ended = once(program, 'exit');
      const complaint = text(program.stderr ?? assert.fail());
      await Promise.race([
        until(`A copy of ${count} leads`, () => copied(at) >= count),
        ended.then(async () => assert.fail(`It ended by itself: ${await complaint}`)),
      ]);
      program.kill('SIGKILL');
      assert.deepEqual(await ended, [null, 'SIGKILL']);
      assert.ok(copied(at) < LEADS);
    }
    await pull(at);
    isWriting = false;
    await writing;
    await pull(at);

    const leads = [...new Set(acknowledged.values())];
    assert.equal(leads.length, people);
    assert.ok(people > LEADS);
    const there = await rows<{ lead_public_id: string }>(service, 'select lead_public_id from leads');
    assert.deepEqual(there.map((lead) => lead.lead_public_id).sort(), leads.toSorted());
    const all = brought(at);
    assert.deepEqual([...new Set(all.map((each) => each.lead_public_id))].sort(), leads.toSorted());
    assert.deepEqual(
      all.filter(({ times }) => times > 1),
      [],
    );
    // As each stands now, not as it stood when it came first.
    const updated = await service.get<{ lead_public_id: string; updated_at_iso: string }[]>(
      '/analytics/leads/export?format=json&fields=lead_public_id,updated_at_iso',
    );
    const latest = inCopy<{ lead_public_id: string; at: string }>(
      at,
      `select lead_public_id, lead ->> 'updated_at_iso' as at from leads`,
    );
    assert.deepEqual(
      new Map(latest.map((lead) => [lead.lead_public_id, lead.at])),
      new Map(updated.map((lead) => [lead.lead_public_id, lead.updated_at_iso])),
    );
  });

  test('brings with updated_since exactly what has changed since', async () => {
    clock.advance(HOUR_MS);
    const since = new Date(clock.now()).toISOString();
    const changed: number[] = [];
    for (let person = 100; person < 350; person += 2) {
      await submit(person);
      changed.push(person);
    }
    const { lead_id } = await row(service, `select lead_id from leads where lead_public_id = 'lead-7'`);
    const moved = await call(service, 'PATCH', `/analytics/leads/${lead_id}`, {
      body: { status: 'won' },
    });
    assert.equal(moved.status, 200);
    changed.push(7);
    for (let one = 0; one < 25; one++) {
      await submit(++people);
      changed.push(people);
    }
    const at = await emptyCopy('changed');
    await pull(at, { UPDATED_SINCE: since });
    assert.deepEqual(
      brought(at)
        .map((each) => `${each.lead_public_id} ${each.times}`)
        .sort(),
      changed.map((person) => `${acknowledged.get(person)} 1`).sort(),
    );
  });
});
