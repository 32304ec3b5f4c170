import type { Locks } from '../store/operation.ts';
import { locksOf } from '../store/operations.ts';
import type { Call } from '../store/store.ts';
import { storeUnavailable } from './postgres-pool.ts';

/** Concurrent group transactions: while the server works on one, the next is assembled. */
const LANES = 2;
const GROUP_MAX = 64;
/** Calls beyond this queue length are refused; a lead then goes to the lead log. */
const WAITING_MAX = 10_000;

type Waiting = {
  name: string;
  argument: unknown;
  locks: Locks;
  resolve(result: unknown): void;
  reject(error: unknown): void;
};
export type GroupedCall = Pick<Waiting, 'name' | 'argument'>;

/**
 * The result of a group: all calls are stored or none, in which case `errors` names the calls that failed.
 */
export type GroupOutcome =
  | { isStored: true; results: unknown[] }
  | { isStored: false; errors: (Error | undefined)[] };

/**
 * Calls that arrive while others are under way share the next transaction, as far as their locks allow. That
 * saves most of the cost of a single call: round trips, statements, and the wait for the disk.
 */
export function inGroups(
  alone: Call,
  runGroup: (calls: readonly GroupedCall[]) => Promise<GroupOutcome>,
): Call {
  const waiting: Waiting[] = [];
  const taken = new Taken();
  let lanes = 0;
  let isStarting = false;

  async function lane(): Promise<void> {
    lanes += 1;
    for (let group = nextGroup(); group.length > 0; group = nextGroup()) {
      await settle(group);
      for (const { locks } of group) taken.remove(locks);
    }
    lanes -= 1;
  }

  /** Calls of one operation only, so that a single note of its name suffices. */
  function nextGroup(): Waiting[] {
    const group: Waiting[] = [];
    for (let i = 0; i < waiting.length && group.length < GROUP_MAX; ) {
      const call = waiting[i] as Waiting;
      const isOther = group[0] !== undefined && group[0].name !== call.name;
      if (isOther || taken.has(call.locks)) {
        i += 1;
      } else {
        taken.add(call.locks);
        group.push(call);
        waiting.splice(i, 1);
      }
    }
    return group;
  }

  async function settle(group: readonly Waiting[]): Promise<void> {
    const [only] = group;
    if (only === undefined) return;
    if (group.length === 1) return settleAlone(only);
    const outcome = await runGroup(group).catch((error: unknown) => error as Error);
    if (outcome instanceof Error) {
      // The commit may or may not have happened.
      for (const call of group) call.reject(outcome);
    } else if (outcome.isStored) {
      for (const [i, call] of group.entries()) call.resolve(outcome.results[i]);
    } else {
      const failed = group.filter((_, i) => outcome.errors[i] !== undefined);
      await settle(group.filter((_, i) => outcome.errors[i] === undefined));
      await Promise.all(failed.map(settleAlone));
    }
  }

  function settleAlone({ name, argument, resolve, reject }: Waiting): Promise<void> {
    return alone(name, argument).then(resolve, reject);
  }

  /** Calls of the same turn of the event loop share the first group. */
  function startSoon(): void {
    if (isStarting) return;
    isStarting = true;
    setImmediate(() => {
      isStarting = false;
      if (lanes < LANES) void lane();
    });
  }

  return (name, argument) => {
    const locks = locksOf(name, argument);
    if (locks === undefined) return alone(name, argument);
    if (waiting.length >= WAITING_MAX)
      return Promise.reject(storeUnavailable(new Error('Too many are waiting.')));
    return new Promise((resolve, reject) => {
      waiting.push({ name, argument, locks, resolve, reject });
      if (lanes < LANES) startSoon();
    });
  };
}

/** The locks of all calls that are under way. */
class Taken {
  readonly #alone = new Set<string>();
  readonly #shared = new Map<string, number>();

  has({ alone, shared }: Locks): boolean {
    return (
      alone.some((key) => this.#alone.has(key) || this.#shared.has(key)) ||
      shared.some((key) => this.#alone.has(key))
    );
  }

  add({ alone, shared }: Locks): void {
    for (const key of alone) this.#alone.add(key);
    for (const key of shared) this.#shared.set(key, (this.#shared.get(key) ?? 0) + 1);
  }

  remove({ alone, shared }: Locks): void {
    for (const key of alone) this.#alone.delete(key);
    for (const key of shared) {
      const left = (this.#shared.get(key) ?? 1) - 1;
      if (left === 0) this.#shared.delete(key);
      else this.#shared.set(key, left);
    }
  }
}
