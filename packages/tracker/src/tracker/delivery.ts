import { readObject, remove, UNSENT, writeObject } from '../storage.ts';
import { isAlive } from './lifetime.ts';
import { post, postBeacon } from './post.ts';

/** At-least-once delivery: items stay queued until acknowledged, and their ids make repeats idempotent. */

/** An event of a session; or a session start, with an empty session and the session's id as id. */
type Item = [session: string, id: string, json: string];

/** Fits a beacon's 64 KiB even with the longest addresses. */
const EVENTS_PER_REQUEST_MAX = 25;
const QUEUE_ITEMS_MAX = 500;
const UNSENT_ITEMS_MAX = 200;
const PAUSE_MS_FIRST = 5000;
const PAUSE_MS_MAX = 300_000;

let queue: Item[] = [];
/** Items of the queue in flight. */
let underway: Item[] = [];
let wasLeaving: boolean | undefined;
let pauseMs = 0;
let pausedUntil = 0;

/** Starts with the items that earlier pages could not send. */
export function beginDelivery(): void {
  queue = readUnsent();
}

export function deliver(...item: Item): void {
  if (!item[0] || queue.length < QUEUE_ITEMS_MAX) queue.push(item);
}

/** Sends the queue. On leaving, unacknowledged items are stored for the next page. */
export function send(isLeaving?: boolean): void {
  // Requests die with their page, and beacons are never acknowledged.
  if (isLeaving !== wasLeaving) underway = [];
  wasLeaving = isLeaving;
  // When leaving despite a pause: some browsers abort requests before pagehide, which looks like a network error.
  if (isAlive && navigator.onLine && (isLeaving || Date.now() >= pausedUntil)) sendNext();
  if (isLeaving) keepUnsent([]);
}

/** A batch is one session start, or events of one session. */
function nextBatch(): Item[] {
  const resting = queue.filter((item) => !underway.includes(item));
  const session = resting[0]?.[0];
  return resting.filter((item) => item[0] === session).slice(0, session ? EVENTS_PER_REQUEST_MAX : 1);
}

function sendNext(): void {
  const batch = nextBatch();
  if (batch[0]) {
    sendBatch(batch);
    sendNext();
  }
}

async function sendBatch(batch: Item[]): Promise<void> {
  const [[session, , json]] = batch as [Item];
  const isOther = (item: Item) => !batch.includes(item);
  underway = underway.concat(batch);
  const request: [path: string, body: string] = session
    ? [
        'events',
        `{"session_id":"${session}","sent_at":${Date.now()},"events":[${batch.map((item) => item[2])}]}`,
      ]
    : ['session/start', json];
  if (wasLeaving) {
    postBeacon(...request);
    return;
  }
  const answer = await post(...request);
  const { status } = answer;
  underway = underway.filter(isOther);
  if (!status || status === 429 || status >= 500) {
    const askedMs = Number(answer.getResponseHeader('retry-after')) * 1000;
    pauseMs = Math.min(Math.max(pauseMs * 2, askedMs || PAUSE_MS_FIRST), PAUSE_MS_MAX);
    pausedUntil = Date.now() + pauseMs;
  } else {
    pauseMs = 0;
    queue = queue.filter(isOther);
    if (isAlive) keepUnsent(batch);
  }
}

/** Tabs share the storage: items of other tabs are kept. */
function keepUnsent(arrived: Item[]): void {
  const known = queue.concat(arrived).map(([, id]) => id);
  const unsent = readUnsent()
    .filter(([, id]) => !known.includes(id))
    .concat(queue)
    // Starts last, so that the cut-off drops events first.
    .sort(([one], [other]) => +!one - +!other)
    .slice(-UNSENT_ITEMS_MAX);
  if (unsent[0]) writeObject(UNSENT, unsent);
  else remove(UNSENT);
}

function readUnsent(): Item[] {
  return Object.values(readObject(UNSENT)).filter(Array.isArray) as Item[];
}
