import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FORM_FIELDS_MAX, LEAD_BYTES_MAX } from '@leadtrail/contract/limits';
import { silentLog } from '@leadtrail/testing/silent-log';
import fc from 'fast-check';
import { errorAnswer } from '../../src/http/error-response.ts';
import { readFormBody } from '../../src/http/read-form-body.ts';
import { AppError } from '../../src/lib/errors.ts';

type Answer = { status: number; form?: Record<string, unknown>; error?: string };
type Body = string | Buffer | readonly (string | Buffer)[];

const JSON_TYPE = 'application/json';
const URLENCODED = 'application/x-www-form-urlencoded';
const TEXT = 'text/plain';
const BOUNDARY = '----form-boundary';
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

let port: number;
/** What became of each request, also of those that nobody is there to be told about. */
const outcomes: Promise<unknown>[] = [];

const server = createServer((incoming, outgoing) => {
  const reading = readFormBody(incoming, LEAD_BYTES_MAX);
  const outcome = reading.then(
    (form) => {
      assert.equal(Object.hasOwn(form, '__proto__'), false);
      return { status: 200, body: JSON.stringify({ form }) };
    },
    (error: unknown) => errorAnswer(error, {}, 'form', silentLog),
  );
  outcomes.push(reading.catch((error: unknown) => error));
  void outcome.then(({ status, body }) => {
    outgoing.writeHead(status, { 'content-length': Buffer.byteLength(body) }).end(body);
    if (!incoming.complete) incoming.resume();
  });
});

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

/** Several pieces are sent as chunks, without announcing their length. */
async function send(type: string | undefined, body: Body, headers: object = {}): Promise<Answer> {
  const pieces = Array.isArray(body) ? body : undefined;
  const sent = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    headers: { ...(type === undefined ? {} : { 'content-type': type }), ...headers },
  });
  for (const piece of pieces ?? []) if (piece.length > 0) sent.write(piece);
  sent.end(pieces === undefined ? body : undefined);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await answer.toArray()).join('');
  return { status: answer.statusCode ?? 0, ...JSON.parse(text) };
}

async function assertForm(type: string | undefined, body: Body, form: object): Promise<void> {
  assert.deepEqual(await send(type, body), { status: 200, form });
}

async function assertRefused(
  type: string | undefined,
  body: Body,
  error: string,
  status = 400,
): Promise<void> {
  const code = status === 413 ? 'too_large' : 'invalid';
  assert.deepEqual(await send(type, body), { status, error, code });
}

function part(headers: string, content = ''): string {
  return `--${BOUNDARY}\r\n${headers}\r\n\r\n${content}\r\n`;
}
function field(name: string, value: string): string {
  return part(`Content-Disposition: form-data; name="${name}"`, value);
}
function multipart(...parts: string[]): string {
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}

/** The same fields in every encoding. */
const ENCODERS: Record<string, { type: string | undefined; encode: (fields: [string, string][]) => string }> =
  {
    JSON: { type: JSON_TYPE, encode: (fields) => JSON.stringify(Object.fromEntries(fields)) },
    urlencoded: { type: URLENCODED, encode: (fields) => new URLSearchParams(fields).toString() },
    multipart: {
      type: MULTIPART,
      encode: (fields) => multipart(...fields.map(([name, value]) => field(name, value))),
    },
    'KEY: value lines': {
      type: TEXT,
      encode: (fields) => fields.map(([name, value]) => `${name}: ${value}`).join('\n'),
    },
    'no content type': { type: undefined, encode: (fields) => new URLSearchParams(fields).toString() },
  };

function someFields(count: number): [string, string][] {
  return Array.from({ length: count }, (_, i) => [`field_${i}`, `value ${i}`]);
}

test('the mark of its encoding that a text begins with is no part of the form', async () => {
  const fields: [string, string][] = [
    ['EMAIL', 'a@example.com'],
    ['FIRSTNAME', 'Zoë'],
  ];
  for (const { type, encode } of Object.values(ENCODERS)) {
    // Its parts are no text.
    if (type === MULTIPART) continue;
    await assertForm(type, `\uFEFF${encode(fields)}`, Object.fromEntries(fields));
  }
});

