import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REPLAY_EVENTS_MAX } from '@leadtrail/contract/limits';
import { NOON } from '@leadtrail/testing/builders';
import fc from 'fast-check';
import {
  plausibleTime,
  readChunk,
  replayKey,
  type SentChunk,
} from '../../../src/domain/tracking/replay-chunk.ts';
import { terminated } from '../../../src/lib/json-scan.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/lib/utc-time.ts';

function read(text: string, redacted: readonly string[] = []): SentChunk {
  const reading = readChunk(terminated([Buffer.from(text)]), redacted);
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
  }
}

const anEvent = (more: object = {}) => ({ type: 3, data: {}, timestamp: NOON, ...more });
const fault = (body: unknown): string => {
  try {
    read(typeof body === 'string' ? body : JSON.stringify(body));
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing';
};

test('a chunk is known by its envelope, and its events by number and time', () => {
  const events = [
    anEvent({ timestamp: NOON + 5 }),
    anEvent({ data: { timestamp: 1, type: 'x', events: [1] }, timestamp: NOON - 7.5 }),
    anEvent({ timestamp: NOON + 1 }),
  ];
  const { envelope, events: found } = read(JSON.stringify({ sequence: 4, events, session_id: 'a' }));
  assert.deepEqual(envelope, { session_id: 'a', sequence: 4 });
  assert.deepEqual([found.count, found.firstAt, found.lastAt], [3, NOON - 7.5, NOON + 5]);
  assert.deepEqual(JSON.parse(found.json.toString()), events);
});

test('what else is in it does not matter, whatever it is called', () => {
  const body = {
    more: { events: [], session_id: 'b' },
    list: [{ type: 'x' }, 1],
    session_id: 'a',
    sequence: 0,
    __proto__: null,
    events: [anEvent({ events: [{}], delay: 3 })],
    after: { type: null },
  };
  const { envelope, events } = read(JSON.stringify(body));
  assert.deepEqual(envelope, { session_id: 'a', sequence: 0 });
  assert.deepEqual(JSON.parse(events.json.toString()), body.events);
});

test('the events come out exactly as they were sent, however they are written', () => {
  const event = fc.record({ type: fc.integer(), timestamp: fc.integer(), data: fc.jsonValue() });
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 5 }), fc.nat(3), (events, indent) => {
      const found = read(JSON.stringify({ events, session_id: 's', sequence: 1 }, null, indent)).events;
      assert.deepEqual(JSON.parse(found.json.toString()), JSON.parse(JSON.stringify(events)));
      assert.equal(found.count, events.length);
      assert.equal(found.firstAt, Math.min(...events.map((each) => each.timestamp)));
    }),
  );
});

test('addresses of pages lose their private values, and nothing else changes', () => {
  const href = 'https://example.com/reset?token=secret&utm_source=mail&e=ada%40example.org#x';
  const kept = 'https://example.com/reset?token=&utm_source=mail&e=#x';
  const events = [
    { type: 4, data: { href, width: 10 }, timestamp: 1 },
    { type: 2, data: { node: { href } }, timestamp: 2 },
    { timestamp: 3, data: { width: 1, href: 'https://example.com/?member=7' }, type: 4 },
    { type: 3, data: [href], href, timestamp: 4 },
  ];
  const found = read(JSON.stringify({ events, session_id: 's', sequence: 1 }), ['member']).events;
  const [first, second, third, fourth] = JSON.parse(found.json.toString());
  assert.deepEqual(first, { ...events[0], data: { href: kept, width: 10 } });
  assert.deepEqual([second, fourth], [events[1], events[3]]);
  assert.equal(third.data.href, 'https://example.com/?member=');
  assert.equal(found.count, 4);
});

test('an address that is too long to be looked at is left out; what is no text stays', () => {
  const href = `https://example.com/reset?token=secret&x=${'x'.repeat(20_000)}`;
  const events = [
    { type: 4, data: { href, width: 10 }, timestamp: 1 },
    { type: 4, data: { href: 7 }, timestamp: 2 },
  ];
  const found = read(JSON.stringify({ events, session_id: 's', sequence: 1 })).events;
  assert.deepEqual(JSON.parse(found.json.toString()), [
    { type: 4, data: { href: '', width: 10 }, timestamp: 1 },
    events[1],
  ]);
});

test('of what is given twice the last counts', () => {
  const { envelope, events } = read(
    `{"session_id":"a","events":[{"type":1,"timestamp":1}],"session_id":"b","sequence":1,"sequence":2,
      "events":[{"type":"x","type":1,"timestamp":5},{"type":1,"timestamp":6}]}`,
  );
  assert.deepEqual(envelope, { session_id: 'b', sequence: 2 });
  assert.deepEqual([events.count, events.firstAt, events.lastAt], [2, 5, 6]);
});

test('an envelope of the wrong types is told apart from one that is not there', () => {
  const events = [anEvent()];
  assert.deepEqual(read(JSON.stringify({ events })).envelope, {});
  assert.deepEqual(read(JSON.stringify({ events, session_id: 1, sequence: '1' })).envelope, {
    session_id: null,
    sequence: null,
  });
  assert.equal(read(JSON.stringify({ events, session_id: 'x'.repeat(100_000) })).envelope.session_id, null);
});

test('it is said what is wrong with the events', () => {
  const about = (what: string) => `The body is not valid: ${what}.`;
  assert.equal(fault([]), about('the body must be an object'));
  assert.equal(fault({ session_id: 'a' }), about('events is required'));
  assert.equal(fault({ events: {} }), about('events must be a list'));
  assert.equal(fault({ events: [] }), about('events must have at least 1 item'));
  assert.equal(fault({ events: [anEvent(), 'x'] }), about('events.1 must be an object'));
  assert.equal(fault({ events: [[]] }), about('events.0 must be an object'));
  assert.equal(fault({ events: [{ timestamp: 1 }] }), about('events.0.type is required'));
  assert.equal(fault({ events: [anEvent({ type: '3' })] }), about('events.0.type must be a number'));
  assert.equal(
    fault({ events: [anEvent({ timestamp: null })] }),
    about('events.0.timestamp must be a number'),
  );
  const many = Array(REPLAY_EVENTS_MAX + 1).fill({ type: 1, timestamp: 1 });
  assert.equal(fault({ events: many }), about(`events must have at most ${REPLAY_EVENTS_MAX} items`));
  assert.equal(fault({ events: many.slice(1) }), 'nothing');
  for (const text of [
    '',
    '{',
    '{"events":[{"type":1,"timestamp":1}]',
    '{"events":[{"type":1,"timestamp":1}]}}',
  ]) {
    assert.equal(fault(text), 'The body is not valid JSON.');
  }
});

test('times over a minute in the future become now', () => {
  for (const at of [NOON, NOON - 1000 * DAY_MS, 0, NOON + MINUTE_MS])
    assert.equal(plausibleTime(at, NOON), at);
  assert.equal(plausibleTime(NOON - 0.5, NOON), NOON - 1);
  for (const at of [NOON + MINUTE_MS + 1, -1, 1e300, Number.POSITIVE_INFINITY]) {
    assert.equal(plausibleTime(at, NOON), NOON);
  }
});

test('the name of an object follows from the chunk', () => {
  const id = '0197d0f4-7c1e-7c1e-8c1e-0197d0f47c4e';
  assert.equal(replayKey(id, 12), `replays/4e/${id}-12.json.gz`);
});
