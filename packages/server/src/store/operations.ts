import { claimArchives, recordArchive, releaseArchives } from './archives.ts';
import type { Db } from './dialect.ts';
import { recount } from './recount.ts';
import {
  engagement,
  geo,
  overview,
  realtime,
  sessionsDaily,
  sources,
  storage,
  topPages,
} from './reports/statistics.ts';
import { cleanUpTracking } from './tracking/clean-up.ts';
import { endIdleSessions } from './tracking/end-idle.ts';
import { appliedSequence, ingestTracking, salvageTracking } from './tracking/ingest.ts';

/**
 * Everything the service asks of the relational store. One operation is one transaction; its argument and
 * its result are plain data, because with SQLite it runs in another thread.
 */
export const writes = {
  // A replica may lag behind what was applied.
  appliedSequence,
  ingestTracking,
  salvageTracking,
  endIdleSessions,
  cleanUpTracking,
  claimArchives,
  releaseArchives,
  recordArchive,
} as const;

export const reads = {
  overview,
  sessionsDaily,
  topPages,
  geo,
  engagement,
  sources,
  realtime,
  storage,
  recount,
  /** Answers when the store does. */
  ping: async ({ query }: Db) => query.selectNoFrom((e) => e.val(1).as('alive')).executeTakeFirst(),
} as const;

const operations = { ...writes, ...reads };

export type WriteName = keyof typeof writes;
export type ReadName = keyof typeof reads;
type Operations = typeof writes & typeof reads;
export type OperationName = keyof Operations;

/** Runs an operation by its name; the types were checked where the store was called. */
export function run(db: Db, name: OperationName, argument: unknown): Promise<unknown> {
  const operation = operations[name] as (db: Db, argument: unknown) => Promise<unknown>;
  return operation(db, argument);
}

/** For whoever knows the operations only by their types. */
export const operationNames = {
  writes: Object.keys(writes) as WriteName[],
  reads: Object.keys(reads) as ReadName[],
};
