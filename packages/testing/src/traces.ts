import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { call } from './analytics-calls.ts';
import { CALLBACK_SECRET, CRM_WEBHOOK, FLOW_CALLBACK, report, tellCrmId } from './callbacks.ts';
import { openReader, rows } from './database.ts';
import { assertCaptured, type Fields, sendForm, sendFromServer } from './enquiries.ts';
import { ask } from './questions.ts';
import type { TestService } from './service.ts';
import { endSession, runJob, sendEvents, startSession } from './visits.ts';

/** Somebody who leaves traces wherever the service keeps anything, and a look for them in every file and table. */

/** Stands in every text that this person sends; no word of anybody else's contains it. */
export const CANARY = 'canaryxq';
/** Typed, and as it is compared. */
const PHONE = '98989 12345';
const TRACES = [CANARY, PHONE, PHONE.replace(' ', '')];

export const PERSON = {
  email: `${CANARY}@example.org`,
  phone: `+91 ${PHONE}`,
  visitor_id: `visitor-${CANARY}`,
};
const PUBLIC_IP = '91.0.0.77';
const BLOCKED_IP = '91.0.0.78';
const TESTING_IP = '91.0.0.79';

const CANARY_ADDRESS = `https://www.example.com/${CANARY}?utm=${CANARY}`;
const CANARY_ENQUIRY: Fields = {
  FIRSTNAME: `${CANARY} Person`,
  EMAIL: PERSON.email,
  PHONE,
  COUNTRYCODE: '+91',
  SOURCE: `Source ${CANARY}`,
  KEYWORD: CANARY,
  LOCATION: CANARY,
  USER_MESSAGE: `This is ${CANARY}.`,
  PAGE_URL: CANARY_ADDRESS,
  CTA_NAME: CANARY,
  anything: { else: [CANARY] },
  __utm_term: CANARY,
  __visitor_id: PERSON.visitor_id,
};
const CANARY_AGENT = { headers: { 'user-agent': `Mozilla/5.0 ${CANARY}` } };

/** In all tables but those of archives; the lists and searches have caught up. */
export async function leaveTraces(service: TestService): Promise<void> {
  const { session_id } = await visit(service);
  await sendEvents(service, session_id, [
    { type: 'page_view', page: `${CANARY_ADDRESS}&second` },
    { type: 'page_view', page: `https://www.example.com/${CANARY}/further` },
    { type: 'form_start', event_id: CANARY, data: { typed: CANARY } },
  ]);
  await endSession(service, session_id, { exit_page: `${CANARY_ADDRESS}&exit` });
  // Of a session that never comes.
  await sendEvents(service, randomUUIDv7(), [{ type: 'form_start', data: { typed: PERSON.email } }]);
  await service.settled();
  await enquire(service);
  await beSetAside(service);
  await rows(
    service,
    `insert into failed_records values ('spool', 1, 0, 0, 'It is ${CANARY}.', '${JSON.stringify({
      kind: 'start',
      visitor_id: PERSON.visitor_id,
      page: CANARY_ADDRESS,
    })}')`,
  );
  await service.app.indexing.settled();
  // The columnar copy has them from here on.
  await ask(service, { metrics: ['visits', 'leads'], dimensions: ['entry_page', 'project'] });
}

export function visit(
  service: TestService,
  more: { visitor_id?: string } = {},
  from: Record<string, string> = { 'x-forwarded-for': PUBLIC_IP },
) {
  return startSession(
    service,
    {
      fingerprint_id: `fingerprint-${CANARY}`,
      visitor_id: PERSON.visitor_id,
      page: CANARY_ADDRESS,
      referrer: `https://${CANARY}.example/${CANARY}`,
      device_info: { user_agent: CANARY, language: CANARY, platform: CANARY },
      ...more,
    },
    from,
  );
}

/** In a project of others, in one of their own, and with the honeypot filled. */
async function enquire(service: TestService): Promise<void> {
  const projects = ['Riverside', `${CANARY} Court`];
  for (const PROJECT of projects) {
    await assertCaptured(sendFromServer(service, { ...CANARY_ENQUIRY, PROJECT }, CANARY_AGENT));
  }
  const trap = { ...CANARY_ENQUIRY, PROJECT: 'Trap', __pg_hp: CANARY };
  await assertCaptured(sendForm(service, trap, { ip: PUBLIC_IP, ...CANARY_AGENT }));
  await service.app.forwarding.settled();

  const [lead] = await rows(
    service,
    `select l.lead_id as id, f.flow_send_public_id as send
    from leads l join flow_sends f on f.lead_id = l.lead_id where l.project_name = 'Riverside'
    and l.contact_email = '${PERSON.email}'`,
  );
  const secret = { 'x-api-key': CALLBACK_SECRET };
  const crm_lead_id = `crm-${CANARY}`;
  await tellCrmId(service, { lead_id: lead?.id, crm_lead_id });
  await report(service, CRM_WEBHOOK, { crm_lead_id, event_type: CANARY, note: CANARY }, secret);
  const flow_execution_url = `https://flow.example/${CANARY}`;
  await report(service, FLOW_CALLBACK, { flow_send_public_id: lead?.send, flow_execution_url, text: CANARY });
  await rows(
    service,
    `insert into unmatched_crm_events (crm_lead_id, event_type, payload, received_at)
    values ('${crm_lead_id}', 'late', '"${CANARY}"', 0)`,
  );
  const unknown = { crm_lead_id: 'never-reported', contact: { mail: PERSON.email } };
  await report(service, CRM_WEBHOOK, unknown, secret);
}

