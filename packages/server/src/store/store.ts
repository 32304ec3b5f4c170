import type { Db } from './dialect.ts';
import type { Kind, OperationKinds } from './operation.ts';
import type { OperationName, Operations } from './operations.ts';

/**
 * The outcome of a scrub: no deleted data is left, the database is too large to rewrite now, or it is left to
 * the PostgreSQL server.
 */
export type Scrubbing = 'clean' | 'too-large' | 'left-to-server';

/** The relational store as the rest of the service sees it: every operation a method. */
export type Store = {
  [N in OperationName]: (...args: ArgumentsOf<Operations[N]>) => ResultOf<Operations[N]>;
} & StoreItself;

/** Connections to the store, or threads of it, that share one kind of work. */
export type StorePool = {
  name: string;
  limit: number;
  busy: number;
  /** Operations that wait for one. */
  waiting: number;
};

type StoreItself = {
  /** How busy it is at this moment. */
  pools(): StorePool[];
  /** Resolves when the store can be used; undefined: it can be already. Until then operations are unavailable. */
  whenOpen(): Promise<void> | undefined;
  /** Rewrites the database without what was deleted from it, unless it is larger than that. */
  scrub(bytesMax: number): Promise<Scrubbing>;
  close(): Promise<void>;
};

type ArgumentsOf<F> = F extends (db: Db, ...args: infer A) => unknown ? A : never;
type ResultOf<F> = F extends (db: Db, ...args: never[]) => infer R ? R : never;

export type Call = (name: string, argument: unknown) => Promise<unknown>;

/** A store whose methods hand their name and argument to the runner of their kind. */
export function storeOf(kinds: OperationKinds, runners: Record<Kind, Call>, itself: StoreItself): Store {
  const methods = kinds.map(([name, kind]) => [name, (argument: unknown) => runners[kind](name, argument)]);
  return { ...Object.fromEntries(methods), ...itself };
}
