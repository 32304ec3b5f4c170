import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONNECTIONS, quick, SECONDS, WARM_UP } from './conditions.ts';
import { type LoadResult, load, type Posted } from './load.ts';
import { type Service, startBareLeads, startReceiver, startService, waitUntil } from './processes.ts';
import { keep, loadText, measureEcho, note, noteLimit, noteMemory } from './results.ts';

const SITE = 'bench';
const ORIGIN = 'https://www.example.com';
const SENT_AT_ONCE = 32;
const PEOPLE = 1000;
const DELIVERIES = quick ? 2000 : 10_000;

/** A realistic enquiry of about 450 bytes. */
export const LEAD: Posted = {
  headers: {
    Origin: ORIGIN,
    'User-Agent':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36',
  },
  body: JSON.stringify({
    FIRSTNAME: 'Ada Lovelace',
    EMAIL: 'ada-[<id>]@example.com',
    PHONE: '9[<id>]',
    COUNTRYCODE: '+91',
    PROJECT: 'Riverside Gardens',
    LOCATION: 'Pune',
    SOURCE: 'WebSite',
    KEYWORD: '3bhk',
    DOMAIN: 'https://www.example.com/riverside',
    PAGE_URL: 'https://www.example.com/riverside?utm_source=google&utm_campaign=spring',
    siteKey: SITE,
    formId: 'enquiry',
    __visitor_id: 'v_[<id>]',
    __pg_hp: '',
    __pg_tts: '34',
    __utm_source: 'google',
    __utm_campaign: 'spring',
  }),
};

/** New leads, follow-ups, and forwarding to the automation platform. */
export async function measureLeads(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-leads-'));
  try {
    const echo = await measureEcho(LEAD, 'raw echo of a lead');
    const service = await startService(dir);
    await setUpForm(service);
    const url = `${service.url}/lead.capture`;
    await load(url, LEAD, WARM_UP);
    const run = { seconds: SECONDS, connections: CONNECTIONS };
    const newPeople = await load(url, LEAD, run);
    compareLeads('lead capture, a new person each time', newPeople, echo);
    compareLeads('lead capture, follow-ups', await load(url, LEAD, { ...run, people: PEOPLE }), echo);
    await noteMemory(service, 'memory after the leads');
    await service.stop();
    await compareWithBare(dir, newPeople);

    const deliveries = await measureDeliveries(dir, DELIVERIES);
    keep('deliveries', deliveries);
    note(
      `deliveries of ${DELIVERIES} waiting leads`,
      `${Math.round(deliveries.perSecond)}/s`,
      '≥ 500/s',
      deliveries.perSecond >= 500,
    );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function compareLeads(what: string, result: LoadResult, echo: LoadResult): void {
  const ratio = result.perSecond / echo.perSecond;
  keep(what, result);
  note(
    what,
    `${loadText(result)}, ${ratio.toFixed(2)} of the echo`,
    '≥ 0.35',
    ratio >= 0.35 && result.failed === 0,
  );
}

/** In a separate store, with the tables that a service has created and one lead as the template. */
async function compareWithBare(dir: string, captured: LoadResult): Promise<void> {
  const bareDir = join(dir, 'bare');
  await leaveOneLead(await startService(bareDir));
  const bare = await startBareLeads({ DATABASE_FILE: join(bareDir, 'leadtrail.db') });
  await load(bare.url, LEAD, WARM_UP);
  const limit = await load(bare.url, LEAD, { seconds: SECONDS, connections: CONNECTIONS });
  await bare.stop();
  noteLimit('bare program that writes the same rows', captured, limit);
}

export async function leaveOneLead(service: Service): Promise<void> {
  await setUpForm(service);
  await enquire(service, 0);
  await service.stop();
}

export async function setUpForm(service: Service): Promise<void> {
  await service.post('/analytics/sites', { name: 'Bench', site_key: SITE, domains: ['example.com'] });
  await service.post('/analytics/forms', { name: 'Enquiry', site_key: SITE, form_id: 'enquiry' });
}

/** How fast the backlog of sends drains once the platform is back. */
async function measureDeliveries(dataDir: string, leads: number): Promise<{ perSecond: number }> {
  const silent = await startReceiver({ isSilent: true });
  const before = await startService(dataDir, { FLOW_WEBHOOK_URL: silent.url });
  let sent = 0;
  const people = async () => {
    while (sent < leads) await enquire(before, sent++);
  };
  await Promise.all(Array.from({ length: SENT_AT_ONCE }, people));
  await before.stop();
  await silent.stop();

  const receiver = await startReceiver();
  const service = await startService(dataDir, { FLOW_WEBHOOK_URL: receiver.url });
  const count = async () => (await (await fetch(receiver.url)).json()) as { received: number; ms: number };
  await waitUntil(async () => (await count()).received >= leads);
  const { received, ms } = await count();
  await service.stop();
  await receiver.stop();
  return { perSecond: (received / ms) * 1000 };
}

async function enquire(service: Service, number: number): Promise<void> {
  const response = await fetch(`${service.url}/lead.capture`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...LEAD.headers },
    body: LEAD.body.replaceAll('[<id>]', `99${String(number).padStart(7, '0')}`),
  });
  // Because `fetch` is answered with JSON, not with a redirect.
  if (response.status !== 200) throw new Error(`A lead was answered with ${response.status}.`);
}
