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

/** The figure whose leads, visits or submissions are listed: of the period, or of the one it is compared with. */
type ListedFigure<M extends MetricName> = { metric: M; compared: boolean };

/** The numbers of the leads that a metric counts, as d0, latest first, and how many they are, as m0 of the totals. */
export function compileLeads(
  question: CheckedQuestion,
  { metric, compared }: ListedFigure<LeadMetric>,
): CompiledQuestion {
  const values: string[] = [];
  const period = periodOf(question, 'leads', compared);
  const conditions = [...conditionsOf(question, period, values), `(${COUNTED_LEADS[metric]})`];
  return eachOnce(question, { id: 'lead_id', moment: MOMENTS.leads, conditions, values });
}

/** Likewise the numbers of the submissions. */
export function compileSubmissions(
  question: CheckedQuestion,
  { compared }: ListedFigure<SubmissionMetric>,
): CompiledQuestion {
  const values: string[] = [];
  const conditions = conditionsOf(question, periodOf(question, 'submissions', compared), values);
  return eachOnce(question, { id: 'submission_id', moment: MOMENTS.submissions, conditions, values });
}

/** By a linear attribution several touches of one may be counted. */
function eachOnce(
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

/** The visits that a metric counts, latest first: key, number of the visitor and start; and how many they are. */
export function compileVisits(
  question: CheckedQuestion,
  { metric, compared }: ListedFigure<VisitMetric>,
): CompiledQuestion {
  const values: string[] = [];
  const period = periodOf(question, 'visits', compared);
  // A value that the statement does not use would be refused.
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
