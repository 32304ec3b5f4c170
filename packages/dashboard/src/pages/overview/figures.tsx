import { latestDay } from '../../charts/days.ts';
import { Change, Figure } from '../../charts/figure.tsx';
import { Sparkline } from '../../charts/sparkline.tsx';
import type { Tone } from '../../charts/tones.ts';
import { formatDecimal, formatDuration, formatNumber, formatShare } from '../../format.ts';
import { isNotSetUp, useReport } from '../../shared/campaign-reports.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { SUBMISSION_DAYS, useFigures, useSessionsDaily } from './queries.ts';
import { changeOf, courseOf, sessionCourse, type Totals, totalsOf } from './trend.ts';

const GRID =
  'grid grid-cols-2 gap-3 sm:gap-4 md:grid-cols-3 xl:auto-cols-fr xl:grid-flow-col xl:grid-cols-none';
const FIGURES = 6;

export function Figures({ count }: { count: number }) {
  const figures = useFigures();
  const daily = useSessionsDaily();
  const submissions = useReport('daily', { days: SUBMISSION_DAYS });
  const failed = [figures, daily].find(({ isError, data }) => isError && data === undefined);
  if (failed !== undefined) return <ErrorState error={failed.error} onRetry={() => failed.refetch()} />;
  const isWaiting = submissions.isPending && submissions.failureCount === 0;
  if (figures.data === undefined || daily.data === undefined || isWaiting) return <Outline />;

  const all = figures.data;
  const { rows, before } = sessionCourse(daily.data, count);
  const now = totalsOf(rows);
  const then = totalsOf(before);
  const since = `compared with the ${count} days before`;
  const change = (key: keyof Totals) => <Change by={changeOf(now[key], then[key])} since={since} />;
  return (
    <dl className={GRID}>
      <Figure
        name="Sessions"
        value={formatNumber(now.sessions)}
        change={change('sessions')}
        note={`All time: ${formatNumber(all.total_sessions)}`}
      >
        <Course name="Sessions" values={rows.map((row) => row.total_sessions)} />
      </Figure>
      {submissions.data !== undefined ? (
        <Submissions daily={submissions.data} count={count} since={since} />
      ) : (
        !isNotSetUp(submissions.failureReason) && (
          <Figure name="Submissions" value="–" note={submissions.failureReason?.message} />
        )
      )}
      <Figure
        name="Visitors per day"
        value={formatDecimal(now.visitorsPerDay)}
        change={change('visitorsPerDay')}
        note={`All time: ${formatNumber(all.unique_visitors)}`}
      >
        <Course name="Visitors" values={rows.map((row) => row.unique_visitors)} />
      </Figure>
      <Figure
        name="Average engagement"
        value={formatDecimal(now.engagement)}
        change={change('engagement')}
        note={`All time: ${formatDecimal(all.avg_engagement_score)}`}
      >
        <Course name="Engagement" values={rows.map((row) => row.avg_engagement)} tone={3} />
      </Figure>
      <Figure
        name="Average duration"
        value={formatDuration(now.durationMs)}
        change={change('durationMs')}
        note={`All time: ${formatDuration(all.avg_session_duration_s * 1000)}`}
      >
        <Course name="Duration" values={rows.map((row) => row.avg_duration)} tone={3} />
      </Figure>
      <Figure
        name="VPN suspected"
        value={formatShare(all.vpn_suspected_count / all.total_sessions)}
        note={`${formatNumber(all.vpn_suspected_count)} of ${formatNumber(all.total_sessions)} sessions, all time`}
      >
        <Part of={all.total_sessions} part={all.vpn_suspected_count} />
      </Figure>
    </dl>
  );
}

function Submissions({
  daily,
  count,
  since,
}: {
  daily: readonly { day: string; submissions: number }[];
  count: number;
  since: string;
}) {
  const last = latestDay(daily.map(({ day }) => day));
  const empty = { day: '', submissions: 0 };
  const { rows, before } = courseOf(daily, { count, dayOf: ({ day }) => day, empty, last });
  const total = (counted: typeof rows) => counted.reduce((sum, { submissions }) => sum + submissions, 0);
  return (
    <Figure
      name="Submissions"
      value={formatNumber(total(rows))}
      change={<Change by={changeOf(total(rows), total(before))} since={since} />}
      note={`${formatDecimal(total(rows) / count)} per day`}
    >
      <Course name="Submissions" values={rows.map(({ submissions }) => submissions)} tone={2} />
    </Figure>
  );
}

function Course({ name, values, tone = 1 }: { name: string; values: readonly number[]; tone?: Tone }) {
  const most = formatDecimal(Math.max(0, ...values));
  return <Sparkline label={`${name} day by day, at most ${most}`} values={values} tone={tone} />;
}

function Part({ part, of }: { part: number; of: number }) {
  return (
    <span aria-hidden="true" className="mb-2.5 block h-2 overflow-hidden rounded-full bg-sunken">
      <span
        className="block h-full rounded-full bg-series-4"
        style={{ width: `${of === 0 ? 0 : (part / of) * 100}%` }}
      />
    </span>
  );
}

function Outline() {
  return (
    <div role="status" aria-label="Loading" className={GRID}>
      {Array.from({ length: FIGURES }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: They are all the same.
        <Skeleton key={index} className="h-37 rounded-xl" />
      ))}
    </div>
  );
}
