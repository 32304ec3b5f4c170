import { once } from 'node:events';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { unavailable } from '../lib/errors.ts';
import { threadFile } from '../lib/places.ts';
import type { Inbox, InboxBacklog, InboxBatch, InboxIdentity } from '../ports/inbox.ts';
import { ADOPTED } from './inbox-folder.ts';
import { explainInbox } from './sqlite-inbox-file.ts';
import type {
  InboxCall,
  InboxOpened,
  InboxPlace,
  InboxReply,
  InboxRequest,
  Released,
} from './sqlite-inbox-worker.ts';

/** Above these, tracking is shed, so that neither disk nor memory fills up. */
const BACKLOG_RECORDS_MAX = 5_000_000;
const BACKLOG_BYTES_MAX = 4 * 1024 ** 3;
const UNWRITTEN_RECORDS_MAX = 20_000;
const UNWRITTEN_BYTES_MAX = 32 * 1024 ** 2;
const YOUNG_GENERATION_MIB = 4;
const SQLITE_BUSY = 5;
const ENDED = 'The thread of the inbox has ended.';

/**
 * The inbox has its own SQLite file and thread. Group commit: records
 * that arrive during a commit share the next.
 */
export function openSqliteInbox(dir: string): Promise<Inbox> {
  return open({ dir });
}

/**
 * Opens inboxes of dead processes that still hold records, and all adopted ones, which are removed once they
 * are empty. Each is locked exclusively.
 */
export async function openLeftoverInboxes(dir: string): Promise<Inbox[]> {
  const files = globSync(join(dir, '*.db')).filter(isLeftover);
  const opened = await Promise.allSettled(files.map((file) => open({ dir, file })));
  // Another process may have opened it first.
  return opened.filter((each) => each.status === 'fulfilled').map((each) => each.value);
}

/** Whether a running service holds the lock of an inbox. */
export function isInboxInUse(dir: string): boolean {
  return globSync(join(dir, '*.db')).some((file) => {
    const database = new DatabaseSync(file, { timeout: 0 });
    try {
      database.prepare('select 1 from sqlite_schema').get();
      return false;
    } catch (error) {
      if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return true;
      throw explainInbox(error, file);
    } finally {
      database.close();
    }
  });
}

function isLeftover(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    const hasRecords = database.prepare('select 1 from groups limit 1').get() !== undefined;
    return hasRecords || basename(file).startsWith(ADOPTED);
  } catch {
    // Locked, or without tables so far.
    return false;
  } finally {
    database.close();
  }
}

