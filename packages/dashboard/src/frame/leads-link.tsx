import type { LeadMetric } from '@leadtrail/contract/question-fields';
import { Link } from '@tanstack/react-router';
import { isShared } from '../api/shared-link.ts';
import { formatNumber } from '../format.ts';
import { type Frame, type FrameFilter, frameChange, withFilter } from './frame.ts';

/** A number of leads as a link to exactly those; a shared link shows the number alone. */
export function LeadsLink({
  frame,
  metric,
  count,
  more = [],
}: {
  frame: Frame;
  metric: LeadMetric;
  count: number;
  /** Filters besides those of the frame. */
  more?: readonly FrameFilter[];
}) {
  if (count === 0 || isShared) return formatNumber(count);
  const filters = more.reduce<FrameFilter[]>(withFilter, [...frame.filters]);
  return (
    <Link
      to="/leads"
      search={{ figure: metric, ...frameChange({ ...frame, filters }) } as never}
      className="rounded underline decoration-line-strong underline-offset-4 hover:decoration-current print:no-underline"
    >
      {formatNumber(count)}
    </Link>
  );
}
