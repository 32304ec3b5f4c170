import { makeLru } from '../lib/lru.ts';
import type { ShownName } from '../store/operations.ts';

const BYTES_MAX = 8 * 1024 * 1024;
const ANSWER_BYTES_MAX = 512 * 1024;
const ANSWERS_MAX = 1000;
/** Upper bound: strings in Latin-1 take half of it. */
const BYTES_PER_CHARACTER = 2;

export type KeptAnswer = {
  body: string;
  madeAt: number;
  /** The operations it was computed from, and the version of their topics, read before it was computed. */
  from: readonly ShownName[];
  version: string;
};

/** An LRU cache of answers, bounded in number and bytes. */
export type KeptAnswers = {
  get(key: string): KeptAnswer | undefined;
  keep(key: string, answer: KeptAnswer): void;
  /** Drops all answers that are out of date. */
  dropUnless(holds: (answer: KeptAnswer) => boolean): void;
};

export function makeKeptAnswers(): KeptAnswers {
  const answers = makeLru<KeptAnswer>({ entriesMax: ANSWERS_MAX, weightMax: BYTES_MAX, weigh: bytesOf });
  return {
    get: answers.get,
    keep(key, answer) {
      if (bytesOf(key, answer) > ANSWER_BYTES_MAX) answers.delete(key);
      else answers.set(key, answer);
    },
    dropUnless(holds) {
      for (const [key, answer] of answers.entries()) if (!holds(answer)) answers.delete(key);
    },
  };
}

function bytesOf(key: string, { body }: KeptAnswer): number {
  return (key.length + body.length) * BYTES_PER_CHARACTER;
}
