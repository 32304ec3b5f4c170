import type { SubmissionsBehind } from '@leadtrail/contract/questions';
import type { SubmissionItem } from '@leadtrail/contract/submissions';
import { compileSubmissions } from '../domain/questions/compile-lists.ts';
import type { Answers } from '../ports/answers.ts';
import type { Store } from '../store/store.ts';
import type { AppSettings } from './app-settings.ts';
import { questionBehind } from './question-behind.ts';

export type ListSubmissionsBehind = (
  asked: SubmissionsBehind,
) => Promise<{ submissions: SubmissionItem[]; total: number }>;

/** The copy says which submissions a figure counts, the store provides them. */
export function makeListSubmissionsBehind(parts: {
  answers: Answers;
  store: Pick<Store, 'submissionsById'>;
  settings: AppSettings;
  now: () => number;
}): ListSubmissionsBehind {
  const { answers, store } = parts;
  return async (asked) => {
    const question = await questionBehind(asked, parts);
    const { rows, totals } = await answers.ask(compileSubmissions(question, asked));
    const submissionIds = rows.map(({ dimensions: [id] }) => Number(id));
    return { submissions: await store.submissionsById({ submissionIds }), total: totals.metrics[0] ?? 0 };
  };
}
