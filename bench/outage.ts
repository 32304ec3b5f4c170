import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, startPostgres } from '@leadtrail/testing/postgres-server';
import { Client } from 'pg';
import { quick } from './conditions.ts';
import { LEAD, setUpForm } from './leads.ts';
import type { Posted } from './load.ts';
import { type Service, startService, waitUntil } from './processes.ts';
import { keep, note, percentile } from './results.ts';
import { SESSION_START } from './sessions.ts';

/**
 * PostgreSQL stops during leads and visits, stays away, and comes
 * back: how requests are answered, and whether all is stored.
 */

const AWAY_SECONDS = quick ? 15 : 60;
const AROUND_SECONDS = 5;
const LEADS_PER_SECOND = 50;
const SESSIONS_PER_SECOND = 200;
const BACKLOG_SECONDS_MAX = 10;

export async function measureOutage(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-outage-'));
  const server = await startPostgres(['fsync=on', 'synchronous_commit=on']);
  try {
    const DATABASE_URL = await createDatabase(server.url);
    const service = await startService(join(dir, 'data'), { DATABASE_URL });
    await setUpForm(service);
    const leads = sendSteadily(`${service.url}/lead.capture`, LEAD, LEADS_PER_SECOND);
    const sessions = sendSteadily(`${service.url}/track/session/start`, SESSION_START, SESSIONS_PER_SECOND);
    await sleep(AROUND_SECONDS * 1000);
    await server.cut('SIGINT');
    await sleep(AWAY_SECONDS * 1000);
    await server.restore();
    const [leadsBehind, sessionsBehind] = await Promise.all(
      WAITING.map((name) => waitUntil(async () => (await waitingSeconds(service, name)) < 1)),
    );
    const behind = Math.max(leadsBehind ?? 0, sessionsBehind ?? 0);
    await sleep(AROUND_SECONDS * 1000);
    const sent = { leads: await leads.stop(), sessions: await sessions.stop() };
    for (const name of WAITING) await waitUntil(async () => (await waitingSeconds(service, name)) === 0);

    const during = `PostgreSQL away for ${AWAY_SECONDS} s, ${LEADS_PER_SECOND} leads/s and ${SESSIONS_PER_SECOND} visits/s`;
    const refused = sent.leads.refused + sent.sessions.refused;
    const p99 = percentile([...sent.leads.ms, ...sent.sessions.ms], 0.99);
    const accepted = sent.leads.accepted + sent.sessions.accepted;
    note(
      during,
      `${accepted} accepted, ${refused} refused, p99 ${Math.round(p99)} ms`,
      '0 refused',
      refused === 0,
    );
    const stored = await storedIn(DATABASE_URL);
    const lost = accepted - stored.people - stored.sessions;
    const doubled = stored.leads - stored.people;
    const isWhole =
      stored.leads === sent.leads.accepted && stored.sessions === sent.sessions.accepted && doubled === 0;
    note('of these in the store afterwards', `${lost} lost, ${doubled} doubled`, 'none', isWhole);
    note(
      'until the backlog was gone',
      `${behind.toFixed(1)} s (leads ${leadsBehind?.toFixed(1)} s, visits ${sessionsBehind?.toFixed(1)} s)`,
      `≤ ${BACKLOG_SECONDS_MAX} s`,
      behind <= BACKLOG_SECONDS_MAX,
    );
    keep('outage', { accepted, refused, stored, behind });
    await service.stop();
  } finally {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

type Sent = { accepted: number; refused: number; ms: number[] };

/** Open loop: sends at a fixed rate, whether or not earlier requests have been answered. */
function sendSteadily(url: string, posted: Posted, perSecond: number): { stop(): Promise<Sent> } {
  const sent: Sent = { accepted: 0, refused: 0, ms: [] };
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  let number = 0;
  async function send(body: string): Promise<void> {
    const from = performance.now();
    const headers = { 'content-type': 'application/json', ...posted.headers };
    const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
    await response?.arrayBuffer();
    sent.ms.push(performance.now() - from);
    if (response?.ok) sent.accepted += 1;
    else sent.refused += 1;
  }
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * perSecond;
    for (; number < due; number += 1) {
      const sending = send(posted.body.replaceAll('[<id>]', String(1_000_000_000 + number)));
      open.add(sending);
      void sending.finally(() => open.delete(sending));
    }
  }, 10);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      return sent;
    },
  };
}

/** The age of the oldest lead in the log, and of the oldest visit in the inbox. */
const WAITING = ['leadtrail_logged_leads_oldest_seconds', 'leadtrail_inbox_oldest_record_seconds'] as const;

/** Not zero even without a backlog: there are always some of this moment. */
async function waitingSeconds(service: Service, name: (typeof WAITING)[number]): Promise<number> {
  const text = await (await service.get('/metrics')).text();
  return Number(new RegExp(`^${name} ([\\d.]+)`, 'm').exec(text)?.[1]);
}

/** Every lead is a different person. */
async function storedIn(url: string): Promise<{ leads: number; people: number; sessions: number }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`select
    (select count(*) from submissions) as leads,
    (select count(distinct contact_email) from submissions) as people,
    (select count(*) from sessions) as sessions`);
  await client.end();
  return { leads: Number(rows[0].leads), people: Number(rows[0].people), sessions: Number(rows[0].sessions) };
}
