import type { EndpointName } from '@leadtrail/contract/endpoints';
import { unavailable } from '../lib/errors.ts';
import { withTimeout } from '../lib/timeout.ts';
import { utcDay } from '../lib/utc-time.ts';
import type { DataVersions } from '../store/data-versions.ts';
import { TOPICS, type Topic } from '../store/topics.ts';
import { CACHED_ENDPOINTS } from './cached-endpoints.ts';
import { makeKeptAnswers } from './kept-answers.ts';

/** Answers of the analytics that were given before, as long as nothing has changed that they show. */
export type ResponseCache = {
  /** Undefined for an endpoint whose answers are not kept. */
  forEndpoint(name: string): CachedEndpoint | undefined;
};
export type CachedEndpoint = (asked: Asked, make: MakeBody) => Promise<CachedBody>;

/** What was asked for, once it has been validated. */
export type Asked = { params: object | undefined; query: object | undefined };
type MakeBody = () => Promise<string>;
export type CachedBody = { body: string; wasKept: boolean };

export type ResponseCacheParts = {
  readVersions: () => Promise<DataVersions>;
  now: () => number;
  /** 0: nothing is kept. */
  ttlMs: number;
  /** How long version and answer may take together. */
  answerMsMax: number;
};

/**
 * Before each answer the versions of what it depends on are read from the store. An answer is kept under the
 * version from before it was made: so it can be newer than its version says, never older.
 */
export function makeResponseCache({
  readVersions,
  now,
  ttlMs,
  answerMsMax,
}: ResponseCacheParts): ResponseCache {
  const kept = makeKeptAnswers();
  const underWay = new Map<string, { version: string; body: Promise<string> }>();
  let latest: DataVersions = {};

  const readLatest = shared(async () => {
    const read = await readVersions();
    if (TOPICS.every((topic) => read[topic] === latest[topic])) return read;
    latest = read;
    // Nobody will ask for the others again; and who was erased is not to be found here either.
    kept.dropUnless(({ topics, version }) => version === versionOf(topics, latest));
    return read;
  });

  async function find(key: string, topics: readonly Topic[], make: MakeBody): Promise<CachedBody> {
    const version = versionOf(topics, await readLatest());
    const found = kept.get(key);
    if (found?.version === version && isFresh(found.madeAt)) return { body: found.body, wasKept: true };
    return { body: await makeOnce(key, topics, version, make), wasKept: false };
  }

  /** Also after a clock was set back. */
  function isFresh(madeAt: number): boolean {
    const age = now() - madeAt;
    return age >= 0 && age < ttlMs;
  }

  /** Whoever needs the same answer at the same version waits for the one that is being made. */
  function makeOnce(key: string, topics: readonly Topic[], version: string, make: MakeBody) {
    const other = underWay.get(key);
    if (other?.version === version) return other.body;
    const madeAt = now();
    const mine = { version, body: make() };
    underWay.set(key, mine);
    const keep = (body: string) => {
      if (version === versionOf(topics, latest)) kept.keep(key, { body, madeAt, topics, version });
    };
    const end = () => {
      if (underWay.get(key) === mine) underWay.delete(key);
    };
    mine.body.then(keep, () => undefined).then(end);
    return mine.body;
  }

  return {
    forEndpoint(name) {
      const dependence = CACHED_ENDPOINTS[name as EndpointName];
      if (dependence === undefined) return undefined;
      if (ttlMs === 0) return async (_asked, make) => ({ body: await make(), wasKept: false });
      const topics: readonly Topic[] = [...dependence.topics, 'refresh'];
      return (asked, make) => {
        const day = dependence.day ? utcDay(now()) : '';
        return withTimeout(find(keyOf(name, day, asked), topics, make), answerMsMax, tooLate);
      };
    },
  };
}

/**
 * The result of a reading that has not begun yet. All who ask while another is under way share the next: that
 * other may have looked before something changed which they have already heard of.
 */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;

  function begin(): Promise<T> {
    next = undefined;
    const reading = read();
    current = reading.catch(() => undefined);
    return reading;
  }
  return () => {
    next ??= current.then(begin);
    return next;
  };
}

function versionOf(topics: readonly Topic[], versions: DataVersions): string {
  return topics.map((topic) => versions[topic] ?? 0).join(' ');
}

/** The same for all ways to ask for the same. */
function keyOf(name: string, day: string, { params = {}, query = {} }: Asked): string {
  return JSON.stringify([name, day, sorted(params), sorted(query)]);
}

function sorted(fields: object): [string, unknown][] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function tooLate(): Error {
  return unavailable('The store cannot do this at present.');
}
