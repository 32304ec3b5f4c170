import { unavailable } from '../lib/errors.ts';
import { withTimeout } from '../lib/timeout.ts';
import { utcDay } from '../lib/utc-time.ts';
import type { DataVersions } from '../store/data-versions.ts';
import type { ShownName } from '../store/operations.ts';
import type { KeptFrom } from './kept.ts';
import { makeKeptAnswers } from './kept-answers.ts';

/** Kept answers of the analytics, valid until something they show changes. */
export type ResponseCache = {
  forEndpoint(name: string, keptFrom: KeptFrom): CachedEndpoint;
};
export type CachedEndpoint = (asked: Asked, make: MakeBody) => Promise<CachedBody>;

/** The validated request. */
export type Asked = { params: object | undefined; query: object | undefined };
type MakeBody = () => Promise<string>;
export type CachedBody = { body: string; wasKept: boolean };

export type ResponseCacheParts = {
  readVersions: () => Promise<DataVersions>;
  now: () => number;
  /** 0: answers are not kept. */
  ttlMs: number;
  /** Limit for reading the version and computing the answer together. */
  answerMsMax: number;
};

/**
 * Before each answer, the versions of what it shows are read from the store. An answer is kept under the
 * version read before it was computed, so it may be newer than its version, never older.
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
    if (Object.entries(read).every(([name, version]) => version === latest[name])) return read;
    latest = read;
    // Stale answers waste memory, and must not outlive the erasure of a person.
    kept.dropUnless(({ from, version }) => version === versionOf(from, latest));
    return read;
  });

  async function find(key: string, from: readonly ShownName[], make: MakeBody): Promise<CachedBody> {
    const version = versionOf(from, await readLatest());
    const found = kept.get(key);
    if (found?.version === version && isFresh(found.madeAt)) return { body: found.body, wasKept: true };
    return { body: await makeOnce(key, from, version, make), wasKept: false };
  }

  /** Not fresh either after the clock was set back. */
  function isFresh(madeAt: number): boolean {
    const age = now() - madeAt;
    return age >= 0 && age < ttlMs;
  }

  /** Single-flight: concurrent requests for the same answer and version share one computation. */
  function makeOnce(key: string, from: readonly ShownName[], version: string, make: MakeBody) {
    const other = underWay.get(key);
    if (other?.version === version) return other.body;
    const madeAt = now();
    const mine = { version, body: make() };
    underWay.set(key, mine);
    const keep = (body: string) => {
      if (version === versionOf(from, latest)) kept.keep(key, { body, madeAt, from, version });
    };
    const end = () => {
      if (underWay.get(key) === mine) underWay.delete(key);
    };
    mine.body.then(keep, () => undefined).then(end);
    return mine.body;
  }

  return {
    forEndpoint(name, { from, daily }) {
      if (ttlMs === 0) return async (_asked, make) => ({ body: await make(), wasKept: false });
      return (asked, make) => {
        const day = daily ? utcDay(now()) : '';
        return withTimeout(find(keyOf(name, day, asked), from, make), answerMsMax, tooLate);
      };
    },
  };
}

/**
 * Shares a read between concurrent callers, but never one already
 * under way: it may have missed a change made before the call.
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

function versionOf(from: readonly ShownName[], versions: DataVersions): string {
  return from.map((name) => versions[name]).join(' ');
}

/** Normalised, so that equal questions share a cache entry. */
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
