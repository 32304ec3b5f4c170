import { type AppError, unavailable } from '../lib/errors.ts';

/** So much of every body is taken, however many there are; hardly a page sends more. */
const ALWAYS_TAKEN_BYTES = 16 * 1024;
/** What larger bodies may hold together while they are being read. */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

let heldBytes = 0;

export type Hold = {
  /** False: so much is being read that this cannot be held as well. */
  add(bytes: number): boolean;
  /** Whatever became of the body; doing it again changes nothing. */
  release(): void;
};

/** The part that one body has in the memory for all of them, which slow senders could otherwise fill. */
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
  return unavailable('Too much is being sent at once.');
}
