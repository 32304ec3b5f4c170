import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { before, test } from 'node:test';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { call, type Method } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { captureOf } from '@leadtrail/testing/captures';
import { rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, INTEGRATION_KEY, sendFromServer } from '@leadtrail/testing/enquiries';
import { asIndexFollows, useHeldService } from '@leadtrail/testing/lead-index';
import { aPerson, performAll, type Sent, type Step } from '@leadtrail/testing/lead-model';
import {
  ADMIN_KEY,
  MARKETING_KEY,
  onBothStores,
  type TestService,
  useService,
} from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';
import { unknownGeo } from '../src/domain/geo.ts';
import { ORIGIN_COLUMNS } from '../src/domain/leads/attribution.ts';
import { readEnquiry } from '../src/domain/leads/enquiry.ts';
import type { Store } from '../src/store/store.ts';

const EXPORT = '/analytics/leads/export';
const UTF8_MARK = '\u{FEFF}';
/** What a spreadsheet would run. */
const FORMULA = /^[=+\-@\t\r\n]/;

function download(service: TestService, query = '', init: RequestInit = {}): Promise<Response> {
  const headers = { 'x-api-key': ADMIN_KEY, ...init.headers };
  return fetch(`${service.url}${EXPORT}?${query}`, { ...init, headers });
}

const exportedJson = (service: TestService, query: string) =>
  service.get<LeadItem[]>(`${EXPORT}?format=json&${query}`);

type Table = { header: string[]; lines: Record<string, string>[] };

async function exportedCsv(service: TestService, query = ''): Promise<Table> {
  const response = await download(service, query);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.bytes());
  assert.ok(text.startsWith(UTF8_MARK));
  const [header = [], ...lines] = readCsv(text.slice(UTF8_MARK.length));
  return {
    header,
    lines: lines.map((cells) => {
      assert.equal(cells.length, header.length);
      return Object.fromEntries(cells.map((cell, i) => [header[i], cell]));
    }),
  };
}

/** As a spreadsheet reads it (RFC 4180). */
function readCsv(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    line.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    lines.push(line);
    line = [];
  }
  return lines;
}

const submit = (sent: Sent): Step => ({ kind: 'submit', sent });

const PEOPLE: readonly Sent[] = [
  aPerson('ada', { name: 'Ada "the first", Countess\nof Lovelace', phone: '98765 43210', visitor: 'v-ada' }),
  aPerson('joerg', { name: 'Jörg 漢字 😀', project: 'Harbour, View' }),
  aPerson('carl', { timeToSubmit: '3' }),
];

