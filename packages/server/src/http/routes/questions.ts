import { DIMENSION_NAMES, DIMENSIONS, METRIC_NAMES, METRICS } from '@leadtrail/contract/question-fields';
import type { AnswerQuestion } from '../../flows/answer-question.ts';
import type { Handlers } from '../answer-endpoint.ts';

export function questionRoutes({
  answerQuestion,
}: {
  answerQuestion: AnswerQuestion;
}): Pick<Handlers, 'askQuestion' | 'questionFields'> {
  return {
    async askQuestion({ body, headers, reply }) {
      const { answer, asCsv } = await answerQuestion(body);
      if (!wantsCsv(headers.accept)) return answer;
      reply.headers['content-type'] = 'text/csv; charset=utf-8';
      reply.headers['content-disposition'] = 'attachment; filename="answer.csv"';
      return asCsv();
    },
    questionFields: () => ({
      metrics: METRIC_NAMES.map((name) => ({ name, ...METRICS[name] })),
      dimensions: DIMENSION_NAMES.map((name) => ({ name, label: DIMENSIONS[name] })),
    }),
  };
}

function wantsCsv(accept = ''): boolean {
  return accept.split(',').some((type) => type.split(';', 1)[0]?.trim().toLowerCase() === 'text/csv');
}