async function open(place: InboxPlace): Promise<Inbox> {
  const worker = new Worker(threadFile('sqlite-inbox-worker'), {
    workerData: place,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
  });
  // An error rejects; a thread can also exit without one.
  const ended = once(worker, 'exit').then(() => Promise.reject(new Error(ENDED)));
  const [opened] = (await Promise.race([once(worker, 'message'), ended])) as [InboxOpened];
  ended.catch(() => undefined);

  const { backlog } = opened;
  let { identity, oldestAt } = opened;
  let releasedRecords = 0;
  let group = newGroup();
  let writing: Group | undefined;
  let flushScheduled = false;
  let broken: Error | undefined;
  let appended = () => {};
  const calls = new Map<number, PromiseWithResolvers<unknown>>();
  let lastCall = 0;

  worker.on('message', (reply: InboxReply) => {
    if (reply.kind === 'appended') settleGroup(reply.error);
    else settleCall(reply);
  });
  worker.on('error', (error) => {
    broken = error as Error;
    const gone = unavailable('The inbox is not available.', error);
    writing?.done.reject(gone);
    group.done.reject(gone);
    for (const call of calls.values()) call.reject(gone);
  });

  function append(line: string): Promise<void> {
    if (broken || isFull())
      return Promise.reject(unavailable('Too many records are waiting; try again shortly.', broken));
    group.lines.push(line);
    group.bytes += line.length;
    if (writing === undefined && !flushScheduled) {
      // Requests read in the same turn of the event loop share a commit.
      flushScheduled = true;
      setImmediate(flush);
    }
    return group.done.promise;
  }

  function isFull(): boolean {
    return (
      backlog.records >= BACKLOG_RECORDS_MAX ||
      backlog.bytes >= BACKLOG_BYTES_MAX ||
      group.lines.length >= UNWRITTEN_RECORDS_MAX ||
      group.bytes >= UNWRITTEN_BYTES_MAX
    );
  }

  function flush(): void {
    flushScheduled = false;
    writing = group;
    group = newGroup();
    const lines = writing.lines.join('\n');
    // The size as it is stored and released, including line breaks.
    writing.bytes = lines.length;
    writing.at = Date.now();
    send({ kind: 'append', lines, records: writing.lines.length, at: writing.at });
  }

  function settleGroup(error: string | undefined): void {
    const settled = writing;
    writing = undefined;
    if (group.lines.length > 0) flush();
    if (settled === undefined) return;
    if (error === undefined) {
      if (backlog.records === 0) oldestAt = settled.at;
      backlog.records += settled.lines.length;
      backlog.bytes += settled.bytes;
      settled.done.resolve();
      appended();
    } else {
      settled.done.reject(unavailable('The inbox cannot be written at present.', new Error(error)));
    }
  }

  function settleCall(reply: Extract<InboxReply, { kind: 'answered' }>): void {
    const call = calls.get(reply.id);
    calls.delete(reply.id);
    if (reply.error === undefined) call?.resolve(reply.result);
    else call?.reject(unavailable('The inbox is not available.', new Error(reply.error)));
  }

  function ask<T>(kind: InboxCall, value?: unknown): Promise<T> {
    if (broken) return Promise.reject(unavailable('The inbox is not available.', broken));
    const call = Promise.withResolvers<unknown>();
    lastCall += 1;
    calls.set(lastCall, call);
    send({ kind, value, id: lastCall });
    return call.promise as Promise<T>;
  }

  function send(request: InboxRequest): void {
    worker.postMessage(request);
  }

  async function release(epoch: string, lastSequence: number): Promise<InboxBacklog> {
    const freed = await ask<Released>('release', { epoch, lastSequence });
    releasedRecords += freed.records;
    backlog.records -= freed.records;
    backlog.bytes -= freed.bytes;
    oldestAt = freed.oldestAt;
    return { records: freed.records, bytes: freed.bytes };
  }

  async function change(kind: 'renew' | 'confirm' | 'becomeItself', epoch?: string): Promise<void> {
    identity = await ask<InboxIdentity>(kind, epoch);
  }

  return {
    identity: () => identity,
    confirm: () => change('confirm'),
    becomeItself: () => change('becomeItself'),
    append,
    take: (recordsMax, after = 0) => ask<InboxBatch | undefined>('take', { recordsMax, after }),
    release,
    renew: (epoch) => change('renew', epoch),
    onAppended(listener) {
      appended = listener;
    },
    backlog: () => ({ ...backlog }),
    oldestAt: () => (backlog.records === 0 ? undefined : oldestAt),
    mark() {
      const upTo = releasedRecords + backlog.records;
      return () => releasedRecords >= upTo;
    },
    probe: async () => {
      if (isFull()) throw unavailable('Too many records are waiting; try again shortly.');
      await ask('probe');
    },
    compact: () => ask('compact'),
    async close() {
      while (writing !== undefined || flushScheduled) {
        await (writing ?? group).done.promise.catch(() => undefined);
      }
      await ask('close');
      await worker.terminate();
    },
  };
}

/** Records that become durable together. */
type Group = { lines: string[]; bytes: number; at: number; done: PromiseWithResolvers<void> };

function newGroup(): Group {
  return { lines: [], bytes: 0, at: 0, done: Promise.withResolvers<void>() };
}
