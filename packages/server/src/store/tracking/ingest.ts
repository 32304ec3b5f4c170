import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { StartRecord, TrackingRecord } from '../../domain/tracking/tracking-record.ts';
import { unavailable } from '../../lib/errors.ts';
import { noteForAnswers } from '../answers/changes.ts';
import type { Db } from '../dialect.ts';
import { noteFiguresOf } from '../leads/figures.ts';
import { background } from '../operation.ts';
import { setSavepoint } from '../savepoint.ts';
import type { FailedRecordRow } from '../schema.ts';
import { applyEnd, applyEvents } from './apply-activity.ts';
import { applyStart } from './apply-start.ts';
import { type FailedKey, failedAfter, removeFailed } from './failed-records.ts';
import { EARLY_BYTES_MAX, loadState, type TrackingState } from './state.ts';
import { newTotals, type Totals, writeTotals } from './totals.ts';
import { writeRows } from './write-rows.ts';

export type TrackingBatch = {
  spoolId: string;
  firstSequence: number;
  lastSequence: number;
  lines: Uint8Array<ArrayBuffer>;
  now: number;
  /** Pipelining: the last sequence of the previous batch, if this one was sent before that was done. */
  follows?: number | undefined;
};

/** Where records come from, and when they are applied. */
type RecordBatch = Pick<TrackingBatch, 'spoolId' | 'firstSequence' | 'now'> & {
  /** Its records have failed before, and stay among the failed ones until they succeed. */
  isRetried?: true;
};

const GZIP_LEVEL = 1;

/**
 * How far an inbox has been processed; up to there it can drop its records. Runs on the primary, because a
 * replica might lag.
 */
export const appliedSequence = background(
  { changes: [] },
  async ({ query }, { spoolId }: { spoolId: string }): Promise<number> => {
    const spool = await query
      .selectFrom('spools')
      .select('applied_sequence')
      .where('spool_id', '=', spoolId)
      .executeTakeFirst();
    return spool?.applied_sequence ?? 0;
  },
);

/** How many leads were queued for new figures, and how many records failed or were dropped. */
export type Ingested = { leads: number; failed: number; dropped: number };
/** The batch came before the one that it follows, and nothing of it was applied. */
export type Overtaking = 'overtaking';

/**
 * Applies a batch of the inbox atomically. The last applied sequence is written in the same transaction, so a
 * batch that is replayed after a crash is refused: exactly once.
 */
export const ingestTracking = background(
  { changes: ['tracking'] },
  async (db, batch: TrackingBatch): Promise<Ingested | Overtaking> => {
    const load = async () => loadRecords(db, `[${linesOf(batch).join(',')}]`);
    // Pipelined: one round trip in PostgreSQL, and the server works in parallel.
    const [isNext, loaded] = await Promise.all([begin(db, batch), load()]);
    if (!isNext) return 'overtaking';
    const [leads] = await Promise.all([applyRecords(db, batch, loaded, 0), finish(db, batch)]);
    return { leads, failed: 0, dropped: loaded.state.dropped };
  },
);

/**
 * For a batch that cannot be applied as a whole: applies it record by record. A failed record is kept with
 * the reason, and counts as done.
 */
export const salvageTracking = background(
  { changes: ['tracking'] },
  async (db, batch: TrackingBatch): Promise<Ingested> => {
    if (!(await begin(db, batch))) throw unavailable('The batch before this one was not applied.');
    const { spoolId: spool_id, firstSequence: sequence, now: failed_at } = batch;
    let leads = 0;
    let dropped = 0;
    const failed: FailedRecordRow[] = [];
    for (const [position, record] of linesOf(batch).entries()) {
      const applied = await applyAlone(db, batch, record, position);
      if (applied.isApplied) {
        leads += applied.leads;
        dropped += applied.dropped;
      } else failed.push({ spool_id, sequence, position, failed_at, reason: applied.reason, record });
    }
    await db.dialect.insertRows('failed_records', failed, 'do nothing');
    await finish(db, batch);
    return { leads, failed: failed.length, dropped };
  },
);

