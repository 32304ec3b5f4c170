import type { ShownName } from '../store/operations.ts';

const BYTES_MAX = 8 * 1024 * 1024;
const ANSWER_BYTES_MAX = 512 * 1024;
const ANSWERS_MAX = 1000;
/** At most: a text with nothing but Latin letters takes half of it. */
const BYTES_PER_CHARACTER = 2;

export type KeptAnswer = {
  body: string;
  madeAt: number;
  /** The operations it is made of, and the version of what they show from before it was made. */
  from: readonly ShownName[];
  version: string;
};

/** Answers in memory, no more than there is room for: what was not asked for the longest goes first. */
export type KeptAnswers = {
  get(key: string): KeptAnswer | undefined;
  keep(key: string, answer: KeptAnswer): void;
  /** Keeps only those that still hold. */
  dropUnless(holds: (answer: KeptAnswer) => boolean): void;
};

export function makeKeptAnswers(): KeptAnswers {
  /** In the order in which they were last asked for. */
  const answers = new Map<string, KeptAnswer>();
  let bytes = 0;

  function drop(key: string): void {
    const answer = answers.get(key);
    if (answer === undefined) return;
    answers.delete(key);
    bytes -= bytesOf(key, answer);
  }

  return {
    get(key) {
      const answer = answers.get(key);
      if (answer === undefined) return undefined;
      answers.delete(key);
      answers.set(key, answer);
      return answer;
    },
    keep(key, answer) {
      drop(key);
      if (bytesOf(key, answer) > ANSWER_BYTES_MAX) return;
      answers.set(key, answer);
      bytes += bytesOf(key, answer);
      for (const oldest of answers.keys()) {
        if (bytes <= BYTES_MAX && answers.size <= ANSWERS_MAX) break;
        drop(oldest);
      }
    },
    dropUnless(holds) {
      for (const [key, answer] of answers) if (!holds(answer)) drop(key);
    },
  };
}

function bytesOf(key: string, { body }: KeptAnswer): number {
  return (key.length + body.length) * BYTES_PER_CHARACTER;
}