describe('every encoding', () => {
  for (const [name, { type, encode }] of Object.entries(ENCODERS)) {
    test(`${name}: fields become a record`, async () => {
      const fields: [string, string][] = [
        ['EMAIL', 'a+b@example.com'],
        ['FIRSTNAME', 'Zoë & Co. = 100%'],
        ['USER_MESSAGE', ''],
        ['__pg_hp', ''],
      ];
      await assertForm(type, encode(fields), Object.fromEntries(fields));
    });

    test(`${name}: at most ${FORM_FIELDS_MAX} fields`, async () => {
      const most = someFields(FORM_FIELDS_MAX);
      await assertForm(type, encode(most), Object.fromEntries(most));
      const more = encode(someFields(FORM_FIELDS_MAX + 1));
      await assertRefused(type, more, 'The form has more than 200 fields.');
    });

    test(`${name}: beyond 256 KiB 413, whether the length was announced or not`, async () => {
      const body = (bytes: number) => {
        const unpadded = encode([['padding', 'x']]);
        return encode([['padding', 'x'.repeat(bytes - unpadded.length + 1)]]);
      };
      const most = body(LEAD_BYTES_MAX);
      assert.equal(Buffer.byteLength(most), LEAD_BYTES_MAX);
      const halves = (text: string) => [text.slice(0, 100_000), text.slice(100_000)];
      const padding = /x+/.exec(most)?.[0];
      for (const sent of [most, halves(most)]) await assertForm(type, sent, { padding });
      const more = body(LEAD_BYTES_MAX + 1);
      for (const sent of [more, halves(more)]) {
        await assertRefused(type, sent, 'The body is larger than 262144 bytes.', 413);
      }
    });

    test(`${name}: __proto__ is dropped, and names of Object.prototype are names like any other`, async () => {
      const body = encode([
        ['x__proto__', 'polluted'],
        ['constructor', 'a'],
        ['hasOwnProperty', 'b'],
        ['toString', 'c'],
        ['status', 'won'],
      ]).replace('x__proto__', '__proto__');
      assert.ok(body.includes('__proto__'));
      const form = { constructor: 'a', hasOwnProperty: 'b', toString: 'c', status: 'won' };
      await assertForm(type, body, form);
      assert.equal(Object.getPrototypeOf({}), Object.prototype);
      assert.equal(({} as Record<string, unknown>).status, undefined);
    });

    test(`${name}: a name of more than 256 characters is refused`, async () => {
      const longest = 'n'.repeat(256);
      await assertForm(type, encode([[longest, 'x']]), { [longest]: 'x' });
      const error = 'A field has a name of more than 256 characters.';
      await assertRefused(type, encode([[`${longest}n`, 'x']]), error);
    });

    test(`${name}: a compressed body is refused and never inflated`, async () => {
      const bomb = gzipSync('a='.padEnd(10_000_000, 'x'));
      for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'x-unknown']) {
        assert.deepEqual(await send(type, bomb, { 'content-encoding': encoding }), {
          status: 400,
          error: 'A compressed form is not accepted.',
          code: 'invalid',
        });
      }
      const plain = await send(type, encode([['a', 'b']]), { 'content-encoding': 'Identity' });
      assert.deepEqual(plain.form, { a: 'b' });
    });
  }

  test('NUL and half surrogate pairs become U+FFFD, in values and names', async () => {
    const form = { 'a\uFFFDb': 'c\uFFFDd' };
    await assertForm(JSON_TYPE, '{"a\\u0000b": "c\\ud800d"}', form);
    await assertForm(JSON_TYPE, '{"a\\udc00b": "c\\u0000d"}', form);
    await assertForm(JSON_TYPE, '{"a\\udc00b": {"\\u0000": ["\\u0000", 1, null]}}', {
      'a\uFFFDb': { '\uFFFD': ['\uFFFD', 1, null] },
    });
    await assertForm(URLENCODED, 'a%00b=c%00d', form);
    await assertForm(URLENCODED, 'a\0b=c\0d', form);
    await assertForm(URLENCODED, 'a=%ED%A0%80', { a: '\uFFFD\uFFFD\uFFFD' });
    await assertForm(MULTIPART, multipart(field('a\0b', 'c\0d')), form);
    const utf16 = 'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=utf-16le';
    const half = Buffer.from([0x00, 0xd8, 0x41, 0x00]).toString('latin1');
    await assertForm(MULTIPART, Buffer.from(multipart(part(utf16, half)), 'latin1'), { a: '\uFFFDA' });
    await assertForm(TEXT, 'a\0b: c\0d', form);
    await assertForm(TEXT, 'a%00b=c%00d', form);
    await assertForm(undefined, 'a\0b=c%00d', form);
  });

  test('bytes that are no UTF-8 become U+FFFD', async () => {
    const value = Buffer.from('a=\xff', 'latin1');
    for (const type of [URLENCODED, undefined]) await assertForm(type, value, { a: '\uFFFD' });
    await assertForm(MULTIPART, Buffer.from(multipart(field('a', '\xff')), 'latin1'), { a: '\uFFFD' });
  });

  describe('in ISO-8859-1 or windows-1252', () => {
    const LABELS = ['iso-8859-1', 'ISO-8859-1', 'latin1', 'windows-1252', '"Windows-1252"'];
    /** As a page in windows-1252 sends it. */
    const legacy = (text: string) =>
      Buffer.from(text.replaceAll('€', '\x80').replaceAll('“', '\x93'), 'latin1');
    const escaped = (text: string) => `%${legacy(text).toString('hex').match(/../g)?.join('%')}`;
    const form = { Straße: 'Käthe “Größe €', plain: 'a b&c%' };
    const pairs = `Stra${escaped('ß')}e=K${escaped('ä')}the+${escaped('“')}Gr${escaped('öß')}e+%80&plain=a+b%26c%25`;
    const parts = [field('Straße', form.Straße), field('plain', form.plain)];
    const charset = (label: string) => label.replaceAll('"', '');

    test('a urlencoded form keeps its umlauts, escaped or not', async () => {
      for (const label of LABELS) {
        await assertForm(`${URLENCODED}; charset=${label}`, pairs, form);
        await assertForm(URLENCODED, `${pairs}&_charset_=${charset(label)}`, form);
        await assertForm(URLENCODED, `_charset_=${charset(label)}&${pairs}`, form);
        await assertForm(`${URLENCODED};charset=${label}`, legacy('name=Jürgen €'), { name: 'Jürgen €' });
      }
    });

    test('so does a multipart form, in names of fields and files too', async () => {
      const file = part(
        'Content-Disposition: form-data; name="Bild"; filename="Größe.png"',
        '\x00\xff'.repeat(60_000),
      );
      for (const label of LABELS) {
        const named = { ...form, Bild: 'Größe.png' };
        await assertForm(`${MULTIPART}; charset=${label}`, legacy(multipart(...parts, file)), named);
        const said = field('_charset_', charset(label));
        await assertForm(MULTIPART, legacy(multipart(said, ...parts)), form);
        await assertForm(MULTIPART, legacy(multipart(...parts, said)), form);
        const typed = `Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=${label}`;
        await assertForm(`${MULTIPART}; charset=${label}`, legacy(multipart(part(typed, 'ü€'))), { a: 'ü€' });
      }
    });

    test('the field counts for more than the content type', async () => {
      await assertForm(`${URLENCODED}; charset=utf-8`, 'a=%FC&_charset_=iso-8859-1', { a: 'ü' });
      await assertForm(`${URLENCODED}; charset=iso-8859-1`, 'a=%C3%BC&_charset_=UTF-8', { a: 'ü' });
    });

    test('a charset that is not known says nothing, and the field is never kept', async () => {
      for (const label of ['x-nothing', '', 'utf-7', '%80', 'utf-8']) {
        await assertForm(`${URLENCODED}; charset=${label}`, 'a=%C3%BC', { a: 'ü' });
        await assertForm(URLENCODED, `a=%C3%BC&_charset_=${label}&_CHARSET_=${label}`, { a: 'ü' });
        await assertForm(MULTIPART, multipart(field('_charset_', label), field('a', 'ü')), { a: 'ü' });
        await assertForm(`${URLENCODED}; charset=latin1`, `a=%FC&_charset_=x-${label}`, { a: 'ü' });
      }
    });
  });

  test('the content type may be in any case and have parameters', async () => {
    await assertForm('Application/JSON; charset=utf-8', '{"a": "b"}', { a: 'b' });
    await assertForm(`${URLENCODED};charset=UTF-8`, 'a=b', { a: 'b' });
    await assertForm('TEXT/PLAIN ; charset=utf-8', 'a: b', { a: 'b' });
    const quoted = `Multipart/Form-Data; charset=utf-8; BOUNDARY="${BOUNDARY}"`;
    await assertForm(quoted, multipart(field('a', 'b')), { a: 'b' });
  });

  test('an empty body has no fields; as JSON or multipart it is broken', async () => {
    for (const type of [URLENCODED, TEXT, undefined, 'application/octet-stream']) {
      await assertForm(type, '', {});
    }
    await assertForm(TEXT, ' \r\n', {});
    await assertForm(MULTIPART, multipart(), {});
    await assertRefused(JSON_TYPE, '', 'The body is not valid JSON.');
    await assertRefused(MULTIPART, '', 'The multipart form is incomplete or malformed.');
  });

  const name = fc.stringMatching(/^[A-Za-zé_][\w.é-]{0,20}$/).filter((each) => each !== '__proto__');
  const value = fc
    .oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...'a+%&=:;{}"\\ \t\0\ud800é') }),
    )
    .filter((each) => !/[\r\n]/.test(each) && each === each.trim());
  const fields = fc.uniqueArray(fc.tuple(name, value), { selector: ([each]) => each, maxLength: 8 });

  test('one record gives the same record in every encoding', async () => {
    const property = fc.asyncProperty(fields, async (pairs) => {
      const sound = pairs.map(([key, text]) => [key, text.toWellFormed().replaceAll('\0', '\uFFFD')]);
      const form = Object.fromEntries(sound);
      for (const { type, encode } of Object.values(ENCODERS)) await assertForm(type, encode(pairs), form);
    });
    await fc.assert(property, { numRuns: 200 });
  });
});

