import type { Question, QuestionAnswer } from '@leadtrail/contract/questions';
import { answerAsCsv, comparedFigures } from '../domain/questions/answer.ts';
import { compileQuestion, GROUPS_MAX } from '../domain/questions/compile.ts';
import { dateOf } from '../domain/questions/periods.ts';
import { checkQuestion } from '../domain/questions/question.ts';
import type { Answers } from '../ports/answers.ts';
import type { AppSettings } from './app-settings.ts';

export type AnswerQuestion = (
  question: Question,
  /** Counts only these sites; null: all. */
  within: { onlySites: readonly string[] | null },
) => Promise<{ answer: QuestionAnswer; asCsv: () => string }>;

/** Checks and compiles a question, asks the copy, and rounds the figures. */
export function makeAnswerQuestion({
  answers,
  settings,
  now,
}: {
  answers: Answers;
  settings: AppSettings;
  now: () => number;
}): AnswerQuestion {
  return async (question, { onlySites }) => {
    const { timezone, currency } = await settings.current();
    const checked = checkQuestion(question, { timeZone: timezone, now: now(), onlySites });
    const found = await answers.ask(compileQuestion(checked));
    const { period, timeZone } = checked;
    const first = found.earliest === null ? period.to : dateOf(found.earliest, timeZone);
    const answer: QuestionAnswer = {
      rows: found.rows.map((row) => ({ dimensions: row.dimensions, ...comparedFigures(checked, row) })),
      totals: comparedFigures(checked, found.totals),
      meta: {
        as_of: new Date(found.asOf).toISOString(),
        partial: period.isPartial,
        truncated: found.groups > GROUPS_MAX,
        period: { from: period.isAll ? first : period.from, to: period.to },
        timezone: timeZone,
        currency,
      },
    };
    return { answer, asCsv: () => answerAsCsv(checked, answer) };
  };
}
