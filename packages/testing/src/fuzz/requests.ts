import { gzipSync } from 'node:zlib';
import type { Endpoint } from '@leadtrail/contract/endpoint';
import { endpoints } from '@leadtrail/contract/endpoints';
import fc from 'fast-check';
import { z } from 'zod';
import { anyText, anyValue, type Known, valueFor } from './values.ts';

/** Requests to every endpoint of the contract, from nearly right to hostile. */

export type FuzzRequest = {
  endpoint: string;
  method: string;
  path: string;
  /** Names may repeat. */
  headers: [string, string][];
  body: Buffer | undefined;
  /** False: in chunks, without saying how long it is. */
  isAnnounced: boolean;
};

/** `capture` are those that a lead may come with. */
export type FuzzKeys = Readonly<Record<'right' | 'capture' | 'wrong', readonly string[]>>;

/** They would send to others, or take the store's time for minutes. */
const NEVER_LET_IN: ReadonlySet<string> = new Set([
  'erasePerson',
  'sendTestLead',
  'forwardLead',
  'resendFlowSend',
  'resendFailed',
  'saveSettings',
]);
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const BOUNDARY = 'boundary';

export function anyRequest(keys: FuzzKeys, known: Known): fc.Arbitrary<FuzzRequest> {
  const all = Object.entries(endpoints) as [string, Endpoint][];
  // What anybody may call comes more often.
  const weighed = all.map(([name, declared]) => ({
    weight: declared.auth === 'public' ? 6 : 1,
    arbitrary: requestTo(name, declared, keys, known),
  }));
  return fc.oneof(...weighed);
}

function requestTo(
  name: string,
  declared: Endpoint,
  keys: FuzzKeys,
  known: Known,
): fc.Arbitrary<FuzzRequest> {
  const shape = declared.body ?? declared.form;
  return fc
    .record({
      method: fc.oneof(
        { weight: 19, arbitrary: fc.constant<string>(declared.method) },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
      ),
      path: pathOf(declared, known),
      query: queryOf(declared, known),
      headers: headersFor(rightKeysFor(name, keys), keys.wrong),
      body: shape === undefined ? fc.constant(undefined) : bodyFor(shape, declared.form !== undefined, known),
      isAnnounced: fc.boolean(),
    })
    .map(({ method, path, query, headers, body, isAnnounced }) => {
      const isRead = method !== 'GET' && method !== 'HEAD' && body !== undefined;
      return {
        endpoint: name,
        method,
        path: path + query,
        headers: [...headers, ...(isRead ? body.headers : [])],
        body: isRead ? body.bytes : undefined,
        isAnnounced,
      };
    });
}

function rightKeysFor(name: string, { right, capture, wrong }: FuzzKeys): readonly string[] {
  if (NEVER_LET_IN.has(name)) return wrong;
  return name.startsWith('captureLead') ? capture : right;
}

/** As it may stand in the first line of a request. */
function inPath(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const pathPiece = fc.oneof(
  { weight: 3, arbitrary: anyText.map(inPath) },
  fc.constantFrom('%', '%zz', '%ED%A0%80', '..', '%2e%2e%2f', '1', '-1', '1e3', 'a/b', '%00'),
);

function pathOf({ path }: Endpoint, known: Known): fc.Arbitrary<string> {
  const pieces = path.split('/').map((piece) => {
    if (!piece.startsWith(':')) return fc.constant(piece);
    const found = known[piece.slice(1)];
    return found === undefined ? pathPiece : fc.oneof(fc.constantFrom(...found.map(String)), pathPiece);
  });
  const right = fc.tuple(...pieces).map((each) => each.join('/'));
  const more = fc.tuple(right, pathPiece).map(([before, after]) => `${before}/${after}`);
  return fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: more });
}

