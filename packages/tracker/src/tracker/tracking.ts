import { campaign } from '../campaign.ts';
import { look, lookAtNewPage, reportAttention, watchAttention } from './attention.ts';
import { beginDelivery, deliver, send } from './delivery.ts';
import { type Fingerprint, fingerprint } from './fingerprint.ts';
import { isAlive, listen, setAlive } from './lifetime.ts';
import { newId } from './new-id.ts';
import { pageAddress, watchPages } from './pages.ts';
import { postBeacon } from './post.ts';
import { replay, stopReplay } from './replay.ts';
import { claimSession, liveSession, type Session, saveSession, visitor } from './session.ts';
import { startBody } from './start-body.ts';
import { forgetTouches, watchTouches } from './touches.ts';

/** Tracks page views and events, and starts a new session when the last one has ended. */

type TrackedEvent = [id: string, json: string];

const SOON_MS = 500;
const REGULARLY_MS = 10_000;
/** Some fingerprint sources never answer in some browsers. */
const FINGERPRINT_MS_MAX = 5000;

let page = '';
let session: Session;
/** Opens the session once the fingerprint is there; set only while waiting for it. */
let open: ((known?: Fingerprint) => void) | undefined;
/** The view that started the session and is counted by its start, unless another tab won the race. */
let first: TrackedEvent | undefined;
/** Events while waiting, because their session is not certain yet. */
let waiting: TrackedEvent[] = [];

export function beginTracking(): void {
  if (isAlive) return;
  setAlive(true);
  beginDelivery();
  // Listeners are added once, even if tracking restarts.
  if (!page) watch();
  page = pageAddress();
  campaign();
  enter(document.referrer);
}

function watch(): void {
  watchTouches(track);
  watchPages(move);
  listen('popstate focus blur', checkAttention);
  listen('visibilitychange', () => (document.hidden ? leave() : checkAttention()));
  listen('pagehide', () => {
    leave();
    // A page holding a lock is excluded from the back/forward cache.
    stopReplay();
  });
  // Before the form itself is sent, so that the lead finds its visit.
  listen('online submit', flush);
  setInterval(flush, REGULARLY_MS);
}

/** Consent withdrawn here and now also ends the session at the service. */
export function stopTracking(isWithdrawn?: boolean): void {
  if (isWithdrawn && isAlive && session.started)
    postBeacon('session/end', JSON.stringify({ session_id: session.id, exit_page: page }));
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
  // A session start counts as the page view.
  if (isAlive && (goOn() || type !== 'page_view')) add(eventOf(type, data));
  flushSoon();
}

/** Starts a new session if the last one has ended. True: it has not. */
function goOn(): boolean {
  if (open) return true;
  const live = liveSession();
  const isSame = live?.id === session.id;
  if (isSame) saveSession(live);
  // No referrer, because the page was open all along.
  else enter('');
  return isSame;
}

/** Joins the active session, or starts one. */
function enter(referrer: string): void {
  // Two tabs may race here. The last write wins, which both see after the wait.
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
    // Not earlier: both force a layout, and this way there is only one.
    watchAttention();
    replay(session, isStarter);
    // With a fingerprint, enough time has passed; otherwise more events follow soon.
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

/** Collects engaged time and scroll depth, unless the session has ended: they would prolong it. */
function gather(isLeaving?: boolean): void {
  look(isLeaving);
  const live = liveSession();
  if (!open && live?.id !== session.id) return;
  // Another tab won the race to start the session.
  if (first && live?.started !== first[0]) add(first);
  first = undefined;
  reportAttention((type, data) => add(eventOf(type, data)));
}

function checkAttention(): void {
  // Applications that use the Navigation API bypass `pushState`.
  move();
  if (look()) goOn();
}

function flushSoon(): void {
  setTimeout(send, SOON_MS);
}

/** Counters are sent periodically and on leaving; they are not worth a request of their own. */
function flush(): void {
  if (!isAlive) return;
  checkAttention();
  open?.();
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