onBothStores('GET /analytics/leads/export', (kind) => {
  const { service, index, clock } = useHeldService(kind);
  let listed: LeadItem[];
  before(async () => {
    const steps: Step[] = [
      ...PEOPLE.map(submit),
      { kind: 'view', email: 'ada@example.org' },
      { kind: 'view', email: 'carl@example.org' },
      { kind: 'move', email: 'joerg@example.org', status: 'won' },
      submit(aPerson('ada')),
    ];
    await performAll(service, steps, { clock });
    listed = (await service.get<{ leads: LeadItem[] }>('/analytics/leads')).leads;
  });

  asIndexFollows(index, 2, () => {
    test('format=json is a list of all leads with the fields of the list, newest first', async () => {
      const response = await download(service, 'format=json');
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(response.headers.get('content-disposition'), 'attachment; filename="leads.json"');
      assert.deepEqual(await response.json(), listed);
    });

    test('format=csv is a table of the same, with the names of the fields in its first line', async () => {
      const response = await download(service, 'format=csv');
      assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
      assert.equal(response.headers.get('content-disposition'), 'attachment; filename="leads.csv"');
      const { header, lines } = await exportedCsv(service, 'format=csv');
      const cellOf = (value: unknown) => {
        if (value === null) return '';
        if (typeof value !== 'object') return `${value}`;
        return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
      };
      assert.deepEqual(header.toSorted(), [...Object.keys(listed[0] ?? {}), ...ORIGIN_COLUMNS].sort());
      assert.partialDeepStrictEqual(
        lines,
        listed.map((lead) =>
          Object.fromEntries(Object.entries(lead).map(([field, value]) => [field, cellOf(value)])),
        ),
      );
    });

    test('csv begins with the mark of UTF-8, by which spreadsheets know it', async () => {
      const bytes = await (await download(service)).bytes();
      assert.deepEqual([...bytes.slice(0, 3)], [0xef, 0xbb, 0xbf]);
    });

    test('csv is the default', async () => {
      assert.deepEqual(await exportedCsv(service), await exportedCsv(service, 'format=csv'));
    });

    test("has the list's filters", async () => {
      const filters = [
        ...['', 'true', 'false'].flatMap((seen) => [`seen=${seen}`, `has_follow_ups=${seen}`]),
        ...LEAD_STATUSES.map((status) => `status=${status.toUpperCase()}`),
        'seen=false&has_follow_ups=true&status=new',
        ...['harbour, v', 'ADA', 'a', '漢', '%', 'nobody'].map((q) => `q=${encodeURIComponent(q)}`),
        'q=example&seen=true',
      ];
      for (const filter of filters) {
        const { leads } = await service.get<{ leads: LeadItem[] }>(`/analytics/leads?${filter}`);
        assert.deepEqual(await exportedJson(service, filter), leads, filter);
        const { lines } = await exportedCsv(service, filter);
        assert.deepEqual(
          lines.map((line) => line.lead_id),
          leads.map((lead) => String(lead.lead_id)),
          filter,
        );
      }
    });

    test('is never a page only', async () => {
      assert.equal((await exportedJson(service, 'limit=1&offset=1')).length, PEOPLE.length);
    });
  });
});

/** What a person can send, and what stands in the addresses and headers of the request. */
const TEXT_COLUMNS = [
  'contact_name',
  'contact_email',
  'contact_phone',
  'project_name',
  'project_location',
  'project_source',
  'contact_country_name',
  'contact_city',
  'visitor_id',
  'session_id',
  'engagement_label',
  'contact_ip',
] as const;

onBothStores('where an exported lead came from', (kind) => {
  const service = useService(kind, { env: CAPTURE_ENV });

  test('stands in columns of its own, as in what is forwarded', async () => {
    const visit = (utm: string, at: number) =>
      startSession(service, { visitor_id: 'v-1', page: `https://a.example/${at}?${utm}` });
    await visit('utm_source=facebook&utm_medium=paid_social&utm_campaign=Teaser', 1);
    await visit('utm_source=google&utm_medium=cpc&utm_campaign=Spring&utm_term=flats&gclid=click-1', 2);
    await service.settled();
    await assertCaptured(sendFromServer(service, { __visitor_id: 'v-1', CTA_NAME: 'Hero' }));
    const { lines } = await exportedCsv(service);
    assert.partialDeepStrictEqual(lines, [
      {
        utm_source: 'google',
        utm_medium: 'cpc',
        utm_campaign: 'Spring',
        utm_term: 'flats',
        utm_content: '',
        gclid: 'click-1',
        landing_page: 'https://a.example/2',
        first_source: 'facebook',
        first_medium: 'paid_social',
        first_campaign: 'Teaser',
        first_landing_page: 'https://a.example/1',
        cta_name: 'Hero',
      },
    ]);
    const chosen = await exportedCsv(service, 'fields=lead_id,channel');
    assert.deepEqual(chosen.header, ['lead_id', 'channel']);
  });
});

onBothStores('a formula in a CSV cell', (kind) => {
  const { service, clock } = useHeldService(kind);
  before(async () => {
    await performAll(service, [submit(aPerson('ada'))], { clock });
  });

  test('is defused in every column that holds a text', async () => {
    for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '=HYPERLINK("https://evil.example","x"),']) {
      const value = `${start}1+1`;
      const texts = TEXT_COLUMNS.map((column) => `${column} = '${value}'`).join(', ');
      await rows(service, `update leads set ${texts}`);
      const { lines } = await exportedCsv(service);
      assert.equal(lines.length, 1);
      for (const [column, cell] of Object.entries(lines[0] ?? {})) {
        assert.doesNotMatch(cell, FORMULA, column);
        if (TEXT_COLUMNS.includes(column as (typeof TEXT_COLUMNS)[number]))
          assert.equal(cell, `'${value}`, column);
      }
    }
  });

  test('is left as it is in JSON', async () => {
    await rows(service, "update leads set contact_name = '=1+1'");
    assert.equal((await exportedJson(service, ''))[0]?.contact_name, '=1+1');
  });
});

