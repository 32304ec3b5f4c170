import { COMPARISONS, type MetricName } from '@leadtrail/contract/question-fields';
import { Question } from '@leadtrail/contract/questions';
import { refusal } from '../domain/questions/periods.ts';
import { type CheckedQuestion, checkQuestion } from '../domain/questions/question.ts';
import type { AppSettings } from './app-settings.ts';

/** The question for the figure whose leads, visits or submissions are listed. */
export async function questionBehind(
  {
    metric,
    compared,
    ...asked
  }: Omit<Partial<Question>, 'metrics'> & { metric: MetricName; compared: boolean },
  { settings, now }: { settings: AppSettings; now: () => number },
): Promise<CheckedQuestion> {
  if (compared && asked.compare === undefined) {
    throw refusal(
      'compared',
      `needs compare, which says what to compare with: ${COMPARISONS.join(', ')}, or dates`,
    );
  }
  const { timezone } = await settings.current();
  const question = Question.parse({ ...asked, metrics: [metric] });
  return checkQuestion(question, { timeZone: timezone, now: now(), onlySites: null });
}