describe('JSON', () => {
  test('values stay what they are', async () => {
    const form = { a: 1, b: null, c: [1, 'x'], d: { e: true }, f: '' };
    await assertForm(JSON_TYPE, JSON.stringify(form), form);
    await assertForm(JSON_TYPE, ' \n{"a": "b"}\n', { a: 'b' });
  });

  test('400 for what is no JSON or no object', async () => {
    for (const body of ['{', 'a=b', '{"a": "b"}{}', '\0']) {
      await assertRefused(JSON_TYPE, body, 'The body is not valid JSON.');
    }
    for (const body of ['[]', '[{"a": "b"}]', '"a=b"', 'null', '1']) {
      await assertRefused(JSON_TYPE, body, 'The body is not a JSON object.');
    }
  });

  test('a body nests at most 20 levels deep', async () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    assert.equal((await send(JSON_TYPE, nested(20))).status, 200);
    for (const type of [JSON_TYPE, TEXT, undefined]) {
      await assertRefused(type, nested(21), 'The body nests deeper than 20 levels.');
      const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
      await assertRefused(type, deep, 'The body nests deeper than 20 levels.');
    }
  });
});

describe('urlencoded', () => {
  test('a repeated field becomes a list', async () => {
    await assertForm(URLENCODED, 'a=1&b=x&a=2&a=', { a: ['1', '2', ''], b: 'x' });
    await assertRefused(URLENCODED, 'a=1&'.repeat(201), 'The form has more than 200 fields.');
  });

  test('what is escaped is decoded, and what makes no sense stays as it is', async () => {
    await assertForm(URLENCODED, 'a+b=c%20d%2B+e', { 'a b': 'c d+ e' });
    await assertForm(URLENCODED, 'a=100%&b=%zz%4&c=%C3%A9%ff&d=é%zz+x', {
      a: '100%',
      b: '%zz%4',
      c: 'é\uFFFD',
      d: 'é%zz x',
    });
    await assertForm(URLENCODED, 'a=b=c&=d&e&?f=g', { a: 'b=c', '': 'd', e: '', '?f': 'g' });
  });

  test('empty pieces are no fields, however many', async () => {
    await assertForm(URLENCODED, `${'&'.repeat(200_000)}a=b&&c=d&`, { a: 'b', c: 'd' });
  });

  test('a body of 100,000 fields is refused', async () => {
    await assertRefused(URLENCODED, 'a&'.repeat(100_000), 'The form has more than 200 fields.');
  });
});

