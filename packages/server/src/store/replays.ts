import { REPLAY_BYTES_MAX, REPLAY_CHUNKS_MAX } from '@leadtrail/contract/limits';
import { sql } from 'kysely';
import type { Db } from './dialect.ts';
import { addObjects } from './object-catalogue.ts';
import { background, primaryRead, read, visitorRead, write } from './operation.ts';
import type { ReplayChunkRow, ReplayRow } from './schema.ts';

/** Recordings of sessions: which chunks there are, and what they are together. */

/** Locked in shared mode to record chunks, exclusively to remove them. */
const REPLAYS = 'replays';

/** What to do with a chunk: only one that is `wanted` is stored. */
export type ReplayStanding = 'wanted' | 'stored' | 'full' | 'erased' | 'unknown';

type AskedChunk = {
  sessionId: string;
  sequence: number;
  /** The session need not be looked up. */
  isKnown: boolean;
};

export const replayStanding = visitorRead(
  async ({ query }, { sessionId, sequence, isKnown }: AskedChunk): Promise<ReplayStanding> => {
    const erased = await query
      .selectFrom('erased_sessions')
      .select('session_id')
      .where('session_id', '=', sessionId)
      .executeTakeFirst();
    if (erased !== undefined) return 'erased';
    const chunk = await query
      .selectFrom('replay_chunks')
      .select('sequence')
      .where('session_id', '=', sessionId)
      .where('sequence', '=', sequence)
      .executeTakeFirst();
    if (chunk !== undefined) return 'stored';
    const replay = await query
      .selectFrom('replays')
      .select(['chunk_count', 'bytes'])
      .where('session_id', '=', sessionId)
      .executeTakeFirst();
    if (replay === undefined) {
      if (isKnown) return 'wanted';
      const session = await query
        .selectFrom('sessions')
        .select('session_id')
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      return session === undefined ? 'unknown' : 'wanted';
    }
    const isFull = replay.chunk_count >= REPLAY_CHUNKS_MAX || replay.bytes >= REPLAY_BYTES_MAX;
    return isFull ? 'full' : 'wanted';
  },
);

/** Records an uploaded chunk. Idempotent: a chunk is sent again if its response was lost. */
export const recordReplayChunk = write(
  { changes: ['objects', 'replays'] },
  async (
    db,
    { chunk, now }: { chunk: ReplayChunkRow; now: number },
  ): Promise<Exclude<ReplayStanding, 'wanted' | 'unknown'>> => {
    const { dialect } = db;
    const { session_id, sequence, bytes, first_at, last_at, event_count } = chunk;
    await dialect.lockEach([`replay ${session_id}`], [REPLAYS]);
    const standing = await replayStanding(db, { sessionId: session_id, sequence, isKnown: true });
    if (standing !== 'wanted' && standing !== 'unknown') return standing;

    await dialect.insertRows('replay_chunks', [chunk], 'do nothing');
    await dialect.insertRows(
      'replays',
      [{ session_id, started_at: first_at, ended_at: last_at, event_count, chunk_count: 1, bytes }],
      ADDED,
    );
    // Last: every chunk needs the row of this total, which stays locked until the commit.
    await addObjects(db, [{ key: chunk.object_key, kind: 'replay', created_at: now, sessions: 0, bytes }]);
    return 'stored';
  },
);

const ADDED = `(session_id) do update set
  started_at = case when excluded.started_at < replays.started_at then excluded.started_at else replays.started_at end,
  ended_at = case when excluded.ended_at > replays.ended_at then excluded.ended_at else replays.ended_at end,
  event_count = replays.event_count + excluded.event_count,
  chunk_count = replays.chunk_count + 1,
  bytes = replays.bytes + excluded.bytes`;

/** The size of all recordings together. */
export const replayBytes = primaryRead(async ({ query }): Promise<number> => {
  const total = await query
    .selectFrom('counters')
    .select('value')
    .where('name', '=', 'replay_bytes')
    .executeTakeFirst();
  return total?.value ?? 0;
});

/**
 * The objects of the oldest recording, except that of one session. The last chunks come first, so that what
 * is left can be played from the beginning.
 */