/** Once with each identifier, as they may be typed; one of them has been hidden. */
async function beSetAside(service: TestService): Promise<void> {
  await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: BLOCKED_IP } });
  await call(service, 'POST', '/analytics/whitelisted-ips', { body: { ip: TESTING_IP, usage: 'test' } });
  const bare = { ...CANARY_ENQUIRY, EMAIL: '', PHONE: '', __visitor_id: '' };
  const known: [string, Fields][] = [
    [BLOCKED_IP, { EMAIL: ` ${PERSON.email.toUpperCase()} ` }],
    [BLOCKED_IP, { PHONE: '+91-98989-12345' }],
    [TESTING_IP, { __visitor_id: PERSON.visitor_id }],
    [TESTING_IP, { PHONE: '９８９８９ １２３４５' }],
  ];
  for (const [ip, sent] of known) {
    await assertCaptured(sendFromServer(service, { ...bare, ...sent }, { ip }));
  }
  const [first] = await rows(service, 'select min(id) as id from set_aside_leads');
  const body = { ids: [first?.id] };
  await call(service, 'POST', '/analytics/blocked-ip-leads/bulk-delete', { body });
}

export async function archive(service: TestService): Promise<void> {
  await service.settled();
  await runJob(service, 'archive-sessions');
}

/** The tables in which there is a trace, archives on their way looked into. */
export async function tablesWithTraces(service: TestService): Promise<string[]> {
  const content =
    service.database.kind === 'sqlite' ? await sqliteContent(service) : await postgresContent(service);
  const archives = await rows(service, 'select body from archive_queue');
  const found = [...content].filter(([, texts]) => texts.some(hasTrace)).map(([table]) => table);
  const isQueued = archives.some(({ body }) => hasTrace(contentOf(body as unknown as Uint8Array)));
  return [...found, ...(isQueued ? ['archive_queue'] : [])].sort();
}

type Content = Map<string, string[]>;

async function sqliteContent(service: TestService): Promise<Content> {
  const content: Content = new Map();
  const list = "select name from sqlite_schema where type = 'table' and name not like 'lead_trigrams%'";
  await using reader = openReader(service);
  for (const { name } of await reader.rows(list)) {
    const found = await reader.rows(`select * from ${name}`);
    content.set(
      String(name),
      found.map((row) => JSON.stringify(row)),
    );
  }
  return content;
}

/** At once, because to connect takes longer than to read. */
async function postgresContent(service: TestService): Promise<Content> {
  const list = "select tablename as name from pg_tables where schemaname = 'public'";
  const texts = (await rows(service, list)).map(
    ({ name }) => `select '${name}' as name, t::text as row from ${name} t`,
  );
  const found = await rows(service, texts.join(' union all '));
  const byTable = Map.groupBy(found, ({ name }) => String(name));
  return new Map([...byTable].map(([name, ofTable]) => [name, ofTable.map(({ row }) => String(row))]));
}

/** Whether the search of a SQLite store has three characters in it that only this person's words have. */
export async function isSearchable(service: TestService): Promise<boolean> {
  const blocks = await rows(service, 'select block from lead_trigrams_data');
  return blocks.some(({ block }) => contentOf(block as unknown as Uint8Array).includes(CANARY.slice(-3)));
}

/** The files below a directory in which there is a trace. */
export function filesWithTraces(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  assert.ok(files.length > 0, 'There is nothing to look into.');
  return files.filter((file) => hasTrace(contentOf(readFileSync(file)))).sort();
}

const GZIP_MAGIC = 0x1f8b;

function contentOf(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes);
  const isGzip = buffer.length > 2 && buffer.readUInt16BE(0) === GZIP_MAGIC;
  return (isGzip ? gunzipSync(buffer) : buffer).toString('latin1');
}

export function hasTrace(text: string): boolean {
  const folded = text.toLowerCase();
  return TRACES.some((trace) => folded.includes(trace));
}
