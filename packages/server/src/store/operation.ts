import type { Db } from './dialect.ts';
import type { Topic } from './topics.ts';

/**
 * An operation of the store is one transaction. Its argument and its result are plain data, because with
 * SQLite it runs in another thread. Its declaration says how it is run, and what it changes or shows. Within
 * the store it can be called like any other function.
 */
export type Operation = Run & { readonly kind: Kind } & Partial<Changes & Shows & Grouped>;
/** An operation whose answer may be kept until one of its topics changes. */
export type ShownOperation = Operation & Shows;

/** How the adapters run it. */
export type Kind =
  | 'background'
  | 'write'
  | 'visitorRead'
  | 'primaryRead'
  | 'read'
  | 'versions'
  | 'ping'
  | 'inspection';
export type OperationKinds = readonly (readonly [name: string, Kind])[];

type Run = (db: Db, ...args: never[]) => Promise<unknown>;
type Changes = { readonly changes: readonly Topic[] };
type Shows = { readonly shows: readonly [Topic, ...Topic[]] };

/**
 * What an operation locks. Operations may share a transaction if none wants a key exclusively that another
 * one has; they then see no more of each other than in separate transactions. Undefined: it is never grouped.
 */
export type Locks = { readonly alone: readonly string[]; readonly shared: readonly string[] };
type Grouped = { readonly locks: (argument: never) => Locks | undefined };

/** A write that a request waits for. */
export function write<R extends Run>(declared: Changes & Partial<Grouped>, run: R) {
  return declare(run, { kind: 'write', ...declared });
}

/** A write that no request waits for: it yields to the others. */
export function background<R extends Run>({ changes }: Changes, run: R) {
  return declare(run, { kind: 'background', changes });
}

/** A read of the analytics. A replica that has caught up may answer, unless it must be the primary. */
export function read<R extends Run>({ shows, primary }: Shows & { primary?: true }, run: R) {
  return declare(run, { kind: primary ? 'primaryRead' : 'read', shows });
}

/** A read for the service itself, which must see the latest writes: never from a replica. */
export function primaryRead<R extends Run>(run: R) {
  return declare(run, { kind: 'primaryRead' });
}

/** A read that a visitor's page waits for: like a write it must not queue behind long lists. */
export function visitorRead<R extends Run>(run: R) {
  return declare(run, { kind: 'visitorRead' });
}

/** Runs before every answer that may be kept: it must queue behind nothing else. */
export function versions<R extends Run>(run: R) {
  return declare(run, { kind: 'versions' });
}

/** Succeeds where the store can be read and written. */
export function ping<R extends Run>(run: R) {
  return declare(run, { kind: 'ping' });
}

/** A read of whole tables, without a time limit. */
export function inspection<R extends Run>(run: R) {
  return declare(run, { kind: 'inspection' });
}

function declare<R extends Run, D extends { readonly kind: Kind }>(run: R, declared: D): R & D {
  return Object.assign(run, declared);
}
