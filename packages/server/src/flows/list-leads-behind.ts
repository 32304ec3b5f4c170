import type { LeadItem } from '@leadtrail/contract/lead-records';
import type { LeadsBehind } from '@leadtrail/contract/questions';
import { compileLeads } from '../domain/questions/compile-lists.ts';
import type { Answers } from '../ports/answers.ts';
import type { Store } from '../store/store.ts';
import type { AppSettings } from './app-settings.ts';
import { questionBehind } from './question-behind.ts';

export type ListLeadsBehind = (asked: LeadsBehind) => Promise<{ leads: LeadItem[]; total: number }>;

/** The copy says which leads a figure counts, the store provides them. */
export function makeListLeadsBehind(parts: {
  answers: Answers;
  store: Pick<Store, 'leadsById'>;
  settings: AppSettings;
  now: () => number;
}): ListLeadsBehind {
  const { answers, store } = parts;
  return async (asked) => {
    const question = await questionBehind(asked, parts);
    const { rows, totals } = await answers.ask(compileLeads(question, asked));
    return {
      leads: await store.leadsById({ leadIds: rows.map(({ dimensions: [leadId] }) => Number(leadId)) }),
      total: totals.metrics[0] ?? 0,
    };
  };
}
