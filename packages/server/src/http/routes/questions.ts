import { DIMENSION_NAMES, DIMENSIONS, METRIC_NAMES, METRICS } from '@leadtrail/contract/question-fields';
import type { AnswerQuestion } from '../../flows/answer-question.ts';
import type { ListLeadsBehind } from '../../flows/list-leads-behind.ts';
import type { ListSubmissionsBehind } from '../../flows/list-submissions-behind.ts';
import type { ListVisitsBehind } from '../../flows/list-visits-behind.ts';
import type { Handlers } from '../answer-endpoint.ts';

export function questionRoutes({
  answerQuestion,
  listLeadsBehind,
  listVisitsBehind,
  listSubmissionsBehind,
}: {
  answerQuestion: AnswerQuestion;
  listLeadsBehind: ListLeadsBehind;
  listVisitsBehind: ListVisitsBehind;
  listSubmissionsBehind: ListSubmissionsBehind;
}): Pick<Handlers, 'askQuestion' | 'leadsBehind' | 'visitsBehind' | 'submissionsBehind' | 'questionFields'> {
  return {
    async askQuestion({ body, headers, reply, sharedLink }) {
      const onlySites = sharedLink?.sites.map(({ site_key }) => site_key) ?? null;
      const { answer, asCsv } = await answerQuestion(body, { onlySites });
      if (!wantsCsv(headers.accept)) return answer;
      reply.headers['content-type'] = 'text/csv; charset=utf-8';
      reply.headers['content-disposition'] = 'attachment; filename="answer.csv"';
      return asCsv();
    },
    leadsBehind: ({ body }) => listLeadsBehind(body),
    visitsBehind: ({ body }) => listVisitsBehind(body),
    submissionsBehind: ({ body }) => listSubmissionsBehind(body),
    questionFields: () => ({
      metrics: METRIC_NAMES.map((name) => ({ name, ...METRICS[name] })),
      dimensions: DIMENSION_NAMES.map((name) => ({ name, label: DIMENSIONS[name] })),
    }),
  };
}

function wantsCsv(accept = ''): boolean {
  return accept.split(',').some((type) => type.split(';', 1)[0]?.trim().toLowerCase() === 'text/csv');
}
