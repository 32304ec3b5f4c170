import { type AppError, unavailable } from '../lib/errors.ts';

/** This much of every body is accepted without counting; few pages send more. */
const ALWAYS_TAKEN_BYTES = 16 * 1024;
/** Total that larger bodies may occupy in memory while they are read. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

let heldBytes = 0;

export type Hold = {
  /** False: too much is held already. */
  add(bytes: number): boolean;
  /** Idempotent; must be called whatever happens to the body. */
  release(): void;
};

/** The share of one body in the memory for all bodies, which slow senders could otherwise exhaust. */
export function holdNothingYet(): Hold {
  let received = 0;
  let held = 0;
  return {
    add(bytes) {
      received += bytes;
      if (received <= ALWAYS_TAKEN_BYTES) return true;
      held += bytes;
      heldBytes += bytes;
      return heldBytes <= HELD_BYTES_MAX;
    },
    release() {
      heldBytes -= held;
      held = 0;
    },
  };
}

export function tooMuchAtOnce(): AppError {
  return unavailable('Too much is being sent at once; try again shortly.');
}
