import type { ShownName } from '../store/operations.ts';

/**
 * What an answer depends on besides the question. Nothing else may
 * affect it: neither the caller nor the time of day.
 */
export type KeptFrom = {
  /** The store operations that it is computed from. */
  from: readonly ShownName[];
  /** Its period is relative to today. */
  daily?: true;
};

/** Marks a handler whose answer is kept until a write changes a topic that these operations show. */
export function kept<Request, Answer>(keptFrom: KeptFrom, handler: (request: Request) => Answer) {
  return Object.assign((request: Request) => handler(request), { keptFrom });
}