describe('text/plain and what has no type', () => {
  test('JSON, if it is an object', async () => {
    for (const type of [TEXT, undefined, 'application/octet-stream', 'nonsense']) {
      await assertForm(type, '\n {"a": "b=c"} ', { a: 'b=c' });
    }
  });

  test('what begins like JSON and is none is refused', async () => {
    for (const type of [TEXT, undefined]) {
      await assertRefused(type, '{"PAGE_URL": "https://example.com/?a=b"', 'The body is not valid JSON.');
    }
  });

  test('JSON that is no object is refused', async () => {
    for (const type of [TEXT, undefined, 'application/octet-stream']) {
      for (const body of ['[{"EMAIL": "a@b.c"}]', '"EMAIL=a@b.c"', 'null', '1']) {
        await assertRefused(type, body, 'The body is not a JSON object.');
      }
      await assertForm(type, '[EMAIL]=a', { '[EMAIL]': 'a' });
    }
  });

  test('else urlencoded: one line in which = comes before any :', async () => {
    for (const type of [TEXT, undefined, 'application/octet-stream']) {
      await assertForm(type, 'EMAIL=a%40b.c&NAME=x', { EMAIL: 'a@b.c', NAME: 'x' });
      await assertForm(type, 'PAGE_URL=https://example.com/&a=b+c\r\n', {
        PAGE_URL: 'https://example.com/',
        a: 'b c',
      });
    }
  });

  test('else KEY: value lines', async () => {
    await assertForm(TEXT, 'EMAIL: a@b.c\nNAME: x=y', { EMAIL: 'a@b.c', NAME: 'x=y' });
    await assertForm(TEXT, 'EMAIL: a=b', { EMAIL: 'a=b' });
    await assertForm(TEXT, ' EMAIL :a@b.c \r\n\tNAME:  A + B %41\rX:\r\n', {
      EMAIL: 'a@b.c',
      NAME: 'A + B %41',
      X: '',
    });
    await assertForm(TEXT, 'a: 1\na: 2', { a: ['1', '2'] });
  });

  test('the KEY=value lines of a browser form are read as they stand', async () => {
    const body = 'EMAIL=a+b@c.d\r\nNAME=Tom & Jerry: 100%41\r\n';
    await assertForm(TEXT, body, { EMAIL: 'a+b@c.d', NAME: 'Tom & Jerry: 100%41' });
  });

  test('a line that names no field goes on with the value before it', async () => {
    const body = 'USER_MESSAGE: Hello,\n\nplease call me: today\u2028A: b\nEMAIL: a@b.c';
    await assertForm(TEXT, body, {
      USER_MESSAGE: 'Hello,\n\nplease call me: today\u2028A: b',
      EMAIL: 'a@b.c',
    });
  });

  test('text that is none of the three is refused', async () => {
    for (const body of ['hello', '[1, 2', 'hello\nEMAIL: a@b.c', ': a', 'two words: x']) {
      await assertRefused(TEXT, body, 'The body is not a form.');
    }
  });

  test('without a type whatever is no JSON is urlencoded', async () => {
    await assertForm(undefined, 'hello', { hello: '' });
    await assertForm(undefined, 'EMAIL: a', { 'EMAIL: a': '' });
  });
});

