import { DaysChart } from '../../charts/days-chart.tsx';
import type { DaySeries } from '../../charts/days-panel.tsx';
import { isNotSetUp, useReport } from '../../shared/campaign-reports.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { SUBMISSION_DAYS, useSessionsDaily } from './queries.ts';
import { sessionCourse } from './trend.ts';

/** One panel or two take the same height. */
const ONE_PANEL_HEIGHT = 332;
const PANEL_HEIGHT = 134;

export function PerDay({ count }: { count: number }) {
  const sessions = useSessionsDaily();
  const submissions = useReport('daily', { days: SUBMISSION_DAYS });
  const title = submissions.data === undefined ? 'Sessions per day' : 'Sessions and submissions per day';
  return (
    <Card title={title} hint={hintFor(submissions.failureReason)}>
      {sessions.data !== undefined && (!submissions.isPending || submissions.failureCount > 0) ? (
        <Chart title={title} count={count} sessions={sessions.data} submissions={submissions.data} />
      ) : sessions.isError ? (
        <ErrorState error={sessions.error} onRetry={() => sessions.refetch()} />
      ) : (
        <div role="status" aria-label="Loading">
          <Skeleton className="h-92" />
        </div>
      )}
    </Card>
  );
}

function hintFor(failure: Error | null): string {
  if (failure === null) return 'Days start at midnight UTC.';
  if (isNotSetUp(failure)) return 'Submissions per day appear here once campaign figures are set up.';
  return `Submissions could not be loaded: ${failure.message}`;
}

function Chart({
  title,
  count,
  sessions,
  submissions,
}: {
  title: string;
  count: number;
  sessions: Parameters<typeof sessionCourse>[0];
  submissions: readonly { day: string; submissions: number }[] | undefined;
}) {
  const { days, rows } = sessionCourse(sessions, count);
  const series: DaySeries[] = [{ name: 'Sessions', tone: 1, values: rows.map((row) => row.total_sessions) }];
  if (submissions !== undefined) {
    const perDay = new Map(submissions.map((row) => [row.day, row.submissions]));
    series.push({ name: 'Submissions', tone: 2, values: days.map((day) => perDay.get(day) ?? 0) });
  }
  const isSplit = series.length > 1;
  return (
    <DaysChart
      label={title}
      days={days}
      series={series}
      isSplit={isSplit}
      panelHeight={isSplit ? PANEL_HEIGHT : ONE_PANEL_HEIGHT}
    />
  );
}