export const oldestReplayKeys = primaryRead(
  async ({ query }, { except, max }: { except: string | null; max: number }): Promise<string[]> => {
    const oldest = await query
      .selectFrom('objects')
      .innerJoin('replay_chunks', 'replay_chunks.object_key', 'objects.key')
      .select('replay_chunks.session_id')
      .where('objects.kind', '=', 'replay')
      .$if(except !== null, (select) => select.where('replay_chunks.session_id', '!=', except ?? ''))
      .orderBy('objects.created_at')
      .orderBy('objects.key')
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) return [];
    const chunks = await query
      .selectFrom('replay_chunks')
      .select('object_key')
      .where('session_id', '=', oldest.session_id)
      .orderBy('sequence', 'desc')
      .limit(max)
      .execute();
    return chunks.map(({ object_key }) => object_key);
  },
);

/** Removes chunks whose objects are deleted, and recordings without any chunk left. */
export async function forgetReplayChunks({ query, dialect }: Db, keys: readonly string[]): Promise<void> {
  await dialect.lockEach([REPLAYS]);
  const forgotten = await query
    .deleteFrom('replay_chunks')
    .where('object_key', 'in', dialect.anyOf(keys))
    .returning('session_id')
    .execute();
  if (forgotten.length === 0) return;
  const sessions = dialect.anyOf([...new Set(forgotten.map(({ session_id }) => session_id))]);
  await sql`
    delete from replays where session_id in ${sessions}
    and not exists (select 1 from replay_chunks c where c.session_id = replays.session_id)
  `.execute(query);
  await sql`
    update replays set (started_at, ended_at, event_count, chunk_count, bytes) = (
      select min(first_at), max(last_at), sum(event_count), count(*), sum(bytes)
      from replay_chunks c where c.session_id = replays.session_id
    ) where session_id in ${sessions}
  `.execute(query);
}

/**
 * Removes the recordings of erased sessions, and accepts no more of them: an open page goes on recording, and nothing
 * would lead from such a recording to the person. The objects stay in the catalogue until they have been
 * deleted.
 */
export async function eraseReplays(
  { query, dialect }: Db,
  sessionIds: readonly string[],
  now: number,
): Promise<{ replays: number; keys: string[] }> {
  if (sessionIds.length === 0) return { replays: 0, keys: [] };
  await dialect.lockEach([REPLAYS]);
  await dialect.insertRows(
    'erased_sessions',
    sessionIds.map((session_id) => ({ session_id, erased_at: now })),
    'do nothing',
  );
  const chunks = await query
    .deleteFrom('replay_chunks')
    .where('session_id', 'in', dialect.anyOf(sessionIds))
    .returning('object_key')
    .execute();
  const { numDeletedRows } = await query
    .deleteFrom('replays')
    .where('session_id', 'in', dialect.anyOf(sessionIds))
    .executeTakeFirstOrThrow();
  return { replays: Number(numDeletedRows), keys: chunks.map(({ object_key }) => object_key) };
}

/** No page is open for that long. */
export const forgetErasedSessionIds = background(
  { changes: [] },
  async ({ query }, { before }: { before: number }): Promise<void> => {
    await query.deleteFrom('erased_sessions').where('erased_at', '<', before).execute();
  },
);

export type RecordedReplay = Omit<ReplayRow, 'chunk_count' | 'bytes'> & {
  /** The objects with its events, in order. */
  keys: string[];
};

export const replay = read(
  { shows: ['replays'] },
  async ({ query }, { sessionId }: { sessionId: string }): Promise<RecordedReplay | null> => {
    const found = await query
      .selectFrom('replays')
      .select(['session_id', 'started_at', 'ended_at', 'event_count'])
      .where('session_id', '=', sessionId)
      .executeTakeFirst();
    if (found === undefined) return null;
    const chunks = await query
      .selectFrom('replay_chunks')
      .select('object_key')
      .where('session_id', '=', sessionId)
      .orderBy('sequence')
      .execute();
    return { ...found, keys: chunks.map(({ object_key }) => object_key) };
  },
);
