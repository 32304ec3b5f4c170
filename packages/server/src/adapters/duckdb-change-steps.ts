import type { Change } from '../store/answers/changes.ts';

/** How many changes a columnar copy takes in per step. */

export const CHANGES_READ_MAX = 500;
/**
 * A change may name hundreds of sessions, so a step is bounded by the
 * length of their ids as JSON: this is about 5,000.
 */
const ID_CHARS_PER_STEP = 200_000;

export type Step = {
  /** To be taken in now. */
  step: readonly Change[];
  /** `step`, and the changes between that were taken in before. */
  passed: readonly Change[];
  /** No change is left after this step. */
  isAll: boolean;
  /** Something that all rows depend on has changed. */
  needsRebuild: boolean;
};

/**
 * `changes` are as read, at most `CHANGES_READ_MAX`. Those in `taken`
 * are skipped, so each step makes progress.
 */
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

/** As many as fit in a step; at least one. */
function firstOf(changes: readonly Change[]): readonly Change[] {
  let chars = 0;
  const end = changes.findIndex(({ ids }, n) => {
    chars += ids.length;
    return n > 0 && chars > ID_CHARS_PER_STEP;
  });
  return end === -1 ? changes : changes.slice(0, end);
}
