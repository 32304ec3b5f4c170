import type { Change } from '../store/answers/changes.ts';

/** How many changes a columnar copy takes in at a time. */

export const CHANGES_READ_MAX = 500;
/** A change may name hundreds of sessions. The length of their ids as JSON is the measure: this is some five thousand. */
const ID_CHARS_PER_STEP = 200_000;

export type Step = {
  /** To be taken in now. */
  step: readonly Change[];
  /** These, and those between them that were taken in before. */
  passed: readonly Change[];
  /** Nothing is left after it. */
  isAll: boolean;
  /** What all rows depend on has changed. */
  needsRebuild: boolean;
};

/** Of changes as they were read, at most `CHANGES_READ_MAX`. Those in `taken` do not count, so each step makes progress. */
export function nextStep(changes: readonly Change[], taken: ReadonlySet<number>): Step {
  const fresh = changes.filter(({ change_no }) => !taken.has(change_no));
  const step = firstOf(fresh);
  const last = step.at(-1);
  const isCut = step.length < fresh.length && last !== undefined;
  return {
    step,
    passed: isCut ? changes.filter(({ change_no }) => change_no <= last.change_no) : changes,
    isAll: !isCut && changes.length < CHANGES_READ_MAX,
    needsRebuild: fresh.some(({ kind }) => kind === 'setup'),
  };
}

/** As many as are taken in at a time; at least one. */
function firstOf(changes: readonly Change[]): readonly Change[] {
  let chars = 0;
  const end = changes.findIndex(({ ids }, n) => {
    chars += ids.length;
    return n > 0 && chars > ID_CHARS_PER_STEP;
  });
  return end === -1 ? changes : changes.slice(0, end);
}
