import { randomUUIDv7 } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Endpoint } from '@leadtrail/contract/endpoint';
import { endpoints } from '@leadtrail/contract/endpoints';
import { EVENT_BATCH_BYTES_MAX, EVENTS_PER_BATCH_MAX, LEAD_BYTES_MAX } from '@leadtrail/contract/limits';
import { anEvent } from './builders.ts';
import { CALLBACK_SECRET } from './callbacks.ts';
import { ADMIN_KEY } from './service.ts';

/** Bodies made to be hard to read, and honest ones of the same size to compare them with. */

export type SentBody = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** False: in chunks, without saying how long it is. */
  isAnnounced: boolean;
};

const DEEP = 100_000;
const PARTS = 100_000;
const BOMB_BYTES = 48 * 1024 * 1024;
const BOUNDARY_CHARS_MAX = 70;

const JSON_TYPE = { 'content-type': 'application/json' };
const KEYS = { 'x-api-key': ADMIN_KEY, authorization: `Bearer ${CALLBACK_SECRET}` };
const PART = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n';

export const HONEST_BODIES: readonly SentBody[] = [
  multipart(`${PART}${'x'.repeat(LEAD_BYTES_MAX - 1024)}\r\n--b--\r\n`),
  multipart(`${`${PART}${'x'.repeat(1000)}\r\n`.repeat(200)}--b--\r\n`),
  {
    method: 'POST',
    path: '/track/events',
    headers: JSON_TYPE,
    body: Buffer.from(JSON.stringify({ session_id: randomUUIDv7(), events: largeEvents() })),
    isAnnounced: true,
  },
];

/** Whatever is read for the first time takes longer than ever after. */
export const FIRST_BODIES: readonly SentBody[] = [...toEveryReader('{}'), ...HONEST_BODIES];

export const HOSTILE_BODIES: Readonly<Record<string, readonly SentBody[]>> = {
  'multipart with a long boundary': [
    multipart('--b--\r\n', { boundary: 'b'.repeat(10_000) }),
    multipart(`\r\n--${'b'.repeat(BOUNDARY_CHARS_MAX - 1)}`.repeat(3000), {
      boundary: 'b'.repeat(BOUNDARY_CHARS_MAX),
    }),
  ],
  'multipart with 100,000 parts': [
    multipart('--b\r\n\r\n\r\n'.repeat(PARTS)),
    multipart('--b\r\n\r\n\r\n'.repeat(PARTS), { isAnnounced: false }),
  ],
  'multipart without end': [
    multipart(PART + 'x'.repeat(200_000)),
    multipart(`--b\r\n${'X: y\r\n'.repeat(30_000)}`),
    multipart(`--b\r\nContent-Disposition: form-data; name="${'\\"%'.repeat(60_000)}`),
    multipart('\r\n'.repeat(100_000)),
    multipart(PART + 'x'.repeat(16 * 1024 * 1024), { isAnnounced: false }),
  ],
  'gzip bomb': toEveryReader(gzipSync(`{"a":"${'x'.repeat(BOMB_BYTES)}"}`), { 'content-encoding': 'gzip' }),
  'JSON 100,000 deep': [
    ...toEveryReader('['.repeat(DEEP) + ']'.repeat(DEEP)),
    ...toEveryReader('{"a":'.repeat(DEEP)),
  ],
  'JSON as deep as a body allows': [
    ...toEveryReader('['.repeat(EVENT_BATCH_BYTES_MAX / 2) + ']'.repeat(EVENT_BATCH_BYTES_MAX / 2)),
    ...toEveryReader('['.repeat(LEAD_BYTES_MAX / 2) + ']'.repeat(LEAD_BYTES_MAX / 2)),
  ],
};

function largeEvents(): unknown[] {
  const text = 'x'.repeat(EVENT_BATCH_BYTES_MAX / EVENTS_PER_BATCH_MAX - 100);
  return Array.from({ length: EVENTS_PER_BATCH_MAX }, () => anEvent({ data: { text } }));
}

/** To every endpoint that reads a body, with the key it wants. */
function toEveryReader(body: string | Buffer, headers: Record<string, string> = {}): SentBody[] {
  const all: readonly Endpoint[] = Object.values(endpoints);
  return all
    .filter((declared) => (declared.body ?? declared.form) !== undefined)
    .map(({ method, path, form }) => ({
      method,
      path: path.replaceAll(/:\w+/g, '1'),
      headers: { ...JSON_TYPE, ...(form === undefined ? KEYS : {}), ...headers },
      body: Buffer.from(body),
      isAnnounced: true,
    }));
}

function multipart(body: string, { boundary = 'b', isAnnounced = true } = {}): SentBody {
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return { method: 'POST', path: '/lead.capture', headers, body: Buffer.from(body), isAnnounced };
}
