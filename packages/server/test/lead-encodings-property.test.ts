import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { before, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { aClock } from '@leadtrail/testing/clock';
import { type Row, row } from '@leadtrail/testing/database';
import { CAPTURE_ENV, INTEGRATION_KEY } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import fc from 'fast-check';

const FORMS = 25;
const REDIRECTS = 150;
const DIAL_CODE_CHARS = 16;
const CLIENT_IP = '198.51.100.20';
const BOUNDARY = 'a-boundary-that-no-field-contains';

type Field = readonly [name: string, value: string];
type Encoded = { type: string; body: string };

const ENCODINGS: Readonly<Record<string, (fields: readonly Field[]) => Encoded>> = {
  JSON: (fields) => ({ type: 'application/json', body: JSON.stringify(Object.fromEntries(fields)) }),
  urlencoded: (fields) => ({
    type: 'application/x-www-form-urlencoded',
    body: new URLSearchParams(fields.map(([name, value]) => [name, value])).toString(),
  }),
  multipart: (fields) => ({
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    body: [...fields.map(part), `--${BOUNDARY}--\r\n`].join(''),
  }),
  text: (fields) => ({
    type: 'text/plain',
    body: fields.map(([name, value]) => `${name}: ${value}`).join('\n'),
  }),
};

function part([name, value]: Field): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

/** Any text, with NUL and lone surrogates among it, and with what has a meaning in one of the encodings. */
const anyPiece = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 8 }) },
  fc.constantFrom(
    ...[
      '\0',
      '\uD800',
      '\uDFFF',
      '%00',
      '%ED%A0%80',
      '+',
      '&a=b',
      '=',
      ': ',
      '{"a":1}',
      '"',
      '\\u0000',
      '--',
    ],
    ...["'); drop table leads; --", '<script>', '\u2028', '\uFEFF', '🙂', 'ﬁ', 'İ', '\u0301', '\u202E'],
  ),
);
const anyText = fc.array(anyPiece, { maxLength: 4 }).map((pieces) => pieces.join(''));

/** Lines have no way to hold a line break, and no encoding is asked to keep the blanks around a value. */
const anyValue = anyText.map((text) => text.replaceAll(/[\r\n]/g, ' ').trim());

/** The fields that are shown as they were typed, and the column each is in. */
const SHOWN = {
  FIRSTNAME: 'contact_name',
  EMAIL: 'contact_email',
  PHONE: 'contact_phone',
  COUNTRYCODE: 'contact_country_code',
  PROJECT: 'project_name',
  LOCATION: 'project_location',
  SOURCE: 'project_source',
  TEAM: 'source_team',
  KEYWORD: 'keyword',
  USER_MESSAGE: 'message',
  PAGE_URL: 'referer',
  siteKey: 'site_key',
  formId: 'form_id',
  __visitor_id: 'visitor_id',
} as const;
const ONLY_READ = ['DOMAIN', 'CTA_NAME', '__pg_hp', '__pg_tts', '__utm_source', '__gclid', 'budget'];
/** Fields that are no business of a form. */
const HOSTILE = ['__proto__', 'constructor', 'prototype', 'status', 'lead_id', 'is_primary_lead', 'toString'];

const someFields: fc.Arbitrary<Field[]> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...Object.keys(SHOWN), ...ONLY_READ, ...HOSTILE), anyValue), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 20,
  })
  .map((fields) => fields.map(([name, value]): Field => [name, shortened(name, value)]));

/** Short enough that nothing is cut: no other field is as short as a dial code. */
function shortened(name: string, value: string): string {
  return name === 'COUNTRYCODE' ? value.slice(0, DIAL_CODE_CHARS).trim() : value;
}

onBothStores('one form in four encodings', (kind) => {
  const clock = aClock();
  const service = useService(kind, { env: CAPTURE_ENV, overrides: { now: clock.now } });

  test('JSON, urlencoded, multipart and text/plain give the same lead, with the text that was typed', async () => {
    const property = fc.asyncProperty(someFields, async (fields) => {
      const stored: Row[] = [];
      for (const [encoding, encode] of Object.entries(ENCODINGS)) {
        await emptyLeads(service);
        const answer = await send(service, encode(fields));
        assert.ok(answer.status === 200 || answer.status === 301, `${encoding}: ${answer.status}`);
        stored.push(await storedLead(service));
      }
      const [first = {}, ...others] = stored;
      for (const other of others) assert.deepEqual(other, first);
      assertAsTyped(first, fields);
      assert.equal(first.status, 'new');
      assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), PROTOTYPE_NAMES);
    });
    await fc.assert(property, { numRuns: FORMS });
  });
});

const PROTOTYPE_NAMES = Object.getOwnPropertyNames(Object.prototype);

