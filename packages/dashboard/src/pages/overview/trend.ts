import { daysUntil, latestDay } from '../../charts/days.ts';

/** A period compared with the one before it. */

export type SessionDay = {
  date: string;
  total_sessions: number;
  unique_visitors: number;
  avg_duration: number;
  avg_engagement: number;
};

export type Course<R> = { days: string[]; rows: R[]; before: R[] };

/** Fills the gaps: the service leaves out days without sessions. */
export function courseOf<R>(
  rows: readonly R[],
  { count, dayOf, empty, last }: { count: number; dayOf: (row: R) => string; empty: R; last: string },
): Course<R> {
  const byDay = new Map(rows.map((row) => [dayOf(row), row]));
  const days = daysUntil(last, 2 * count);
  const all = days.map((day) => byDay.get(day) ?? empty);
  return { days: days.slice(count), rows: all.slice(count), before: all.slice(0, count) };
}

const QUIET: SessionDay = {
  date: '',
  total_sessions: 0,
  unique_visitors: 0,
  avg_duration: 0,
  avg_engagement: 0,
};

export function sessionCourse(rows: readonly SessionDay[], count: number, now?: number): Course<SessionDay> {
  const last = latestDay(
    rows.map(({ date }) => date),
    now,
  );
  return courseOf(rows, { count, dayOf: ({ date }) => date, empty: QUIET, last });
}

export type Totals = { sessions: number; visitorsPerDay: number; engagement: number; durationMs: number };

/** Daily averages are weighted by their sessions. */
export function totalsOf(rows: readonly SessionDay[]): Totals {
  const sum = (value: (row: SessionDay) => number) => rows.reduce((total, row) => total + value(row), 0);
  const sessions = sum((row) => row.total_sessions);
  const average = (value: (row: SessionDay) => number) =>
    sessions === 0 ? 0 : sum((row) => value(row) * row.total_sessions) / sessions;
  return {
    sessions,
    visitorsPerDay: rows.length === 0 ? 0 : sum((row) => row.unique_visitors) / rows.length,
    engagement: average((row) => row.avg_engagement),
    durationMs: average((row) => row.avg_duration),
  };
}

/** Relative change; null where there is nothing to compare with. */
export function changeOf(now: number, before: number): number | null {
  return before === 0 ? null : (now - before) / before;
}
