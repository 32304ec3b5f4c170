import assert from 'node:assert/strict';
import type { Question, QuestionAnswer } from '@leadtrail/contract/questions';
import { call } from './analytics-calls.ts';
import type { TestService } from './service.ts';
import { until } from './torture/service-process.ts';

/** Questions to the analytics, with only what a test is about. */

export type AskedQuestion = Partial<Omit<Question, 'metrics'>> & Pick<Question, 'metrics'>;

export const QUERY = '/analytics/query';

/** Over all days unless the question says otherwise. Asks again while the figures are being prepared. */
export async function ask(service: TestService, question: AskedQuestion): Promise<QuestionAnswer> {
  const send = () => call<QuestionAnswer>(service, 'POST', QUERY, { body: { period: 'all', ...question } });
  let answer = await send();
  await until('To prepare the figures', async () => {
    if (answer.status === 503) answer = await send();
    return answer.status !== 503;
  });
  assert.equal(answer.status, 200, JSON.stringify([answer.body, service.logged.at(-1)]));
  return answer.body;
}

/** The metrics of each row by its dimensions. */
export function byDimensions({ rows }: QuestionAnswer): Record<string, (number | null)[]> {
  return Object.fromEntries(rows.map(({ dimensions, metrics }) => [dimensions.join(' · '), metrics]));
}

/** The lists behind the figures of an answer, of its period and of the one before, have as many rows as the figures say. */
export async function assertListed(
  { totals }: QuestionAnswer,
  list: (compared: boolean) => Promise<{ total: number; rows: readonly unknown[] }[]>,
  asked: object,
): Promise<void> {
  for (const [compared, counts] of [
    [false, totals.metrics],
    [true, totals.previous],
  ] as const) {
    const lists = await list(compared);
    const message = JSON.stringify({ ...asked, compared });
    const totalsOfLists = lists.map(({ total }) => total);
    assert.deepEqual(totalsOfLists, counts, message);
    const lengths = lists.map(({ rows }) => rows.length);
    assert.deepEqual(lengths, counts, message);
  }
}
