import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { keyBeside, withoutSessions } from '../domain/tracking/session-archive.ts';
import { AppError, unavailable } from '../lib/errors.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/utc-time.ts';
import type { Answers } from '../ports/answers.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Log } from '../ports/log.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { ErasedSessions, ErasureLease } from '../store/erase/archived-sessions.ts';
import type { Store } from '../store/store.ts';
import { archiveSessions } from './archive-sessions.ts';
import { deleteStrays } from './delete-strays.ts';

/**
 * The steps of an erasure after its rows are deleted: archives, recordings, and free pages of the databases.
 */

export type ErasureParts = {
  store: Store;
  inbox: Inbox;
  leadLog: Inbox;
  objects: ObjectStore;
  answers: Answers;
  log: Log;
  now: () => number;
  newId: () => string;
};

/** Longer than it takes to read and write an archive. */
const LEASE_MS = 30 * SECOND_MS;
const SESSIONS_PER_STEP = 500;
const REPLAYS_PER_STEP = 50;
const POLL_MS_FIRST = 50;
const POLL_MS_MAX = SECOND_MS;
const NIGHT_PATIENCE_MS = 10 * MINUTE_MS;

const unzip = promisify(gunzip);
const zip = promisify(gzip);

/** Completes earlier erasures that were interrupted, or whose database was too large to scrub by day. */
export async function finishErasures(parts: ErasureParts): Promise<void> {
  await eraseFromArchives(parts, performance.now() + NIGHT_PATIENCE_MS);
  await eraseReplays(parts);
  if ((await scrub(parts, Number.MAX_SAFE_INTEGER)) === 'later') {
    throw new Error('The database could not be scrubbed.');
  }
}

/** Another process may have erased a person whose sessions or leads passed through this one. */
export async function compactOwnFiles({
  store,
  inbox,
  leadLog,
  answers,
}: Pick<ErasureParts, 'store' | 'inbox' | 'leadLog' | 'answers'>): Promise<void> {
  if (await store.wasErasedLately()) await answers.forget();
  for (const each of [inbox, leadLog]) if (each.backlog().records === 0) await each.compact();
}

/** Removes erased sessions from all archives, and returns their number. */
export async function eraseFromArchives(parts: ErasureParts, deadline: number): Promise<number> {
  const { store, now } = parts;
  let removed = 0;
  await eventually(deadline, 'The archives are in use; the erasure continues later.', async () => {
    for (;;) {
      const lease = { now: now(), leaseMs: LEASE_MS, max: SESSIONS_PER_STEP };
      const claim = await store.claimErasedSessions(lease);
      if (claim?.sessionIds.length === 0) return true;
      if (claim === null) return null;
      const taken = await eraseClaimed(parts, claim);
      removed += taken.removed;
      if (taken.isLeft) return null;
    }
  });
  // Last: by now no write that contains these sessions can be under way.
  await deleteStrays(parts).catch(throwUnavailable);
  return removed;
}

function throwUnavailable(error: unknown): never {
  throw error instanceof AppError ? error : unavailable('The archives cannot be rewritten.', error);
}

/** `isLeft`: the sessions must reach the object store first, or another process continues with them. */
async function eraseClaimed(
  parts: ErasureParts,
  { objects, isOnTheWay, ...claimed }: ErasedSessions,
): Promise<{ removed: number; isLeft: boolean }> {
  const { store, now } = parts;
  let lease: ErasureLease = claimed;
  const giveBack = () => store.extendErasedSessions({ ...lease, until: 0 });
  let removed = 0;
  try {
    if (isOnTheWay) {
      await archiveSessions(parts);
      await giveBack();
      return { removed, isLeft: true };
    }
    for (const object of objects) {
      const taken = await rewrite(parts, object, lease);
      const until = now() + LEASE_MS;
      if (taken === 'lost' || !(await store.extendErasedSessions({ ...lease, until })))
        return { removed, isLeft: true };
      removed += taken;
      lease = { ...lease, claimedUntil: until };
    }
    await store.forgetErasedSessions(lease);
    return { removed, isLeft: false };
  } catch (error) {
    // If this fails as well, the lease expires.
    await giveBack().catch(() => undefined);
    return throwUnavailable(error);
  }
}

type ArchiveObject = ErasedSessions['objects'][number];

/**
 * Writes a new object instead of replacing it: a process delayed beyond its lease would put back what others
 * have removed since. The new key is noted first, and enters the catalogue only if the lease still holds.
 */
async function rewrite(
  parts: ErasureParts,
  { key, ...recorded }: ArchiveObject,
  lease: ErasureLease,
): Promise<number | 'lost'> {
  const { store, objects, now, newId } = parts;
  const found = await objects.get(key);
  const before = found === undefined ? '' : (await unzip(found)).toString();
  const { text, sessions, removed } = withoutSessions(before, new Set(lease.sessionIds));
  if (found === undefined || sessions === 0) {
    await objects.delete(key);
    await store.forgetObjects({ keys: [key] });
    return removed.length;
  }
  const isRecorded = sessions === recorded.sessions && found.length === recorded.bytes;
  if (removed.length === 0 && isRecorded) return 0;

  const copy = keyBeside(key, newId());
  if (!(await store.noteRewriting({ ...lease, copy }))) return 'lost';
  const body = await zip(text);
  try {
    await objects.put(copy, body);
  } catch (error) {
    await store.giveUpCopy({ key: copy, now: now() });
    throw error;
  }
  const outcome = await store.recordRewrittenArchive({ ...lease, key, copy, sessions, bytes: body.length });
  for (const left of { recorded: [key], lost: [copy], gone: [key, copy] }[outcome]) {
    await objects.delete(left);
    await store.forgetCopy({ key: left });
  }
  return outcome === 'lost' ? 'lost' : removed.length;
}

/** Deletes the recordings of erased sessions. */
export async function eraseReplays({ store, objects }: ErasureParts): Promise<void> {
  for (;;) {
    const keys = await store.erasedReplayKeys({ max: REPLAYS_PER_STEP });
    if (keys.length === 0) return;
    try {
      await Promise.all(keys.map((key) => objects.delete(key)));
    } catch (error) {
      throw unavailable('The recordings cannot be deleted.', error);
    }
    // Last: a crash in between only repeats the deletion, which is idempotent.
    await store.forgetErasedReplays({ keys });
  }
}

/** Clean: no page of our databases contains erased data. */
export async function scrub(
  { store, inbox, leadLog, answers }: ErasureParts,
  bytesMax: number,
): Promise<'clean' | 'left-to-server' | 'later'> {
  const erasureIds = await store.dueScrubs();
  if (erasureIds.length === 0) return 'clean';
  try {
    await answers.forget();
    await inbox.compact();
    await leadLog.compact();
    const scrubbing = await store.scrub(bytesMax);
    if (scrubbing === 'too-large') return 'later';
    await store.recordScrubs({ erasureIds });
    return scrubbing;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return 'later';
    throw error;
  }
}

/** Polls with a growing interval until there is a result or the deadline has passed. */
export async function eventually<T>(
  deadline: number,
  message: string,
  attempt: () => Promise<T | null>,
): Promise<T> {
  for (let pause = POLL_MS_FIRST; ; pause = Math.min(pause * 2, POLL_MS_MAX)) {
    const result = await attempt();
    if (result !== null) return result;
    if (performance.now() > deadline) throw unavailable(message);
    await sleep(pause);
  }
}
