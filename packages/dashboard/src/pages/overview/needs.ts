import { useQueries } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { timeOf } from '../../format.ts';
import { addDays, todayIn } from '../../frame/days.ts';
import { answerOptions } from '../../frame/use-frame.ts';
import { goneQuiet, looksReal, type Quiet } from './quiet.ts';

export type Needs = {
  failed: number;
  late: number;
  quietSites: readonly Quiet[];
  quietForms: readonly Quiet[];
  toReview: number;
  rejected: number;
  /** Neither visits nor submissions: there is nothing that could be well. */
  isNew: boolean;
};

const POLL_MS = 60_000;
/** Longer than the first retry takes. */
const LATE_MS = 15 * 60_000;
const ROWS_MAX = 10_000;
const LISTED_MAX = 100;
/** Those that the link from here lists. */
const REJECTED_DAYS = 7;
/** Visits come every day, submissions do not. */
const SITES = { days: 14, quietDays: 2, activeDaysMin: 5 };
const FORMS = { days: 35, quietDays: 7, activeDaysMin: 3 };

type Signal = { signal: AbortSignal };

export function useNeeds(): { needs: Needs; isLoading: boolean; failed: string[] } {
  return useQueries({
    queries: [
      polled('failed', ({ signal }) => call('flowSends', { query: { status: 'failed', limit: 1 }, signal })),
      polled('pending', ({ signal }) =>
        call('flowSends', { query: { status: 'pending', limit: LISTED_MAX }, signal }),
      ),
      polled('review', ({ signal }) => call('leads', { query: { seen: false, limit: 1 }, signal })),
      polled('rejected', ({ signal }) =>
        call('rejectedLeads', {
          query: { from: addDays(todayIn('UTC'), 1 - REJECTED_DAYS), limit: LISTED_MAX },
          signal,
        }),
      ),
      answerOptions({
        metrics: ['visits'],
        dimensions: ['site', 'date'],
        period: `last_${SITES.days}_days`,
        limit: ROWS_MAX,
      }),
      answerOptions({
        metrics: ['submissions'],
        dimensions: ['form', 'date'],
        period: `last_${FORMS.days}_days`,
        limit: ROWS_MAX,
      }),
    ],
    combine: ([failed, pending, review, rejected, sites, forms]) => {
      const all = [failed, pending, review, rejected, sites, forms];
      const today = (answer: typeof sites.data) =>
        answer === undefined ? '' : todayIn(answer.meta.timezone, Date.parse(answer.meta.as_of));
      return {
        needs: {
          failed: failed.data?.total ?? 0,
          late: pending.data?.flow_sends.filter(isLate).length ?? 0,
          quietSites: goneQuiet(sites.data?.rows ?? [], { ...SITES, today: today(sites.data) }),
          quietForms: goneQuiet(forms.data?.rows ?? [], { ...FORMS, today: today(forms.data) }),
          toReview: review.data?.total ?? 0,
          isNew: sites.data?.rows.length === 0 && forms.data?.rows.length === 0,
          rejected: rejected.data?.blocked_ip_leads.filter(looksReal).length ?? 0,
        },
        isLoading: all.some(({ isPending, isError }) => isPending && !isError),
        failed: [...new Set(all.flatMap(({ error }) => (error === null ? [] : [error.message])))],
      };
    },
  });
}

function polled<T>(name: string, queryFn: (input: Signal) => Promise<T>) {
  return { queryKey: queryKeys.need(name), queryFn, refetchInterval: POLL_MS };
}

function isLate({ attempts, created_at }: { attempts: number; created_at: string }): boolean {
  return attempts > 0 && timeOf(created_at).getTime() < Date.now() - LATE_MS;
}