/** Everything of the lead and its submission but the numbers and ids that differ for each. */
async function storedLead(service: TestService): Promise<Row> {
  const { lead_id, lead_public_id, ...lead } = await row(service, 'select * from leads');
  const submission = await row(
    service,
    'select cta_name, is_primary_lead, is_duplicate_window, payload_json from submissions',
  );
  const { n: identities } = await row(
    service,
    `select count(*) as n from lead_identities where lead_id = ${lead_id}`,
  );
  assert.equal(typeof lead_public_id, 'string');
  return { ...lead, ...submission, identities: identities ?? 0 };
}

function assertAsTyped(lead: Row, fields: readonly Field[]): void {
  const typed = new Map(fields);
  for (const [name, column] of Object.entries(SHOWN)) {
    const expected = (typed.get(name) ?? '').toWellFormed().replaceAll('\0', '\uFFFD');
    assert.equal(lead[column], expected, name);
  }
}

describe('DOMAIN, TEAM, SOURCE and Referer, whatever they are', () => {
  const service = useService('sqlite', { env: CAPTURE_ENV });
  before(async () => {
    const body = { internal_teams: ['Inside Sales', 'Ä\u0308 & <b>', '../..', '東京'] };
    assert.equal((await call(service, 'PATCH', '/analytics/settings', { body })).status, 200);
  });

  const danger = fc.constantFrom(
    ...['//evil.example', '/\\evil.example', '\\\\evil.example', 'good@evil.example', 'javascript:alert(1)'],
    ...[
      'data:text/html,x',
      'https:evil',
      'http://',
      'https://a:b@evil.example',
      'file:///etc/passwd',
      'ftp://x',
    ],
    ...['\r\nX-Injected: 1', '\n\nHTTP/1.1 200 OK', '%0d%0aX-Injected:%201', '\u560D\u560A', '\u2028', '\0'],
    ...[
      '/ok/path',
      'shop.example',
      'https://shop.example/a?b#c',
      '[::1]:80',
      '0x7f.1',
      'xn--',
      '..',
      ':99999',
    ],
    ...['Inside Sales', '東京', '\uD800', '🙂', '%', '#', '?', '@', ' '],
  );
  const anything = fc
    .array(fc.oneof(danger, fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 3 })
    .map((pieces) => pieces.join(''));
  const someEncoding = fc.constantFrom('JSON', 'urlencoded', 'multipart');

  test('the answer is 200 or 301, to http or https only, and no header is split', async () => {
    const fields = fc.record({
      DOMAIN: anything,
      TEAM: anything,
      SOURCE: anything,
      EMAIL: fc.emailAddress(),
    });
    const property = fc.asyncProperty(fields, anything, someEncoding, async (form, referer, encoding) => {
      const encoded = (ENCODINGS[encoding] as (typeof ENCODINGS)['JSON'])(Object.entries(form));
      const answer = await send(service, encoded, { referer: asHeader(referer) });
      assertSafe(answer);
    });
    await fc.assert(property, { numRuns: REDIRECTS });
  });
});

type Answer = { status: number; headers: IncomingMessage['headers']; text: string };

const KNOWN_HEADERS = new Set(
  'x-request-id,cache-control,x-content-type-options,content-type,content-length,location,date,connection,keep-alive,vary'.split(
    ',',
  ),
);

function assertSafe({ status, headers, text }: Answer): void {
  assert.deepEqual(new Set(Object.keys(headers)).difference(KNOWN_HEADERS), new Set());
  if (headers.location === undefined) {
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text), { message: 'All set!' });
    return;
  }
  assert.equal(status, 301);
  const { location } = headers;
  assert.match(location, /^https?:\/\/[\x21-\x7e]+$/);
  const { href, protocol, username, password, pathname } = new URL(location);
  // A browser reads it as it is written.
  assert.equal(href, location);
  assert.match(protocol, /^https?:$/);
  assert.deepEqual([username, password], ['', '']);
  assert.match(pathname, /\/thank-you(\.html|-[^/]+)$/);
}

/** As a client that does not care sends it: bytes of UTF-8, without those that no header can hold. */
function asHeader(text: string): string {
  const bytes = Buffer.from(text.toWellFormed()).toString('latin1');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go.
  return bytes.replaceAll(/[\x00-\x1f\x7f]/g, '');
}

async function send(
  service: TestService,
  { type, body }: Encoded,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const bytes = Buffer.from(body);
  const sent = request(`${service.url}/lead.capture`, {
    method: 'POST',
    headers: {
      'content-type': type,
      'content-length': bytes.length,
      'x-api-key': INTEGRATION_KEY,
      'x-forwarded-for': CLIENT_IP,
      ...headers,
    },
  });
  sent.end(bytes);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await answer.toArray()).join('');
  return { status: answer.statusCode ?? 0, headers: answer.headers, text };
}
