import assert from 'node:assert/strict';
import type { Question, QuestionAnswer } from '@leadtrail/contract/questions';
import { call } from './analytics-calls.ts';
import type { TestService } from './service.ts';

/** Questions to the analytics, with only what a test is about. */

export type AskedQuestion = Partial<Omit<Question, 'metrics'>> & Pick<Question, 'metrics'>;

export const QUERY = '/analytics/query';

/** Over all days unless the question says otherwise. */
export async function ask(service: TestService, question: AskedQuestion): Promise<QuestionAnswer> {
  const { status, body } = await call<QuestionAnswer>(service, 'POST', QUERY, {
    body: { period: 'all', ...question },
  });
  assert.equal(status, 200, JSON.stringify([body, service.logged.at(-1)]));
  return body;
}

/** The metrics of each row by its dimensions. */
export function byDimensions({ rows }: QuestionAnswer): Record<string, (number | null)[]> {
  return Object.fromEntries(rows.map(({ dimensions, metrics }) => [dimensions.join(' · '), metrics]));
}
