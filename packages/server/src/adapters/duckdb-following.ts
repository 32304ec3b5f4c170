import { setTimeout as sleep } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { unavailable } from '../lib/errors.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Bookmark, Change } from '../store/answers/changes.ts';
import { CHANGES_READ_MAX, nextStep } from './duckdb-change-steps.ts';
import { type DuckdbCopy, openCopy } from './duckdb-copy.ts';
import { copyAll, takeIn } from './duckdb-copying.ts';
import { type Page, pagesOf } from './duckdb-pages.ts';
import { type CopyPlace, removeCopy } from './duckdb-place.ts';
import type { StoreReader } from './store-reader.ts';

/** A columnar copy that follows the store: created when missing, brought up to date before each answer. */
export type FollowedCopy = {
  /** Returns the time up to which the copy is complete. Throws while the copy is being made. */
  follow(now: number): Promise<number>;
  /** Throws `DamagedCopy` after deleting a copy that turned out to be damaged; a retry rebuilds it. */
  use<T>(ask: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /** Takes in all changes, and leaves no trace of deleted rows in the file. */
  forget(now: number): Promise<void>;
  /** Starts nothing new, and interrupts running questions. */
  stop(): void;
  close(): Promise<void>;
};

export class DamagedCopy extends Error {}

/** To be raised whenever what is copied changes. */
const VERSION = 6;
const FOLLOW_MS_MAX = SECOND_MS;
/** How long an answer waits for a copy that is being made. */
const MAKING_MS_MAX = 10 * SECOND_MS;
const PAUSE_AFTER_FAILURE_MS = 5 * SECOND_MS;
/** While the store is away. */
const PAUSE_WHILE_AWAY_MS = SECOND_MS;
const PAUSE_WHILE_BUSY_MS = 10 * SECOND_MS;

type State = {
  copy: DuckdbCopy;
  bookmark: Bookmark;
  /**
   * Changes already in the copy whose transactions are not below the horizon, so that they may be read again.
   */
  taken: Set<number>;
  asOf: number;
  /** When following last stopped before the end, by `performance.now()`. */
  behindSince?: number;
};

/** A copy with another version is rebuilt. */
export function copyVersion(kind: StoreReader['kind']): string {
  return `${VERSION} ${kind}`;
}

export type FollowingOptions = {
  /** Reads all rows of the store. */
  readPages?: () => AsyncGenerator<Page>;
  /** While more important work needs the processor, a copy that is behind is left behind for a while. */
  isBusy?: () => boolean;
};

export function openFollowedCopy(
  place: CopyPlace,
  store: StoreReader,
  { readPages = () => pagesOf(store), isBusy = () => false }: FollowingOptions = {},
): FollowedCopy {
  const version = copyVersion(store.kind);
  const { file, spillFolder } = place;
  let state: State | undefined;
  let making: Promise<void> | undefined;
  let failure: { at: number; error: Error } | undefined;
  let isStopped = false;
  let isClosing = false;
  /** Calls of `follow` run one after the other; those that arrive before the next one has begun share it. */
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<number> | undefined;
  let users = 0;
  let whenUnused = () => {};
  let exclusive: Promise<void> | undefined;
  const asked = new Set<DuckDBConnection>();

  async function ready(): Promise<State> {
    if (isClosing) throw unavailable('The service is closing.');
    const isDue = failure === undefined || performance.now() - failure.at > PAUSE_AFTER_FAILURE_MS;
    if (state === undefined && making === undefined && isDue) making = makeInBackground();
    if (state === undefined) await Promise.race([making, makingTimeout()]);
    if (state === undefined)
      throw unavailable('The figures are being prepared; try again shortly.', failure?.error);
    return state;
  }

  async function makeInBackground(): Promise<void> {
    try {
      state = (await openExisting()) ?? (await make());
      failure = undefined;
    } catch (error) {
      failure = { at: performance.now(), error: error as Error };
    } finally {
      making = undefined;
    }
  }

  /** The copy of an earlier process, unless it is damaged, unfinished or of another version. */
  async function openExisting(): Promise<State | undefined> {
    try {
      const copy = await openCopy(file, spillFolder, version);
      const bookmark = await copy.bookmark();
      if (bookmark !== undefined) return stateOf(copy, bookmark);
      copy.close();
    } catch {
      // Unusable: `make` replaces it.
    }
    return undefined;
  }

  async function make(): Promise<State> {
    removeCopy(file, spillFolder);
    const bookmark = await store.read('startOfAnswers');
    if (bookmark === undefined) throw new Error('There is no change to begin with.');
    const copy = await openCopy(file, spillFolder, version);
    try {
      await copyAll(copy, { pages: readPages(), store, isStopped: () => isStopped || isClosing });
      await copy.finish(bookmark);
    } catch (error) {
      copy.close();
      removeCopy(file, spillFolder);
      throw error;
    }
    return stateOf(copy, bookmark);
  }

  /** Takes in new changes step by step; past the deadline the rest is left to the next call. */
  async function catchUp(now: number): Promise<number> {
    const deadline = performance.now() + FOLLOW_MS_MAX;
    const current = await ready();
    const seen: Change[] = [];
    /**
     * Of the first read: a transaction open at that time may add
     * changes before the place that later reads start from.
     */
    let horizon: number | undefined;
    let isErased = false;
    for (;;) {
      const after = seen.at(-1)?.change_no ?? 0;
      const { bookmark } = current;
      const found = await store.read('answerChangesSince', { bookmark, after, max: CHANGES_READ_MAX });
      const part = found && nextStep(found.changes, current.taken);
      if (found === undefined || part === undefined || part.needsRebuild) {
        await drop();
        return catchUp(now);
      }
      const { step, passed, isAll } = part;
      horizon ??= found.horizon;
      isErased ||= step.some(({ kind }) => kind === 'erased');
      seen.push(...passed);
      const reached = {
        last: lastOf(bookmark.last, step),
        since: isAll ? horizon : bookmark.since,
      };
      await takeIn(current.copy, store, step, reached);
      // Only now, so that the same changes are read again if the store goes away meanwhile.
      current.bookmark = reached;
      for (const { change_no } of step) current.taken.add(change_no);
      current.asOf = isAll ? now : Math.max(current.asOf, seen.at(-1)?.at ?? 0);
      if (isAll) {
        current.taken = new Set(seen.filter(mayComeAgain(horizon)).map(numberOf));
        delete current.behindSince;
        break;
      }
      if (performance.now() > deadline) {
        current.behindSince = performance.now();
        break;
      }
    }
    if (isErased) await exclusively(() => current.copy.rewrite());
    return current.asOf;
  }

  async function drop(): Promise<void> {
    await exclusively(async () => {
      state?.copy.close();
      state = undefined;
      removeCopy(file, spillFolder);
    });
  }

  /** Waits until no question is running, and holds off new ones meanwhile. */
  async function exclusively(act: () => Promise<void>): Promise<void> {
    const gate = Promise.withResolvers<void>();
    exclusive = gate.promise;
    try {
      while (users > 0) {
        await new Promise<void>((resolve) => {
          whenUnused = resolve;
        });
      }
      await act();
    } finally {
      exclusive = undefined;
      gate.resolve();
    }
  }

  /** Concurrent questions may all report the same damaged copy; it is dropped once. */
  async function discard(damaged: State): Promise<void> {
    const mine = running.then(() => (state === damaged ? drop() : undefined));
    running = mine.catch(() => undefined);
    await mine;
  }

  async function catchUpOrRecover(now: number): Promise<number> {
    try {
      return await catchUp(now);
    } catch (error) {
      if (state === undefined || isClosing) throw error;
      // While the store is away, the copy answers with what it has.
      if (isUnavailable(error)) return state.asOf;
      // A full disk or a damaged file: the content can no longer be trusted.
      await drop();
      throw unavailable('The figures are being prepared; try again shortly.', error);
    }
  }

  async function follow(now: number): Promise<number> {
    const { behindSince = Number.NEGATIVE_INFINITY, asOf = 0 } = state ?? {};
    const isPaused = performance.now() - behindSince < PAUSE_WHILE_BUSY_MS && isBusy();
    return isPaused ? asOf : followOnce(now);
  }

  function followOnce(now: number): Promise<number> {
    if (next !== undefined) return next;
    const mine = running.then(() => {
      next = undefined;
      return catchUpOrRecover(now);
    });
    next = mine;
    running = mine.catch(() => undefined);
    return mine;
  }

  return {
    follow,
    async use(ask) {
      let current = await ready();
      while (exclusive !== undefined) {
        await exclusive;
        current = await ready();
      }
      users += 1;
      let failure: Error;
      try {
        const connection = await current.copy.connect();
        asked.add(connection);
        try {
          if (isClosing) throw unavailable('The service is closing.');
          return await ask(connection);
        } finally {
          asked.delete(connection);
          connection.closeSync();
        }
      } catch (error) {
        failure = error as Error;
      } finally {
        users -= 1;
        if (users === 0) whenUnused();
      }
      if (!isDamage(failure)) throw failure;
      await discard(current);
      throw new DamagedCopy(failure.message);
    },
    async forget(now) {
      if (making !== undefined) {
        // What it has read may be deleted by now; the next question starts over.
        isStopped = true;
        await making;
        isStopped = false;
      }
      if (state === undefined) {
        removeCopy(file, spillFolder);
        return;
      }
      for (let before = -1; ; ) {
        const asOf = await followOnce(now);
        if (asOf >= now) return;
        if (asOf === before) await sleep(PAUSE_WHILE_AWAY_MS);
        before = asOf;
      }
    },
    stop() {
      isClosing = true;
      for (const connection of asked) connection.interrupt();
    },
    async close() {
      this.stop();
      await making;
      await running;
      await exclusively(async () => state?.copy.close());
      await store.close();
    },
  };
}

function stateOf(copy: DuckdbCopy, bookmark: Bookmark): State {
  return { copy, bookmark, taken: new Set(), asOf: bookmark.last.at };
}

function lastOf(known: Change, changes: readonly Change[]): Change {
  const last = changes.at(-1);
  return last !== undefined && last.change_no > known.change_no ? last : known;
}

function mayComeAgain(horizon: number): (change: Change) => boolean {
  return ({ transaction_no }) => transaction_no >= horizon;
}

function numberOf({ change_no }: Change): number {
  return change_no;
}

function makingTimeout(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, MAKING_MS_MAX).unref());
}

/** How DuckDB's messages begin for an unreadable or corrupt file, and after an internal error. */
function isDamage({ message }: Error): boolean {
  return /^(?:IO|FATAL|INTERNAL|Serialization) Error/i.test(message);
}

function isUnavailable(error: unknown): boolean {
  return (error as { code?: string }).code === 'unavailable';
}
