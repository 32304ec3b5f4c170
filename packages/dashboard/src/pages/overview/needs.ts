import type { QuestionAnswer } from '@leadtrail/contract/questions';
import { useQueries } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { timeOf } from '../../format.ts';
import { daysOf, momentsOf, todayIn } from '../../frame/days.ts';
import { answerOptions } from '../../frame/use-frame.ts';
import { useWorkspace, workspaceOptions } from '../../frame/use-workspace.ts';
import type { When } from '../../frame/when.ts';
import { goneQuiet, looksReal, type Quiet } from './quiet.ts';

export type Needs = {
  failed: number;
  late: Listed;
  /** There were visits, but none to any site for weeks. */
  hasTrackingStopped: boolean;
  quietSites: readonly Quiet[];
  quietForms: readonly Quiet[];
  toReview: number;
  rejected: Listed;
  /** Nothing was ever recorded, so that “All is well” would say nothing. */
  isNew: boolean;
};

/** Counted on the first page of a list. */
export type Listed = { count: number /** There may be more. */; isAtLeast: boolean };

const POLL_MS = 60_000;
/** Longer than the first retry takes. */
const LATE_MS = 15 * 60_000;
const ROWS_MAX = 10_000;
const LISTED_MAX = 100;
/** The period that the link from here opens. */
export const REJECTED_WHEN = 'last_7_days' satisfies When;
/** Visits come every day, submissions do not. */
export const SITES = { days: 14, quietDays: 2, activeDaysMin: 5 };
const FORMS = { days: 35, quietDays: 7, activeDaysMin: 3 };

type Signal = { signal: AbortSignal };

export function useNeeds(): { needs: Needs; isLoading: boolean; failed: string[] } {
  const { timeZone } = useWorkspace();
  return useQueries({
    queries: [
      polled('failed', ({ signal }) => call('flowSends', { query: { status: 'failed', limit: 1 }, signal })),
      polled('pending', ({ signal }) =>
        // Leaves out the latest, which come first and are not late.
        call('flowSends', { query: { status: 'pending', to: lateSince(), limit: LISTED_MAX }, signal }),
      ),
      polled('review', ({ signal }) => call('leads', { query: { seen: false, limit: 1 }, signal })),
      {
        ...polled('rejected', ({ signal }) =>
          call('rejectedLeads', { query: { ...rejectedDays(timeZone), limit: LISTED_MAX }, signal }),
        ),
        queryKey: [...queryKeys.need('rejected'), timeZone],
        enabled: timeZone !== undefined,
      },
      workspaceOptions,
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
    combine: ([failed, pending, review, rejected, ever, sites, forms]) => {
      const all = [failed, pending, review, rejected, ever, sites, forms];
      const [visits = 0, leads = 0] = ever.data?.totals.metrics ?? [];
      const today = (answer: typeof sites.data) =>
        answer === undefined ? '' : todayIn(answer.meta.timezone, Date.parse(answer.meta.as_of));
      return {
        needs: {
          failed: failed.data?.total ?? 0,
          late: listed(pending.data?.flow_sends, pending.data?.total, isLate),
          hasTrackingStopped: (visits ?? 0) > 0 && sites.data !== undefined && !hasAny(sites.data.rows),
          quietSites: goneQuiet(sites.data?.rows ?? [], { ...SITES, today: today(sites.data) }),
          quietForms: goneQuiet(forms.data?.rows ?? [], { ...FORMS, today: today(forms.data) }),
          toReview: review.data?.total ?? 0,
          isNew:
            ever.data !== undefined &&
            visits === 0 &&
            leads === 0 &&
            !hasAny(sites.data?.rows) &&
            !hasAny(forms.data?.rows),
          rejected: listed(rejected.data?.blocked_ip_leads, rejected.data?.total, looksReal),
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

function listed<T>(rows: readonly T[] = [], total = rows.length, isMeant: (row: T) => boolean): Listed {
  return { count: rows.filter(isMeant).length, isAtLeast: total > rows.length };
}

function hasAny(rows: QuestionAnswer['rows'] = []): boolean {
  return rows.some(({ metrics: [count] }) => (count ?? 0) > 0);
}

function lateSince(): string {
  return new Date(Date.now() - LATE_MS).toISOString();
}

/** Days in the workspace's time zone, as in the list. */
function rejectedDays(timeZone = 'UTC'): { from?: string } {
  const days = daysOf(REJECTED_WHEN, todayIn(timeZone));
  return days === undefined ? {} : { from: momentsOf(days, timeZone).from };
}

function isLate({ attempts, created_at }: { attempts: number; created_at: string }): boolean {
  return attempts > 0 && timeOf(created_at).getTime() < Date.now() - LATE_MS;
}
