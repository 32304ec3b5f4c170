import {
  LEAD_METRICS,
  type LeadMetric,
  type MetricName,
  VISIT_METRICS,
  type VisitMetric,
} from '@leadtrail/contract/question-fields';
import { Link } from '@tanstack/react-router';
import { isShared } from '../api/shared-link.ts';
import { formatNumber } from '../format.ts';
import { type Frame, type FrameFilter, frameChange, withFilter } from './frame.ts';

/** A number of leads or visits as a link to exactly those; a shared link shows the number alone. */
export function FigureLink({
  frame,
  metric,
  count,
  more = [],
  goal,
}: {
  frame: Frame;
  metric: LeadMetric | VisitMetric;
  count: number;
  /** Filters besides those of the frame. */
  more?: readonly FrameFilter[];
  /** With the metric that counts the visits that reached it. */
  goal?: string | undefined;
}) {
  if (count === 0 || isShared) return formatNumber(count);
  const filters = more.reduce<FrameFilter[]>(withFilter, [...frame.filters]);
  return (
    <Link
      to={isLeadMetric(metric) ? '/leads' : '/visits'}
      search={{ figure: metric, goal, ...frameChange({ ...frame, filters }) } as never}
      className="rounded underline decoration-line-strong underline-offset-4 hover:decoration-current print:no-underline"
    >
      {formatNumber(count)}
    </Link>
  );
}

export function isLeadMetric(name: MetricName): name is LeadMetric {
  return LEAD_METRICS.some((each) => each === name);
}

export function isVisitMetric(name: MetricName): name is VisitMetric {
  return VISIT_METRICS.some((each) => each === name);
}