const MANY = 1203;

/** A hundred leads each, the last with fewer. */
const STEPS = 13;

/** No more than the connections to PostgreSQL: a lead that waits too long for one is refused. */
const AT_ONCE = 10;

/** Straight into the store: so many requests would take a while. */
async function captureMany({ app }: TestService): Promise<void> {
  const numbers = Array.from({ length: MANY }, (_, i) => i);
  for (let from = 0; from < MANY; from += AT_ONCE) {
    await Promise.all(numbers.slice(from, from + AT_ONCE).map((number) => captureOne(app.store, number)));
  }
}

async function captureOne(store: Store, number: number): Promise<void> {
  const sent = { EMAIL: `${number}@example.org`, FIRSTNAME: number % 2 === 0 ? 'Even' : 'Odd' };
  const headers = { 'x-api-key': INTEGRATION_KEY };
  const enquiry = readEnquiry(sent, { at: NOON, ip: '198.51.100.1', locate: unknownGeo, headers });
  const { kind } = await store.captureLead(captureOf(enquiry));
  assert.equal(kind, 'stored');
}

/** The next call of the store for leads to be exported, and what it does instead of the real one. */
type Gate = (call: () => Promise<LeadItem[]>) => Promise<LeadItem[]>;

onBothStores('an export of many leads', (kind) => {
  let gates: Gate[] = [];
  let calls = 0;
  const service = useService(kind, {
    env: CAPTURE_ENV,
    overrides: {
      around: {
        store: (store) => ({
          ...store,
          leadsBefore(asked) {
            calls += 1;
            const gate = gates.shift();
            const read = () => store.leadsBefore(asked);
            return gate === undefined ? read() : gate(read);
          },
        }),
      },
    },
  });
  before(() => captureMany(service));

  test('has all of them once, newest first', async () => {
    const all = (await exportedJson(service, '')).map((lead) => lead.lead_id);
    assert.equal(new Set(all).size, MANY);
    assert.deepEqual(
      all,
      all.toSorted((a, b) => b - a),
    );
    const { lines } = await exportedCsv(service);
    assert.deepEqual(
      lines.map((line) => Number(line.lead_id)),
      all,
    );
  });

  test('has all that a filter or a search lets through', async () => {
    assert.equal((await exportedJson(service, 'seen=false')).length, MANY);
    assert.equal((await exportedJson(service, 'q=odd')).length, Math.floor(MANY / 2));
    assert.equal((await exportedCsv(service, 'q=even&status=new')).lines.length, Math.ceil(MANY / 2));
  });

  test('has a lead that comes meanwhile, or has it not, but none twice and none left out', async () => {
    gates = [
      async (read) => {
        const leads = await read();
        await captureOne(service.app.store, MANY);
        return leads;
      },
    ];
    const emails = (await exportedJson(service, '')).map((lead) => lead.contact_email);
    assert.equal(new Set(emails).size, emails.length);
    for (let number = 0; number < MANY; number += 1) assert.ok(emails.includes(`${number}@example.org`));
    await rows(service, `delete from leads where contact_email = '${MANY}@example.org'`);
  });

  for (const format of ['csv', 'json']) {
    test(`as ${format} is streamed: it begins before all leads were read`, async () => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      gates = [(read) => read(), (read) => released.then(read)];
      calls = 0;
      const response = await download(service, `format=${format}`);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const decoder = new TextDecoder();
      let text = '';
      // The newest lead is there, and the second step has not been read.
      while (!text.includes(`${MANY - 1}@example.org`)) text += decoder.decode((await reader.read()).value);
      assert.ok(calls <= 2);
      assert.ok(!text.includes(',0@example.org') && !text.includes('"0@example.org'));
      release();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        text += decoder.decode(value, { stream: true });
      }
      assert.ok(text.includes(',0@example.org') || text.includes('"0@example.org'));
      assert.equal(calls, STEPS);
    });
  }

  test('an error in the first step is an error answer', async () => {
    for (const format of ['csv', 'json']) {
      gates = [() => Promise.reject(new Error('relation "leads" is gone'))];
      const response = await download(service, `format=${format}`);
      assert.equal(response.status, 500);
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(response.headers.get('content-disposition'), null);
      assert.deepEqual(await response.json(), {
        error: 'Something went wrong on our side.',
        code: 'internal',
      });
    }
  });

  test('an error in a later step breaks the connection off, and says nothing of what went wrong', async () => {
    for (const format of ['csv', 'json']) {
      gates = [(read) => read(), () => Promise.reject(new Error('relation "leads" is gone'))];
      const response = await download(service, `format=${format}`);
      assert.equal(response.status, 200);
      await assert.rejects(response.text());
    }
    const broken = service.logged.filter(({ message }) => message === 'answer broken off');
    assert.equal(broken.length, 2);
  });

  test('whoever goes away in the midst of it has no more read for them', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: secondStep, resolve: reachSecondStep } = Promise.withResolvers<void>();
    gates = [
      (read) => read(),
      (read) => {
        reachSecondStep();
        return released.then(read);
      },
    ];
    calls = 0;
    const asked = once(service.app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const leaving = new AbortController();
    const response = await download(service, '', { signal: leaving.signal });
    const [, outgoing] = await asked;
    // The next step is taken once there is room for it, however large the buffers on the way are.
    response.body?.pipeTo(new WritableStream()).catch(() => undefined);
    await secondStep;
    const hasNoticed = once(outgoing, 'close');
    leaving.abort();
    await hasNoticed;
    release();
    // Until somebody else has read it all, the next step would have been read long since.
    assert.equal((await exportedJson(service, '')).length, MANY);
    assert.equal(calls, 2 + STEPS);
  });
});

