import assert from 'node:assert/strict';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../server/src/lib/utc-time.ts';
import { CALLBACK_SECRET, WEBHOOK_SECRET } from './callbacks.ts';
import { aClock, type Clock } from './clock.ts';
import { CAPTURE_ENV } from './enquiries.ts';
import { type Installation, startAlone, startTogether } from './installation.ts';
import { someChange } from './random-changes.ts';
import { someQuestion, someRead } from './random-reads.ts';
import { type AnyRequest, ARRIVING_MAX, type Known, nothingKnown, someVisit } from './random-requests.ts';
import { answering, type Receiver, startReceiver } from './receiver.ts';
import { type Random, seeded } from './torture/random.ts';

/** Of a round so large that there is room for many more such bursts. */
const VISITS_AT_ONCE = 250;
const VISITS_SHARE_AT_ONCE = 0.4;
const CHANGES_AT_ONCE = 15;
const READS_AT_ONCE = 8;
/** Rarely, but then many: each process that is asked brings its copy up to date first. */
const QUESTIONS_SHARE = 0.15;
const QUESTIONS_AT_ONCE = 16;

const ENV = {
  ...CAPTURE_ENV,
  CRM_CALLBACK_SECRET: CALLBACK_SECRET,
  CRM_WEBHOOK_SECRET: WEBHOOK_SECRET,
  EDGE_ACCOUNT_ID: 'account',
  ANALYTICS_ENGINE_API_TOKEN: 'token',
};

/** So many requests made by chance, of one process with the embedded store and of three with servers. */
export async function compareAnswers(seed: number, requests: number): Promise<void> {
  const clock = aClock();
  const platform = await startReceiver();
  refuseSome(platform);
  const env = { ...ENV, FLOW_WEBHOOK_URL: platform.url };
  try {
    await using alone = await startAlone(clock, env);
    await using together = await startTogether(clock, env);
    await compare({ alone, together, clock, seed, requests });
    for (const installation of [alone, together]) {
      await installation.settled();
      assert.deepEqual(await installation.recount(), [], `at the end of SEED=${seed}`);
    }
  } finally {
    await platform.close();
  }
}

/** Many of few: visits are taken in together, and questions answered from one state of the copy. */
async function compare(round: {
  alone: Installation;
  together: Installation;
  clock: Clock;
  seed: number;
  requests: number;
}): Promise<void> {
  const { alone, together, clock, seed } = round;
  const random = seeded(seed);
  const known = nothingKnown();
  let left = round.requests;
  /** Which process has got what came last of a visit. What is in the inbox of another can overtake it. */
  const processOf = new Map<string, number>();

  /** All at once, in whatever order they come through. */
  async function ask(requests: readonly AnyRequest[], process = left): Promise<void> {
    const answers = await Promise.all([alone, together].map((each) => each.ask(requests, process)));
    for (const [at, request] of requests.entries()) {
      const [one, other] = [alone, together].map((each, which) => each.withNames(answers[which]?.[at] ?? ''));
      assert.deepEqual(
        partsThatDiffer(one ?? '', other ?? ''),
        ['', ''],
        `request ${round.requests - left + 1} of SEED=${seed}: ${JSON.stringify(request)}`,
      );
      learn(known, request, one ?? '');
      left -= 1;
    }
  }

  const both = (what: 'settled' | 'delivered' | 'indexed') => Promise.all([alone[what](), together[what]()]);
  const upTo = (max: number) => Math.min(random.between(0, max), left);
  const visitsAtOnce = Math.min(VISITS_AT_ONCE, Math.floor(VISITS_SHARE_AT_ONCE * round.requests));

  while (left > 0) {
    for (let visits = upTo(visitsAtOnce); visits > 0 && known.arriving.size < ARRIVING_MAX; visits -= 1) {
      const request = someVisit(random, known);
      const process = processOf.get(sessionOf(request)) ?? left;
      await ask([request], process);
      processOf.set(sessionOf(request) || (known.sessions.at(-1) ?? ''), process);
      // Ids that several processes make in the same millisecond are in no order.
      clock.advance(1 + aWhile(random));
    }
    // All else depends on how far visits have been taken in.
    await both('settled');
    known.arriving.clear();
    processOf.clear();
    for (let changes = upTo(CHANGES_AT_ONCE); changes > 0; changes -= 1) {
      const request = someChange(random, known);
      await ask([request]);
      if (request.path.startsWith('/track/')) await both('settled');
      if (OF_LEADS.test(request.path)) {
        // A delivery shows when it was made, and an entry of the index which change it followed.
        await both('delivered');
        await both('indexed');
      }
      clock.advance(aWhile(random));
    }
    await both('settled');
    // Lists are right before the index has caught up with visits as well as after.
    if (random.chance(0.5)) await both('indexed');
    await ask(Array.from({ length: upTo(READS_AT_ONCE) }, () => someRead(random, known)));
    if (random.chance(QUESTIONS_SHARE)) {
      await ask(Array.from({ length: upTo(QUESTIONS_AT_ONCE) }, () => someQuestion(random, known)));
    }
    if (random.chance(0.02)) clock.advance(random.between(1, 3) * DAY_MS);
  }
}

