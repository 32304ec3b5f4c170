import { campaign } from '../campaign.ts';
import { look, lookAtNewPage, reportAttention, watchAttention } from './attention.ts';
import { beginDelivery, deliver, send } from './delivery.ts';
import { type Fingerprint, fingerprint } from './fingerprint.ts';
import { isAlive, listen, setAlive } from './lifetime.ts';
import { newId } from './new-id.ts';
import { pageAddress, watchPages } from './pages.ts';
import { postLastWords } from './post.ts';
import { replay, stopReplay } from './replay.ts';
import { claimSession, liveSession, type Session, saveSession, visitor } from './session.ts';
import { startBody } from './start-body.ts';
import { forgetTouches, watchTouches } from './touches.ts';

/** Follows the visitor: through the pages of a visit, and from one visit to the next. */

type TrackedEvent = [id: string, json: string];

const SOON_MS = 500;
const REGULARLY_MS = 10_000;
/** Some of what makes a fingerprint does not come in every browser. */
const FINGERPRINT_MS_MAX = 5000;

let page = '';
let session: Session;
/** Ends the wait for the fingerprint of a visit that begins; there as long as it waits. */
let open: ((known?: Fingerprint) => void) | undefined;
/** The view that began the visit, which counts by that; unless another tab began it at the same moment. */
let first: TrackedEvent | undefined;
/** What happens meanwhile: it is not certain yet to which session it will belong. */
let waiting: TrackedEvent[] = [];

export function beginTracking(): void {
  if (isAlive) return;
  setAlive(true);
  beginDelivery();
  // Once: what has been stopped may begin again.
  if (!page) watch();
  page = pageAddress();
  campaign();
  enter(document.referrer);
}

function watch(): void {
  watchTouches(track);
  watchPages(move);
  listen('focus blur', attend);
  listen('visibilitychange', () => (document.hidden ? leave() : attend()));
  listen('pagehide', () => {
    leave();
    // A page that holds a lock is not kept for the way back.
    stopReplay();
  });
  listen('online', flush);
  setInterval(flush, REGULARLY_MS);
}

/** Where the visitor has just said so, the service learns that the visit is over. */
export function stopTracking(isWithdrawn?: boolean): void {
  if (isWithdrawn && isAlive && session.started)
    postLastWords('session/end', JSON.stringify({ session_id: session.id, exit_page: page }));
  setAlive(false);
  open = undefined;
  waiting = [];
  stopReplay(true);
}

export function viewAgain(): void {
  view();
  if (!open) replay(session);
}

export function track(type: string, data?: object): void {
  // Whoever enters has viewed the page already.
  if (isAlive && (goOn() || type !== 'page_view')) add(eventOf(type, data));
  flushSoon();
}

/** A visit that has ended, here or in another tab, is followed by another. */
function goOn(): boolean {
  if (open) return true;
  const live = liveSession();
  const isSame = live?.id === session.id;
  if (isSame) saveSession(live);
  // From nowhere: the page was there all the time.
  else enter('');
  return isSame;
}

/** Joins the visit that goes on in this tab or another, or begins one. */
function enter(referrer: string): void {
  // Another tab may do the same at the same moment. The last holds, as both will see when they have waited.
  const claim = liveSession() ?? claimSession();
  visitor();
  const viewed = page;
  const view = eventOf('page_view');
  const openThis = (known?: Fingerprint) => {
    if (open !== openThis) return;
    open = undefined;
    session = liveSession() ?? claim;
    const isStarter = !session.started;
    if (isStarter) {
      deliver('', session.id, startBody(session.id, viewed, referrer, known));
      session.started = view[0];
      saveSession(session);
      first = view;
    } else add(view);
    waiting.forEach(add);
    waiting = [];
    // Not earlier: the fingerprint makes the browser draw the page, and this would make it do so once more.
    watchAttention();
    replay(session, isStarter);
    // The fingerprint has taken its time; whoever waits for nothing has more to say soon.
    if (known) send();
    else flushSoon();
  };
  session = claim;
  open = openThis;
  lookAtNewPage();
  forgetTouches();
  if (claim.started) openThis();
  else {
    setTimeout(openThis, FINGERPRINT_MS_MAX);
    fingerprint().then(openThis, () => openThis());
  }
}

function eventOf(type: string, data?: object): TrackedEvent {
  const event_id = newId();
  return [event_id, JSON.stringify({ type, page, timestamp: Date.now(), event_id, data })];
}

function add(event: TrackedEvent): void {
  if (open) waiting.push(event);
  else deliver(session.id, ...event);
}

/** What is counted rather than noticed. That of a visit that has ended meanwhile would make it longer than it was. */
function gather(isLeaving?: boolean): void {
  look(isLeaving);
  const live = liveSession();
  if (!open && live?.id !== session.id) return;
  // Of two tabs that begin a visit the last one holds.
  if (first && live?.started !== first[0]) add(first);
  first = undefined;
  reportAttention((type, data) => add(eventOf(type, data)));
}

function attend(): void {
  if (look()) goOn();
}

function flushSoon(): void {
  setTimeout(send, SOON_MS);
}

/** What is counted goes now and then, or with whoever leaves: it is not worth a request of its own on every page. */
function flush(): void {
  if (!isAlive) return;
  attend();
  gather();
  send();
}

function leave(): void {
  open?.();
  gather(true);
  send(true);
}

function move(): void {
  const address = pageAddress();
  if (address === page) return;
  gather();
  page = address;
  view();
}

function view(): void {
  campaign();
  lookAtNewPage();
  forgetTouches();
  track('page_view');
}