describe('multipart', () => {
  test('what a browser sends is read', async () => {
    const form = new FormData();
    form.append('FIRSTNAME', 'Zoë');
    form.append('USER_MESSAGE', 'two\r\nlines');
    form.append('interest', 'flat');
    form.append('interest', 'house');
    form.append(
      'attachment',
      new File(['x'.repeat(100_000)], 'C:\\fakepath\\plän.pdf', { type: 'application/pdf' }),
    );
    form.append('nothing', new File([], ''));
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: form });
    assert.deepEqual(await response.json(), {
      form: {
        FIRSTNAME: 'Zoë',
        USER_MESSAGE: 'two\r\nlines',
        interest: ['flat', 'house'],
        attachment: 'plän.pdf',
        nothing: '',
      },
    });
  });

  test('only a part with a file name is a file', async () => {
    const headers = 'Content-Disposition: form-data; name="a"\r\nContent-Type: application/octet-stream';
    await assertForm(MULTIPART, multipart(part(headers, 'text')), { a: 'text' });
  });

  test('a part without a name or that is no form data is left out', async () => {
    const unnamed = part('Content-Disposition: form-data', 'x');
    const file = part('Content-Disposition: form-data; filename="x.txt"', 'x');
    const other = part('Content-Disposition: attachment; name="a"', 'x');
    const headless = part('', 'x');
    await assertForm(MULTIPART, multipart(unnamed, file, field('b', 'c'), other, headless), { b: 'c' });
  });

  test('a part has at most 16 headers that count', async () => {
    const disposed = (fillers: number) =>
      part(`${'X-Filler: x\r\n'.repeat(fillers)}Content-Disposition: form-data; name="a"`, 'b');
    await assertForm(MULTIPART, multipart(disposed(15)), { a: 'b' });
    await assertForm(MULTIPART, multipart(disposed(16)), {});
  });

  test('what stands before the first and behind the last boundary is left out', async () => {
    const body = `EMAIL=x\r\n${multipart(field('a', 'b'))}${field('c', 'd')}`;
    await assertForm(MULTIPART, body, { a: 'b' });
  });

  test('what stands behind the last boundary counts for the size', async () => {
    const body = [multipart(field('a', 'b')), 'x'.repeat(LEAD_BYTES_MAX)];
    await assertRefused(MULTIPART, body, 'The body is larger than 262144 bytes.', 413);
  });

  test('the boundary has 1 to 70 characters', async () => {
    const longest = 'b'.repeat(70);
    const body = (boundary: string) => multipart(field('a', 'b')).replaceAll(BOUNDARY, boundary);
    await assertForm(`multipart/form-data; boundary=${longest}`, body(longest), { a: 'b' });
    await assertForm('multipart/form-data; boundary="a b:\'(c)"', body("a b:'(c)"), { a: 'b' });
    const wrong = [
      '',
      '; boundary',
      '; boundary=',
      '; boundary=""',
      `; boundary=${longest}b`,
      '; boundary="b',
    ];
    wrong.push(`; boundary=${'b'.repeat(10_000)}`, '; boundary=b\u00e9', '; notboundary=b');
    for (const parameter of wrong) {
      const error = 'The content type has no valid boundary.';
      await assertRefused(`multipart/form-data${parameter}`, body('b'), error);
    }
  });

  const broken: Record<string, string> = {
    'no boundary at all': 'a=b',
    'another boundary': multipart(field('a', 'b')).replaceAll(BOUNDARY, 'other'),
    'nothing behind the boundary': `--${BOUNDARY}`,
    'unterminated headers': `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"`,
    'unterminated field': field('a', 'b'),
    'unterminated file': part('Content-Disposition: form-data; name="a"; filename="x"', 'x'.repeat(100_000)),
    'unterminated file after the most fields':
      someFields(199)
        .map((each) => field(...each))
        .join('') + part('Content-Disposition: form-data; name="a"; filename="x"', 'x'),
    'endless headers': `--${BOUNDARY}\r\n${'a: b\r\n'.repeat(40_000)}`,
  };
  for (const [sentence, body] of Object.entries(broken)) {
    test(`400: ${sentence}`, async () => {
      const error = 'The multipart form is incomplete or malformed.';
      await assertRefused(MULTIPART, body, error);
      await assertRefused(MULTIPART, [body.slice(0, 30), body.slice(30)], error);
    });
  }

  test('a part whose headers never end is not waited for', async () => {
    const headless = `--${BOUNDARY}\r\nfoo\r\n`;
    for (const body of [multipart(headless), multipart(field('a', 'b'), headless)]) {
      await assertRefused(MULTIPART, body, 'The multipart form is incomplete or malformed.');
    }
  });

  test('100,000 parts are refused, whether their length was announced or not', async () => {
    const body = `--${BOUNDARY}\r\n\r\n\r\n`.repeat(100_000);
    await assertRefused(MULTIPART, body, 'The body is larger than 262144 bytes.', 413);
    await assertRefused(MULTIPART, [body], 'The form has more than 200 fields.');
    const files = part('Content-Disposition: form-data; name="a"; filename="x"').repeat(2000);
    await assertRefused(MULTIPART, files, 'The form has more than 200 fields.');
  });

  test('however it is cut into pieces, it is read the same', async () => {
    const body = multipart(
      field('EMAIL', 'zoë@example.com'),
      field('USER_MESSAGE', `\r\n--${BOUNDARY.slice(0, -1)}\r\n--`),
      part(
        'Content-Disposition: form-data; name="file"; filename="plän.pdf"\r\nContent-Type: a/b',
        '\r\n\r\n',
      ),
      field('empty', ''),
    );
    const bytes = Buffer.from(body);
    const whole = await send(MULTIPART, bytes);
    assert.deepEqual(Object.keys(whole.form ?? {}), ['EMAIL', 'USER_MESSAGE', 'file', 'empty']);
    const cuts = fc
      .uniqueArray(fc.nat(bytes.length), { maxLength: 20 })
      .map((each) => each.sort((a, b) => a - b));
    const property = fc.asyncProperty(cuts, async (at) => {
      const pieces = [0, ...at].map((start, i) => bytes.subarray(start, at[i] ?? bytes.length));
      assert.deepEqual(await send(MULTIPART, pieces), whole);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test('whatever is sent is read or refused', async () => {
    const piece = fc.constantFrom(
      ...[
        `--${BOUNDARY}`,
        `\r\n--${BOUNDARY}\r\n`,
        `\r\n--${BOUNDARY}--`,
        '\r\n',
        '\r\n\r\n',
        '\r',
        '\n',
        '-',
        'x',
        '\0',
      ],
      ...[
        'Content-Disposition: form-data; name="a"',
        'Content-Disposition: form-data',
        '; filename="f"',
        ': ',
        ';',
        '=',
      ],
      ...[
        'Content-Type: text/plain; charset=',
        'Content-Type: ;',
        'utf-16le',
        'name=',
        '"',
        '\\',
        "filename*=x''%zz",
      ],
      ...[field('a', 'b'), part('Content-Disposition: form-data; name="c"; filename="d"', 'e'.repeat(5000))],
    );
    const body = fc.array(piece, { maxLength: 25 }).map((pieces) => Buffer.from(pieces.join(''), 'latin1'));
    const property = fc.asyncProperty(body, fc.nat(200), async (bytes, cut) => {
      const { status } = await send(MULTIPART, [bytes.subarray(0, cut), bytes.subarray(cut)]);
      assert.ok(status === 200 || status === 400, String(status));
    });
    await fc.assert(property, { numRuns: 300 });
  });
});

/** A request whose body has begun and that nothing has been done about. */
async function heldRequest(type: string): Promise<IncomingMessage> {
  const holder = createServer();
  holder.listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const arrived = once(holder, 'request');
  const socket = connect((holder.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 9999\r\n\r\n{`);
  const [incoming] = (await arrived) as [IncomingMessage];
  holder.close();
  return incoming;
}

describe('the connection', () => {
  const refused: Record<string, [string, string]> = {
    'a body that is too large': [URLENCODED, 'a'.repeat(LEAD_BYTES_MAX + 1)],
    'a multipart form that is too large': [MULTIPART, 'a'.repeat(LEAD_BYTES_MAX + 1)],
    'a multipart form without a boundary': ['multipart/form-data', multipart(field('a', 'b'))],
    'a multipart form of 100,000 parts': [MULTIPART, `--${BOUNDARY}\r\n\r\n\r\n`.repeat(100_000)],
    'a broken multipart form': [MULTIPART, field('a', 'b')],
  };
  for (const [sentence, [type, body]] of Object.entries(refused)) {
    test(`takes the next request after ${sentence}`, async () => {
      const good = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${URLENCODED}\r\nContent-Length: 3\r\n\r\na=b`;
      const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n`;
      const announced = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
      const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      for (const bad of [announced, chunked]) {
        const socket = connect(port, '127.0.0.1');
        socket.write(bad + good);
        const answers = (await socket.toArray()).join('');
        assert.match(answers, /^HTTP\/1\.1 4(00|13) .*HTTP\/1\.1 200 OK.*\{"form":\{"a":"b"\}\}$/s);
      }
    });
  }

  for (const type of [JSON_TYPE, URLENCODED, TEXT, MULTIPART]) {
    test(`lost in the middle of ${type.split(';')[0]} ends the reading`, async () => {
      outcomes.length = 0;
      const arrived = once(server, 'request');
      const socket = connect(port, '127.0.0.1');
      const begin = type === MULTIPART ? field('a', 'b') : '{"a": ';
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 9999\r\n\r\n${begin}`,
      );
      await arrived;
      socket.destroy();
      const error = await outcomes[0];
      assert.ok(error instanceof AppError && error.code === 'invalid', String(error));
    });

    test(`lost before ${type.split(';')[0]} is read ends the reading`, async () => {
      const incoming = await heldRequest(type);
      incoming.socket.destroy();
      await new Promise((resolve) => incoming.once('close', resolve));
      const reading = readFormBody(incoming, LEAD_BYTES_MAX);
      await assert.rejects(reading, { code: 'invalid', message: 'The body ended early.' });
    });
  }

  test('lost while the parser is loaded ends the reading', async () => {
    const incoming = await heldRequest(MULTIPART);
    const reading = readFormBody(incoming, LEAD_BYTES_MAX);
    incoming.destroy();
    await assert.rejects(reading, { code: 'invalid' });
  });
});