onBothStores('whoever asks for an export', (kind) => {
  const service = useService(kind, { env: CAPTURE_ENV });

  test('may have the marketing key', async () => {
    const response = await download(service, '', { headers: { 'x-api-key': MARKETING_KEY } });
    assert.equal(response.status, 200);
  });

  test('gets 401 when the API key is missing or invalid', async () => {
    for (const key of [null, 'wrong'])
      assert.equal((await call(service, 'GET', EXPORT, { key })).status, 401);
  });

  test('gets 405 for any other method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] satisfies Method[]) {
      const { status, headers } = await call(service, method, EXPORT);
      assert.equal(status, 405, method);
      assert.equal(headers.get('allow'), 'GET, HEAD');
    }
  });

  test('gets 400 for an unknown format, naming those there are', async () => {
    for (const format of ['xlsx', 'CSV', 'csv,json', '../csv', 'csv%0d%0ax: y']) {
      const { status, body } = await call(service, 'GET', `${EXPORT}?format=${format}`);
      assert.equal(status, 400, format);
      assert.match(body.error, /format must be one of csv, json/);
    }
  });

  test('gets 400 for an unknown filter, as in the list', async () => {
    for (const filter of ['status=old', 'seen=maybe', 'has_follow_ups=2']) {
      assert.equal((await call(service, 'GET', `${EXPORT}?${filter}`)).status, 400, filter);
    }
  });

  test('of a store without leads gets an empty table or list', async () => {
    assert.deepEqual((await exportedCsv(service)).lines, []);
    assert.deepEqual(await exportedJson(service, ''), []);
    assert.deepEqual(await exportedJson(service, 'q=abc&seen=true'), []);
  });

  test('HEAD answers as GET without a body', async () => {
    const response = await download(service, 'format=csv', { method: 'HEAD' });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(await response.text(), '');
  });
});
