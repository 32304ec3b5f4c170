import assert from 'node:assert/strict';
import { it } from 'node:test';
import { METRIC_NAMES } from '@leadtrail/contract/question-fields';
import { compileQuestion } from '../../../src/domain/questions/compile.ts';
import {
  compileLeads,
  compileSubmissions,
  compileVisits,
} from '../../../src/domain/questions/compile-lists.ts';
import { checkQuestion } from '../../../src/domain/questions/question.ts';

it('has no window functions, at which DuckDB now and then fails', () => {
  const question = checkQuestion(
    {
      metrics: [...METRIC_NAMES],
      dimensions: ['campaign', 'date'],
      filters: [],
      period: 'last_30_days',
      compare: 'previous_period',
      attribution: 'linear',
      goal: 'booked',
      order_by: [],
      limit: 100,
      offset: 0,
    },
    { timeZone: 'UTC', now: Date.parse('2026-03-01T12:00:00Z'), onlySites: null },
  );
  for (const { rows, totals } of [
    compileQuestion(question),
    ...[false, true].flatMap((compared) => [
      compileLeads(question, { metric: 'won', compared }),
      compileVisits(question, { metric: 'goal_visits', compared }),
      compileSubmissions(question, { metric: 'submissions', compared }),
    ]),
  ]) {
    for (const { sql } of [rows, totals]) assert.doesNotMatch(sql, /\bover\b/i);
  }
});
