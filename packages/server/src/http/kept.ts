import type { ShownName } from '../store/operations.ts';

/** What an answer depends on besides the question. Nothing else may affect it: not who asks, nor the time of day. */
export type KeptFrom = {
  /** The store operations it is made of. */
  from: readonly ShownName[];
  /** It counts days from today. */
  daily?: true;
};

/** Marks a handler whose answer is kept until something changes of what these operations show. */
export function kept<Request, Answer>(keptFrom: KeptFrom, handler: (request: Request) => Answer) {
  return Object.assign((request: Request) => handler(request), { keptFrom });
}
