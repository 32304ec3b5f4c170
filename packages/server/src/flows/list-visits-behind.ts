import type { VisitItem, VisitsBehind } from '@leadtrail/contract/questions';
import { compileVisits } from '../domain/questions/compile-lists.ts';
import type { Answers } from '../ports/answers.ts';
import type { Store } from '../store/store.ts';
import type { AppSettings } from './app-settings.ts';
import { questionBehind } from './question-behind.ts';

export type ListVisitsBehind = (asked: VisitsBehind) => Promise<{ visits: VisitItem[]; total: number }>;

/** The copy says which visits a figure counts, the store provides them. */
export function makeListVisitsBehind(parts: {
  answers: Answers;
  store: Pick<Store, 'visitsByKey'>;
  settings: AppSettings;
  now: () => number;
}): ListVisitsBehind {
  const { answers, store } = parts;
  return async (asked) => {
    const question = await questionBehind(asked, parts);
    const { rows, totals } = await answers.ask(compileVisits(question, asked));
    const visits = rows.map(({ dimensions: [key = '', visitorNo, startedAt] }) => ({
      key,
      visitorNo: Number(visitorNo),
      startedAt: Number(startedAt),
    }));
    return { visits: await store.visitsByKey({ visits }), total: totals.metrics[0] ?? 0 };
  };
}
