import {
  type Attribution,
  LEAD_METRICS,
  type LeadMetric,
  type MetricName,
  VISIT_METRICS,
  type VisitMetric,
} from '@leadtrail/contract/question-fields';
import { isShared } from '../api/shared-link.ts';
import { type Frame, type FrameFilter, frameChange, withFilter } from './frame.ts';

/** A number of leads or visits. */
export type CountedFigure = {
  frame: Frame;
  metric: LeadMetric | VisitMetric;
  count: number;
  /** Filters besides those of the frame. */
  more?: readonly FrameFilter[];
  /** With the metric that counts the visits that reached it. */
  goal?: string | undefined;
  /** Which touch leads are counted by. */
  attribution?: Attribution | undefined;
  /** It is of the period that the frame is compared with. */
  isCompared?: boolean;
};

/** For a link or a navigation of the router. */
export type FigureAddress = { to: '/leads' | '/visits'; search: never };

/** The page with exactly the leads or visits that a number counts. None is not listed, and a shared link lists nothing. */
export function figureAddress({
  frame,
  metric,
  count,
  more = [],
  goal,
  attribution,
  isCompared = false,
}: CountedFigure): FigureAddress | undefined {
  if (count === 0 || isShared) return undefined;
  const filters = more.reduce<FrameFilter[]>(withFilter, [...frame.filters]);
  const search = {
    figure: metric,
    goal,
    attribution,
    compared: isCompared || undefined,
    ...frameChange({ ...frame, filters }),
  };
  return { to: isLeadMetric(metric) ? '/leads' : '/visits', search: search as never };
}

export function isLeadMetric(name: MetricName): name is LeadMetric {
  return LEAD_METRICS.some((each) => each === name);
}

export function isVisitMetric(name: MetricName): name is VisitMetric {
  return VISIT_METRICS.some((each) => each === name);
}
