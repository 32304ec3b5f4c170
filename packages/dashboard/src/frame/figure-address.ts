import {
  type Attribution,
  LEAD_METRICS,
  type LeadMetric,
  type MetricName,
  SUBMISSION_METRICS,
  type SubmissionMetric,
  VISIT_METRICS,
  type VisitMetric,
} from '@leadtrail/contract/question-fields';
import { isShared } from '../api/shared-link.ts';
import { type Frame, type FrameFilter, frameChange, withFilter } from './frame.ts';

/** A number of leads, visits or submissions. */
export type CountedFigure = {
  frame: Frame;
  metric: LeadMetric | VisitMetric | SubmissionMetric;
  count: number;
  /** Filters besides those of the frame. */
  more?: readonly FrameFilter[];
  /** With the metric that counts the visits that reached it. */
  goal?: string | undefined;
  /** Which touch leads and submissions are counted by. */
  attribution?: Attribution | undefined;
  /** It counts the compared period. */
  isCompared?: boolean;
};

/** For a link or a navigation of the router. */
export type FigureAddress = { to: '/leads' | '/visits' | '/submissions'; search: never };

/** The page that lists exactly what a figure counts; undefined for 0 and on shared links, which have no lists. */
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
  return { to: pageOf(metric), search: search as never };
}

function pageOf(metric: CountedFigure['metric']): FigureAddress['to'] {
  if (isLeadMetric(metric)) return '/leads';
  return isVisitMetric(metric) ? '/visits' : '/submissions';
}

/** Whether there is a list of what the metric counts. */
export function isListed(name: MetricName): name is CountedFigure['metric'] {
  return isLeadMetric(name) || isVisitMetric(name) || SUBMISSION_METRICS.some((each) => each === name);
}

function isLeadMetric(name: MetricName): name is LeadMetric {
  return LEAD_METRICS.some((each) => each === name);
}

export function isVisitMetric(name: MetricName): name is VisitMetric {
  return VISIT_METRICS.some((each) => each === name);
}
