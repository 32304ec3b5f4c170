import type {
  LeadMetric,
  MetricName,
  SubmissionMetric,
  VisitMetric,
} from '@leadtrail/contract/question-fields';
import type { CompiledQuestion } from './compile.ts';
import { conditionsOf, goalCondition, periodOf } from './compile-part.ts';
import { MOMENTS } from './dimension-sql.ts';
import { COUNTED_LEADS, COUNTED_VISITS } from './metrics.ts';
import type { CheckedQuestion } from './question.ts';

/** The rows behind a figure as SQL: which leads, visits or submissions it counts. */

/** The figure behind a list, in the period or in the compared one. */
type ListedFigure<M extends MetricName> = { metric: M; compared: boolean };

/** The ids of the leads that a metric counts as d0, latest first, and their number as m0 of the totals. */
export function compileLeads(
  question: CheckedQuestion,
  { metric, compared }: ListedFigure<LeadMetric>,
): CompiledQuestion {
  const values: string[] = [];
  const period = periodOf(question, 'leads', compared);
  const conditions = [...conditionsOf(question, period, values), `(${COUNTED_LEADS[metric]})`];
  return distinctIds(question, { id: 'lead_id', moment: MOMENTS.leads, conditions, values });
}

/** Likewise for submissions. */
export function compileSubmissions(
  question: CheckedQuestion,
  { compared }: ListedFigure<SubmissionMetric>,
): CompiledQuestion {
  const values: string[] = [];
  const conditions = conditionsOf(question, periodOf(question, 'submissions', compared), values);
  return distinctIds(question, { id: 'submission_id', moment: MOMENTS.submissions, conditions, values });
}

/** With linear attribution, several touches (rows) of one submission may count. */
function distinctIds(
  { limit, offset }: CheckedQuestion,
  { id, moment, conditions, values }: { id: string; moment: string; conditions: string[]; values: string[] },
): CompiledQuestion {
  const counted = `from submissions where ${conditions.join(' and ')}`;
  return {
    rows: {
      sql: `select ${id} as d0 ${counted} group by ${id}
        order by max(${moment}) desc, ${id} desc limit ${limit} offset ${offset}`,
      values,
    },
    totals: { sql: `select count(distinct ${id}) as m0 ${counted}`, values },
    earliest: null,
  };
}

/** The visits that a metric counts, latest first: session key, visitor number, start; and their number. */
export function compileVisits(
  question: CheckedQuestion,
  { metric, compared }: ListedFigure<VisitMetric>,
): CompiledQuestion {
  const values: string[] = [];
  const period = periodOf(question, 'visits', compared);
  // DuckDB refuses bound values that the statement does not use.
  const isGoal = metric === 'goal_visits' ? goalCondition(question, period.scope, values) : 'false';
  const conditions = [...conditionsOf(question, period, values), `(${COUNTED_VISITS[metric](isGoal)})`];
  const counted = `from visits where ${conditions.join(' and ')}`;
  return {
    rows: {
      sql: `select session_key as d0, visitor_no as d1, happened_at as d2 ${counted}
        order by happened_at desc, session_key desc limit ${question.limit} offset ${question.offset}`,
      values,
    },
    totals: { sql: `select count(*) as m0 ${counted}`, values },
    earliest: null,
  };
}
