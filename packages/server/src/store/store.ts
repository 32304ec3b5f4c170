import type { Db } from './dialect.ts';
import type { OperationName, ReadName, reads, WriteName, writes } from './operations.ts';

/** The relational store as the rest of the service sees it: every operation a method. */
export type Store = {
  [N in OperationName]: (...args: ArgumentsOf<Operations[N]>) => ResultOf<Operations[N]>;
} & { close(): Promise<void> };

type Operations = typeof writes & typeof reads;
type ArgumentsOf<F> = F extends (db: Db, ...args: infer A) => unknown ? A : never;
type ResultOf<F> = F extends (db: Db, ...args: never[]) => infer R ? R : never;

export type OperationNames = { writes: readonly WriteName[]; reads: readonly ReadName[] };
type Call = (name: OperationName, argument: unknown) => Promise<unknown>;

/** A store whose methods hand their name and argument on, writes one way and reads another. */
export function storeOf(
  names: OperationNames,
  ways: { write: Call; read: Call; close: () => Promise<void> },
): Store {
  const methods = [
    ...names.writes.map((name) => [name, (argument: unknown) => ways.write(name, argument)]),
    ...names.reads.map((name) => [name, (argument: unknown) => ways.read(name, argument)]),
  ];
  return { ...Object.fromEntries(methods), close: ways.close };
}
