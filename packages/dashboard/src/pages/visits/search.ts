import { GOAL_CHARS_MAX } from '@leadtrail/contract/limits';
import { VISIT_METRICS, type VisitMetric } from '@leadtrail/contract/question-fields';
import { defined, flagOf, oneOf, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export type VisitsSearch = {
  /** Only the visits that this figure of the frame counts; left out: all. */
  figure?: Exclude<VisitMetric, 'visits'>;
  /** The name of an event, with the figure that counts the visits that reached it. */
  goal?: string;
  /** Those of the period that the frame is compared with. */
  compared?: boolean;
  limit?: (typeof LIMITS)[number];
  offset?: number;
  /** The session whose recording is open. */
  replay?: string;
};

/** Left out of the address. */
export const LIMIT_DEFAULT = 25;
export const LIMITS = [50, 100] as const;

const NARROWER = VISIT_METRICS.filter((name) => name !== 'visits');

export function readVisitsSearch(search: RawSearch): VisitsSearch {
  const figure = oneOf(search.figure, NARROWER);
  const goal = figure === 'goal_visits' ? textOf(search.goal)?.slice(0, GOAL_CHARS_MAX) : undefined;
  return defined({
    // A goal without a name cannot be counted.
    figure: figure === 'goal_visits' && goal === undefined ? undefined : figure,
    goal,
    compared: flagOf(search.compared) || undefined,
    limit: LIMITS.find((each) => each === Number(search.limit)),
    offset: positiveOf(search.offset),
    replay: textOf(search.replay),
  });
}
