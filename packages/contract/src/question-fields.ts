/** What questions can be made of. Without schemas, because the threads that answer questions load this. */

export const METRIC_KINDS = ['count', 'percent', 'seconds', 'score', 'money', 'ratio'] as const;
export type MetricKind = (typeof METRIC_KINDS)[number];

export const METRICS = {
  visitors: { label: 'Visitors', kind: 'count' },
  visits: { label: 'Visits', kind: 'count' },
  views: { label: 'Page views', kind: 'count' },
  bounce_rate: { label: 'Bounce rate', kind: 'percent' },
  engaged_seconds: { label: 'Engaged time', kind: 'seconds' },
  engagement: { label: 'Engagement', kind: 'score' },
  form_views: { label: 'Visits with a form seen', kind: 'count' },
  form_starts: { label: 'Visits with a form started', kind: 'count' },
  form_submits: { label: 'Visits with a form sent', kind: 'count' },
  goal_visits: { label: 'Goal reached', kind: 'count' },
  goal_rate: { label: 'Goal rate', kind: 'percent' },
  leads: { label: 'Leads', kind: 'count' },
  submissions: { label: 'Submissions', kind: 'count' },
  conversion_rate: { label: 'Conversion rate', kind: 'percent' },
  qualified: { label: 'Qualified', kind: 'count' },
  won: { label: 'Won', kind: 'count' },
  lost: { label: 'Lost', kind: 'count' },
  fake: { label: 'Fake', kind: 'count' },
  qualified_rate: { label: 'Qualified rate', kind: 'percent' },
  won_rate: { label: 'Won rate', kind: 'percent' },
  response_seconds: { label: 'Response time (median)', kind: 'seconds' },
  cost: { label: 'Cost', kind: 'money' },
  cost_per_visit: { label: 'Cost per visit', kind: 'money' },
  cost_per_goal: { label: 'Cost per goal', kind: 'money' },
  cost_per_lead: { label: 'Cost per lead', kind: 'money' },
  cost_per_won: { label: 'Cost per won lead', kind: 'money' },
  revenue: { label: 'Revenue', kind: 'money' },
  return_on_spend: { label: 'Return on spend', kind: 'ratio' },
} as const satisfies Record<string, { label: string; kind: MetricKind }>;
export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];

/** Metrics that require a `goal`. */
export const GOAL_METRICS = [
  'goal_visits',
  'goal_rate',
  'cost_per_goal',
] as const satisfies readonly MetricName[];

/** Metrics that count leads, which can be listed. */
export const LEAD_METRICS = [
  'leads',
  'qualified',
  'won',
  'lost',
  'fake',
] as const satisfies readonly MetricName[];
export type LeadMetric = (typeof LEAD_METRICS)[number];

/** Likewise for visits. */
export const VISIT_METRICS = [
  'visits',
  'form_views',
  'form_starts',
  'form_submits',
  'goal_visits',
] as const satisfies readonly MetricName[];
export type VisitMetric = (typeof VISIT_METRICS)[number];

export const SUBMISSION_METRICS = ['submissions'] as const satisfies readonly MetricName[];
export type SubmissionMetric = (typeof SUBMISSION_METRICS)[number];

export const DIMENSIONS = {
  date: 'Date',
  hour: 'Hour',
  weekday: 'Weekday',
  site: 'Site',
  form: 'Form',
  project: 'Project',
  form_source: 'Source of the form',
  stage: 'Stage',
  channel: 'Channel',
  source: 'Source',
  medium: 'Medium',
  campaign: 'Campaign',
  term: 'Term',
  content: 'Content',
  referrer: 'Referrer',
  click_id: 'Click id',
  entry_page: 'Entry page',
  exit_page: 'Exit page',
  page: 'Page',
  country: 'Country',
  region: 'Region',
  city: 'City',
  device: 'Device',
  browser: 'Browser',
  os: 'Operating system',
  language: 'Language',
  visitor_type: 'New or returning',
  event: 'Event',
} as const;
export type DimensionName = keyof typeof DIMENSIONS;
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as [DimensionName, ...DimensionName[]];

export const ATTRIBUTIONS = ['last_non_direct', 'last', 'first', 'linear'] as const;
export type Attribution = (typeof ATTRIBUTIONS)[number];

export const PERIOD_NAMES = [
  'today',
  'yesterday',
  'last_7_days',
  'last_30_days',
  'last_90_days',
  'this_month',
  'last_month',
  'this_year',
  'all',
] as const;
export const COMPARISONS = ['previous_period', 'previous_year'] as const;
export const FILTER_OPERATORS = ['is', 'is_not', 'contains', 'contains_not', 'and', 'or', 'not'] as const;
