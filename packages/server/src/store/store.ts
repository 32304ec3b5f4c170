import type { Db } from './dialect.ts';
import type { Group, OperationName, Operations } from './operations.ts';

/** Of pages that hold what was deleted: none is left, it is too much for now, or the server has them. */
export type Scrubbing = 'clean' | 'too-large' | 'left-to-server';

/** The relational store as the rest of the service sees it: every operation a method. */
export type Store = {
  [N in OperationName]: (...args: ArgumentsOf<Operations[N]>) => ResultOf<Operations[N]>;
} & StoreItself;

type StoreItself = {
  /**
   * Makes the database anew without what was deleted from it. False: it is larger than that, or somebody is just
   * reading from it.
   */
  scrub(bytesMax: number): Promise<Scrubbing>;
  close(): Promise<void>;
};

type ArgumentsOf<F> = F extends (db: Db, ...args: infer A) => unknown ? A : never;
type ResultOf<F> = F extends (db: Db, ...args: never[]) => infer R ? R : never;

export type OperationGroups = readonly (readonly [OperationName, Group])[];
type Call = (name: OperationName, argument: unknown) => Promise<unknown>;

/** A store whose methods hand their name and argument on, each group of them its own way. */
export function storeOf(groups: OperationGroups, ways: Record<Group, Call>, itself: StoreItself): Store {
  const methods = groups.map(([name, group]) => [name, (argument: unknown) => ways[group](name, argument)]);
  return { ...Object.fromEntries(methods), ...itself };
}