/** `last` is where to go on; undefined: there are no more. */
export type Retried = { applied: number; failed: number; leads: number; last: FailedKey | undefined };

/**
 * Retries failed records: an update may have fixed the cause. What fails again stays, and so does what
 * belongs to a session that has not started: as an early record it would soon be deleted.
 */
export const retryFailedRecords = background(
  { changes: ['tracking'] },
  async (db, { after, max, now }: { after?: FailedKey; max: number; now: number }): Promise<Retried> => {
    await db.dialect.lock('tracking');
    const rows = await failedAfter(db, after, max);
    const retried: Retried = { applied: 0, failed: 0, leads: 0, last: rows.at(-1) };
    for (const row of rows) {
      const { spool_id: spoolId, sequence, position, record } = row;
      const batch: RecordBatch = { spoolId, firstSequence: sequence, now, isRetried: true };
      const applied = await applyAlone(db, batch, record, position);
      retried[applied.isApplied ? 'applied' : 'failed'] += 1;
      if (!applied.isApplied) continue;
      retried.leads += applied.leads;
      await removeFailed(db, row);
    }
    return retried;
  },
);

/** Applies a single record in a savepoint, as a whole or not at all. */
async function applyAlone(
  db: Db,
  batch: RecordBatch,
  record: string,
  position: number,
): Promise<{ isApplied: true; leads: number; dropped: number } | { isApplied: false; reason: string }> {
  const before = await setSavepoint(db);
  try {
    const loaded = await loadRecords(db, `[${record}]`);
    const leads = await applyRecords(db, batch, loaded, position);
    await before.release();
    return { isApplied: true, leads, dropped: loaded.state.dropped };
  } catch (error) {
    if (db.dialect.mayPass(error)) throw error;
    await before.undo();
    await before.release();
    return { isApplied: false, reason: (error as Error).message };
  }
}

/** False: the batch before this one has not been applied yet. */
async function begin(db: Db, batch: TrackingBatch): Promise<boolean> {
  await db.dialect.lock('tracking');
  const applied = await appliedSequence(db, { spoolId: batch.spoolId });
  if (applied >= batch.firstSequence) throw new Error('A part of this batch has been applied before.');
  return batch.follows === undefined || batch.follows === applied;
}

async function finish(db: Db, batch: TrackingBatch): Promise<void> {
  await db.dialect.insertRows(
    'spools',
    [{ spool_id: batch.spoolId, applied_sequence: batch.lastSequence, updated_at: batch.now }],
    '(spool_id) do update set applied_sequence = excluded.applied_sequence, updated_at = excluded.updated_at',
  );
}

function linesOf({ lines }: TrackingBatch): string[] {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString();
  return text.trimEnd().split('\n');
}

type Loaded = { records: TrackingRecord[]; state: TrackingState };

async function loadRecords(db: Db, json: string): Promise<Loaded> {
  const records: TrackingRecord[] = JSON.parse(json);
  return { records, state: await loadState(db, records) };
}

async function applyRecords(
  db: Db,
  batch: RecordBatch,
  { records, state }: Loaded,
  firstPosition: number,
): Promise<number> {
  const starts = firstStarts(state, records);
  const later = records.filter((record) => record.kind !== 'start');
  const totals = newTotals();
  const written: Promise<unknown>[] = [];
  let position = firstPosition;
  for (const some of chunksOf(starts, later)) {
    // Lets the statements go out: PostgreSQL runs them while the next chunk is applied.
    if (written.length > 0) await setImmediate();
    for (const record of some) apply(state, totals, record, batch, position++);
    written.push(...writeRows(db, state, some));
  }
  // In SQLite each of these statements has run when its call returns: none comes after a rollback.
  const [leads] = await Promise.all([
    noteFiguresOf(db, [...state.visitors.keys()]),
    writeTotals(db, totals),
    noteForAnswers(db, 'sessions', [...state.sessions.keys()]),
    forgetEarly(db, state),
    enqueueArchive(db, starts, batch),
    ...written,
  ]);
  return leads;
}