/** Empty for one that begins. */
function sessionOf({ body }: AnyRequest): string {
  return (body as { session_id?: string }).session_id ?? '';
}

const OF_LEADS = /lead|flow/;

function aWhile(random: Random): number {
  return random.chance(0.7) ? random.between(0, 60) * SECOND_MS : random.between(0, 20) * MINUTE_MS;
}

/** Those of one person: it has no use for them, and never will have. */
function refuseSome(platform: Receiver): void {
  platform.answer((response) => {
    const { body } = platform.received.pop() ?? { body: '' };
    answering(body.toLowerCase().includes('person-7@') ? 410 : 200)(response);
  });
}

const SHOWN_CHARS = 300;

/** Around the first difference; answers may be long. */
function partsThatDiffer(one: string, other: string): [string, string] {
  if (one === other) return ['', ''];
  const same = [...one].findIndex((character, at) => character !== other[at]);
  const start = Math.max(0, (same === -1 ? one.length : same) - SHOWN_CHARS);
  const part = (text: string) => text.slice(start, start + 2 * SHOWN_CHARS);
  return [part(one), part(other)];
}

function learn(known: Known, request: AnyRequest, answer: string): void {
  const { method, path } = request;
  const found = (name: string, ids = /<\d+>/) => new RegExp(`"${name}":"(${ids.source})"`).exec(answer)?.[1];
  const add = (to: string[], id: string | undefined) => void (id !== undefined && to.push(id));
  if (path === '/track/session/start') add(known.sessions, found('session_id'));
  if (path === '/track/replay' && answer.startsWith('202')) known.recordings.push(sessionOf(request));
  if (path === '/lead.capture' || path.startsWith('/analytics/leads?'))
    add(known.leads, found('lead_public_id'));
  if (path.endsWith('/forward')) add(known.sends, found('flow_send_public_id'));
  if (path.startsWith('/analytics/flow-sends')) add(known.sends, found('flow_send_public_id'));
  if (path === '/analytics/costs/import') add(known.imports, found('import_id', /[^"]+/));
  if (method !== 'POST') learnPages(known, path, found('next_cursor'));
  const id = found('id');
  if (id === undefined || !answer.startsWith('201')) return;
  if (path === '/analytics/views') known.views.push(id);
  if (path.endsWith('/notes')) known.notes.push(`${path}/${id}`);
}

function learnPages(known: Known, path: string, cursor: string | undefined): void {
  if (cursor === undefined) return;
  const [first] = path.split('&cursor=');
  known.pages.push(`${first}&cursor=${cursor}`);
}
