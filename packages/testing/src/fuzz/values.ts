import fc from 'fast-check';
import type { JSONSchema } from 'zod/v4/core';

/** Values for a schema: mostly ones that it allows or nearly allows, now and then anything at all. */

type Schema = JSONSchema._JSONSchema;
export type Known = Readonly<Record<string, readonly unknown[]>>;

const DEPTH_MAX = 4;

/** Texts that have a meaning somewhere on their way: in a header, an encoding, JSON, SQL, a path or a spreadsheet. */
const HOSTILE = [
  ...[
    '',
    ' ',
    '\0',
    '\uD800',
    '\uFFFE',
    '\u202E',
    'İ',
    'ß',
    '🙂',
    'e\u0301',
    '\r\n',
    '\r\nX-Injected: 1',
    '\t',
  ],
  ...['null', 'undefined', 'NaN', 'true', '-1', '0', '1e309', '99999999999999999999', '0x10', '١٢٣'],
  ...[
    "'",
    '"',
    "' or 1=1 --",
    ';drop table leads',
    '%',
    '_',
    '\\',
    '%00',
    '%ED%A0%80',
    '%zz',
    '+',
    '&a=b',
    '=',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '{"__proto__":{}}',
    '[]',
    '{}',
    '[[[[',
    '=1+1',
    '@x',
    '<script>',
  ],
  ...[
    '../../etc/passwd',
    '//evil.example',
    'javascript:alert(1)',
    'http://[::1',
    'https://u:p@h/',
    'file:///',
  ],
  ...['::ffff:1.2.3.4', '1.2.3.4, 5.6.7.8', '203.0.113.0/24', '2001:db8::/1', '999.1.1.1', 'fe80::1%eth0'],
];

export const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 3, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  fc.nat({ max: 3000 }).map((length) => 'x'.repeat(length)),
);

export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: anyText },
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 2, true, [], {}),
);

/** `known` are values under which there is something, by the name of the field. */
export function valueFor(schema: Schema, known: Known, name = '', depth = 0): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 9, arbitrary: allowedBy(schema, known, name, depth) },
    { weight: 1, arbitrary: anyValue },
  );
}

function allowedBy(schema: Schema, known: Known, name: string, depth: number): fc.Arbitrary<unknown> {
  if (typeof schema === 'boolean' || depth > DEPTH_MAX) return anyValue;
  const found = known[name];
  const fitting = byType(schema, known, depth);
  return found === undefined ? fitting : fc.oneof(fc.constantFrom<unknown>(...found), fitting);
}

function byType(schema: Exclude<Schema, boolean>, known: Known, depth: number): fc.Arbitrary<unknown> {
  const { enum: values, anyOf, allOf, properties, items } = schema;
  if (values !== undefined) return fc.constantFrom<unknown>(...values);
  const choices = anyOf ?? allOf;
  if (choices !== undefined) return fc.oneof(...choices.map((each) => valueFor(each, known, '', depth + 1)));
  if (properties !== undefined) return objectOf(properties, known, depth);
  if (schema.type === 'array') {
    const item =
      Array.isArray(items) || items === undefined ? anyValue : valueFor(items, known, '', depth + 1);
    return fc.array(item, { maxLength: 4 });
  }
  return scalarOf(schema);
}

/** Each field may be missing, and there may be others. */
function objectOf(properties: Record<string, Schema>, known: Known, depth: number): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      [name, fc.option(valueFor(schema, known, name, depth + 1), { nil: undefined, freq: 6 })] as const,
  );
  const extra = fc.option(fc.tuple(anyText, anyValue), { nil: undefined, freq: 1 });
  return fc.tuple(fc.record(Object.fromEntries(fields)), extra).map(([record, added]) => {
    const entries = Object.entries(record).filter(([, value]) => value !== undefined);
    return Object.fromEntries(added === undefined ? entries : [...entries, added]);
  });
}

function scalarOf({ type, format, const: only }: Exclude<Schema, boolean>): fc.Arbitrary<unknown> {
  if (only !== undefined) return fc.constant<unknown>(only);
  if (type === 'integer') return fc.oneof(fc.nat({ max: 100 }), fc.integer());
  if (type === 'number') return fc.oneof(fc.double(), fc.nat({ max: 100 }));
  if (type === 'boolean') return fc.boolean();
  if (type === 'object') return fc.dictionary(anyText, anyValue, { maxKeys: 4 });
  if (format === 'uri') return fc.oneof(fc.webUrl({ withQueryParameters: true }), anyText);
  if (format === 'uuid') return fc.oneof(fc.uuid(), anyText);
  return anyText;
}
