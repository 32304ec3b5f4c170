import type { LeadItem } from '@leadtrail/contract/lead-records';
import { type LeadsBehind, Question } from '@leadtrail/contract/questions';
import { compileLeads } from '../domain/questions/compile.ts';
import { checkQuestion } from '../domain/questions/question.ts';
import type { Answers } from '../ports/answers.ts';
import type { Store } from '../store/store.ts';
import type { AppSettings } from './app-settings.ts';

export type ListLeadsBehind = (asked: LeadsBehind) => Promise<{ leads: LeadItem[]; total: number }>;

/** The copy says which leads a figure counts, the store what they are. */
export function makeListLeadsBehind({
  answers,
  store,
  settings,
  now,
}: {
  answers: Answers;
  store: Pick<Store, 'leadsById'>;
  settings: AppSettings;
  now: () => number;
}): ListLeadsBehind {
  return async ({ metric, ...asked }) => {
    const { timezone } = await settings.current();
    const question = Question.parse({ ...asked, metrics: [metric] });
    const checked = checkQuestion(question, { timeZone: timezone, now: now(), onlySites: null });
    const { rows, totals } = await answers.ask(compileLeads(checked, metric));
    return {
      leads: await store.leadsById({ leadIds: rows.map(({ dimensions: [leadId] }) => Number(leadId)) }),
      total: totals.metrics[0] ?? 0,
    };
  };
}
