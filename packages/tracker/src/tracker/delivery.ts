import { readObject, remove, UNSENT, writeObject } from '../storage.ts';
import { isAlive } from './lifetime.ts';
import { post, postLastWords } from './post.ts';

/** Nothing is forgotten before the service has it. Everything has an id, so that it may be sent twice. */

/** An event of a session; or the start of one, which belongs to none and has the id of the session. */
type Item = [session: string, id: string, json: string];

/** So few that they fit into what browsers take from a page that is being left, with the longest addresses. */
const EVENTS_PER_REQUEST_MAX = 25;
const QUEUE_ITEMS_MAX = 500;
const UNSENT_ITEMS_MAX = 200;
const PAUSE_MS_FIRST = 5000;
const PAUSE_MS_MAX = 300_000;

let queue: Item[] = [];
/** Those of the queue that have been sent and not been answered. */
let underway: Item[] = [];
let wasLeaving: boolean | undefined;
let pauseMs = 0;
let pausedUntil = 0;

/** Begins with what earlier pages could not deliver. */
export function beginDelivery(): void {
  queue = readUnsent();
}

export function deliver(...item: Item): void {
  if (!item[0] || queue.length < QUEUE_ITEMS_MAX) queue.push(item);
}

/** Sends all there is. What is not known to have arrived when the page is left stays for the next page. */
export function send(isLeaving?: boolean): void {
  // What is under way ends with its page; and of what was said in leaving, whoever stays hears nothing.
  if (isLeaving !== wasLeaving) underway = [];
  wasLeaving = isLeaving;
  // Some browsers end what is under way before they say that the page is left, as if nobody could be reached.
  if (isAlive && navigator.onLine && (isLeaving || Date.now() >= pausedUntil))
    for (let batch = nextBatch(); batch[0]; batch = nextBatch()) sendBatch(batch);
  if (isLeaving) keepUnsent([]);
}

/** A start goes alone, events go with those of their session. */
function nextBatch(): Item[] {
  const resting = queue.filter((item) => !underway.includes(item));
  const session = resting[0]?.[0];
  return resting.filter((item) => item[0] === session).slice(0, session ? EVENTS_PER_REQUEST_MAX : 1);
}

async function sendBatch(batch: Item[]): Promise<void> {
  const [[session, , json]] = batch as [Item];
  const isOther = (item: Item) => !batch.includes(item);
  underway = underway.concat(batch);
  const request: [path: string, body: string] = session
    ? ['events', `{"session_id":"${session}","events":[${batch.map((item) => item[2])}]}`]
    : ['session/start', json];
  if (wasLeaving) {
    postLastWords(...request);
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

/** Tabs share what is kept: only what this one knows of changes. */
function keepUnsent(arrived: Item[]): void {
  const known = queue.concat(arrived).map(([, id]) => id);
  const unsent = readUnsent()
    .filter(([, id]) => !known.includes(id))
    .concat(queue)
    // Without its start an event is worth nothing.
    .sort(([one], [other]) => +!one - +!other)
    .slice(-UNSENT_ITEMS_MAX);
  if (unsent[0]) writeObject(UNSENT, unsent);
  else remove(UNSENT);
}

function readUnsent(): Item[] {
  return Object.values(readObject(UNSENT)).filter(Array.isArray) as Item[];
}