const CHUNK_RECORDS = 250;

/**
 * All records of a session are in one chunk, so that its row is written once. Its start comes first, because
 * other records of it may come before the start in the batch.
 */
function chunksOf(starts: readonly StartRecord[], later: readonly TrackingRecord[]): TrackingRecord[][] {
  const chunks: TrackingRecord[][] = [];
  let last: TrackingRecord[] = [];
  for (const ofSession of Map.groupBy([...starts, ...later], ({ session_id }) => session_id).values()) {
    if (last.length === 0) chunks.push(last);
    last.push(...ofSession);
    if (last.length >= CHUNK_RECORDS) last = [];
  }
  return chunks;
}

/** Each start once: a tracker repeats it if it does not know whether the first one arrived. */
function firstStarts({ sessions }: TrackingState, records: readonly TrackingRecord[]): StartRecord[] {
  const seen = new Set(sessions.keys());
  return records.filter((record): record is StartRecord => {
    if (record.kind !== 'start' || seen.has(record.session_id)) return false;
    seen.add(record.session_id);
    return true;
  });
}

function apply(
  state: TrackingState,
  totals: Totals,
  record: TrackingRecord,
  batch: RecordBatch,
  position: number,
): void {
  if (record.kind === 'start') {
    applyStart(state, totals, record, batch.now);
    for (const early of state.early.get(record.session_id) ?? [])
      apply(state, totals, early, batch, position);
  } else if (!state.sessions.has(record.session_id)) {
    if (batch.isRetried) throw new Error('The session of this record has not started.');
    parkEarly(state, record, batch, position);
  } else if (record.kind === 'events') {
    applyEvents(state, totals, record);
  } else {
    applyEnd(state, totals, record);
  }
}

/** The start may still be in the inbox of another process. Beyond the limit records are dropped. */
function parkEarly(
  state: TrackingState,
  record: Exclude<TrackingRecord, StartRecord>,
  batch: RecordBatch,
  position: number,
): void {
  const { session_id } = record;
  const text = JSON.stringify(record);
  const bytes = (state.waiting.get(session_id) ?? 0) + Buffer.byteLength(text);
  if (bytes > EARLY_BYTES_MAX) {
    state.dropped += 1;
    return;
  }
  state.waiting.set(session_id, bytes);
  state.added.early.push({
    spool_id: batch.spoolId,
    sequence: batch.firstSequence,
    position,
    session_id,
    received_at: record.at,
    record: text,
  });
}

async function forgetEarly({ dialect }: Db, { early }: TrackingState): Promise<void> {
  if (early.size === 0) return;
  await dialect.run(`delete from early_records where session_id in (select value from ${dialect.listed})`, [
    JSON.stringify([...early.keys()]),
  ]);
}

/**
 * Transactional outbox: session metadata is queued for the object store in the transaction that counts the
 * sessions.
 */
async function enqueueArchive(
  { dialect }: Db,
  starts: readonly StartRecord[],
  batch: RecordBatch,
): Promise<void> {
  const [first] = starts;
  if (first === undefined) return;
  const text = starts.map((start) => `${JSON.stringify(start)}\n`).join('');
  const ids = starts.map((start) => start.session_id).sort();
  const archive = {
    // The id of a session: unique, and in order of time.
    archive_id: first.session_id,
    created_at: batch.now,
    claimed_until: 0,
    object_id: null,
    sessions: starts.length,
    first_session: ids[0] ?? '',
    last_session: ids.at(-1) ?? '',
    body: gzipSync(text, { level: GZIP_LEVEL }),
  };
  await dialect.insertRows('archive_queue', [archive], '');
}
