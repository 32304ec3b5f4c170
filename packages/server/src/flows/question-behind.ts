import type { MetricName } from '@leadtrail/contract/question-fields';
import { Question } from '@leadtrail/contract/questions';
import { type CheckedQuestion, checkQuestion } from '../domain/questions/question.ts';
import type { AppSettings } from './app-settings.ts';

/** The question of the one figure whose leads or visits are listed. */
export async function questionBehind(
  { metric, ...asked }: Omit<Partial<Question>, 'metrics'> & { metric: MetricName },
  { settings, now }: { settings: AppSettings; now: () => number },
): Promise<CheckedQuestion> {
  const { timezone } = await settings.current();
  const question = Question.parse({ ...asked, metrics: [metric] });
  return checkQuestion(question, { timeZone: timezone, now: now(), onlySites: null });
}