function queryOf({ query }: Endpoint, known: Known): fc.Arbitrary<string> {
  const named = Object.keys(query?.shape ?? {}).map((name) =>
    fc.tuple(fc.constant(name), fc.oneof({ weight: 3, arbitrary: knownTexts(known, name) }, anyText)),
  );
  const pair = fc.oneof(...named, fc.tuple(anyText, anyText)).map(asPair);
  // All that there are, so that some questions are complete.
  const all = named.length === 0 ? fc.constant([]) : fc.tuple(...named).map((pairs) => pairs.map(asPair));
  const broken = fc.constantFrom('?', '&&&', '=', 'a[b][c]=1', '%', '#', 'limit=5&limit=6');
  const some = fc.array(fc.oneof({ weight: 8, arbitrary: pair }, { weight: 1, arbitrary: broken }), {
    maxLength: 3,
  });
  return fc
    .oneof({ weight: 3, arbitrary: some }, all)
    .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`));
}

function asPair([name, value]: [string, string]): string {
  return `${inPath(name)}=${inPath(value)}`;
}

function knownTexts(known: Known, name: string): fc.Arbitrary<string> {
  const found = known[name];
  return found === undefined ? fc.nat().map(String) : fc.constantFrom(...found.map(String));
}

/** What a header may carry; everything else never leaves the client. */
function inHeader(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').trim();
}

const ADDRESSES = [
  '203.0.113.7',
  '2001:db8::1',
  '::ffff:10.0.0.1',
  '10.0.0.1, 203.0.113.9',
  'unknown',
  '203.0.113.7:80',
];
const HOSTS = ['127.0.0.1', 'evil.example', 'a b', '', '[::1]:80', 'x:99999', '@', 'a,b', 'xn--nxasmq6b'];
const FORWARDING = [
  ...[
    'x-forwarded-for',
    'x-real-ip',
    'forwarded',
    'cf-connecting-ip',
    'true-client-ip',
    'x-vercel-forwarded-for',
  ],
  ...['x-forwarded-host', 'x-forwarded-proto', 'x-geo-country', 'x-geo-asn', 'cf-ipcountry'],
];
const OTHERS = [
  ...['origin', 'referer', 'user-agent', 'accept', 'accept-encoding', 'accept-language', 'cookie', 'range'],
  ...[
    'if-none-match',
    'sec-fetch-mode',
    'x-requested-with',
    'idempotency-key',
    'webhook-id',
    'webhook-timestamp',
  ],
  ...['webhook-signature', 'access-control-request-method', 'access-control-request-headers', 'x-request-id'],
];

function headersFor(right: readonly string[], wrong: readonly string[]): fc.Arbitrary<[string, string][]> {
  const text = anyText.map(inHeader);
  const key = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...right) }, fc.constantFrom(...wrong), text);
  const credential = fc.oneof(
    key.map((each): [string, string] => ['x-api-key', each]),
    key.map((each): [string, string] => ['authorization', `Bearer ${each}`]),
  );
  const rightKey = fc.constantFrom(...right).map((each): [string, string][] => [['x-api-key', each]]);
  const forwarding = fc.tuple(fc.constantFrom(...FORWARDING), fc.oneof(fc.constantFrom(...ADDRESSES), text));
  const host = fc.tuple(fc.constant('host'), fc.oneof(fc.constantFrom(...HOSTS), text));
  const usual = fc.constantFrom<[string, string]>(
    ['origin', 'https://www.example.com'],
    ['x-requested-with', 'fetch'],
    ['accept', 'application/json'],
    ['accept-encoding', 'gzip, br'],
  );
  const other = fc.oneof(usual, fc.tuple(fc.constantFrom(...OTHERS), text));
  return fc
    .tuple(
      fc.oneof({ weight: 6, arbitrary: fc.constant<[string, string]>(['host', 'localhost']) }, host),
      fc.oneof(fc.array(credential, { maxLength: 2 }), rightKey),
      fc.array(forwarding, { maxLength: 2 }),
      fc.array(other, { maxLength: 3 }),
    )
    .map(([first, ...more]) => [first, ...more.flat()]);
}

type Body = { headers: [string, string][]; bytes: Buffer };

function bodyFor(shape: z.ZodObject, isForm: boolean, known: Known): fc.Arbitrary<Body> {
  const schema = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
  const value = fc.oneof(
    { weight: 12, arbitrary: valueFor(schema, known) },
    { weight: 1, arbitrary: anyValue },
  );
  const encoded = value.chain((each) =>
    fc.constantFrom(...(isForm ? ENCODINGS : [asJson, asJson, asText])).map((as) => as(each)),
  );
  const broken = fc
    .tuple(encoded, fc.nat({ max: 200 }))
    .map(([{ type, bytes }, at]) => ({ type, bytes: bytes.subarray(0, at) }));
  const raw = fc.tuple(anyContentType, fc.uint8Array({ maxLength: 300 })).map(([type, bytes]) => ({
    type,
    bytes: Buffer.from(bytes),
  }));
  const large = fc
    .nat({ max: 400 })
    .map((kib) => ({ type: 'application/json', bytes: Buffer.alloc(kib * 1024, '[') }));
  return fc
    .tuple(
      fc.oneof(
        { weight: 30, arbitrary: encoded },
        { weight: 4, arbitrary: broken },
        { weight: 4, arbitrary: raw },
        { weight: 1, arbitrary: large },
      ),
      nowAndThen(anyContentType),
      nowAndThen(fc.constantFrom('gzip', 'br', 'identity', 'deflate', 'x')),
    )
    .map(([{ type, bytes }, otherType, packing]) => {
      const headers: [string, string][] = [['content-type', otherType ?? type]];
      if (packing !== undefined) headers.push(['content-encoding', packing]);
      return { headers, bytes: packing === 'gzip' ? gzipSync(bytes) : bytes };
    });
}

function nowAndThen<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, arbitrary);
}

const anyContentType = fc.oneof(
  fc.constantFrom(
    ...['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'],
    ...[
      'multipart/form-data; boundary=',
      'multipart/form-data; boundary="b"',
      'application/json; charset=utf-16',
    ],
    ...['text/plain; charset=iso-8859-1', 'application/x-www-form-urlencoded; charset=nope', 'image/png', ''],
  ),
  anyText.map(inHeader),
);

type Encoded = { type: string; bytes: Buffer };
type Encoding = (value: unknown) => Encoded;

const asJson: Encoding = (value) => ({
  type: 'application/json',
  bytes: Buffer.from(JSON.stringify(value) ?? ''),
});
const asText: Encoding = (value) => ({ ...asJson(value), type: 'text/plain' });
const asUrlEncoded: Encoding = (value) => ({
  type: 'application/x-www-form-urlencoded',
  bytes: Buffer.from(new URLSearchParams(fieldsOf(value)).toString()),
});
const asMultipart: Encoding = (value) => ({
  type: `multipart/form-data; boundary=${BOUNDARY}`,
  bytes: Buffer.from(
    [
      ...fieldsOf(value).map(
        ([name, text]) =>
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
      ),
      `--${BOUNDARY}--\r\n`,
    ].join(''),
  ),
});
const asLines: Encoding = (value) => ({
  type: 'text/plain',
  bytes: Buffer.from(
    fieldsOf(value)
      .map(([name, text]) => `${name}: ${text}`)
      .join('\n'),
  ),
});
const ENCODINGS = [asJson, asUrlEncoded, asMultipart, asLines];

function fieldsOf(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [['', String(value)]];
  return Object.entries(value).map(([name, each]) => [
    name,
    typeof each === 'string' ? each : (JSON.stringify(each) ?? ''),
  ]);
}
