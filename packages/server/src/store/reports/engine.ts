import { ENGAGEMENT_LABELS } from '../../domain/tracking/engagement.ts';
import { DAY_MS, SECOND_MS, utcDay } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { read } from '../operation.ts';
import { average } from './statistics.ts';

/** The `lead_submissions` dataset, read from the totals that each submission adds to. */

/** Projects and sources are whatever forms send, so there may be any number of them. */
const PROJECTS_MAX = 1000;
const SOURCES_MAX = 1000;

/** A text that is empty leaves nothing out. */
export type DatasetFilter = {
  days: number;
  project: string;
  source: string;
  engagementLabel: string;
  now: number;
};

export const submissionsDaily = read({ shows: ['leads'] }, async (db, filter: DatasetFilter) => {
  return totals(db, filter)
    .select(({ fn }) => ['day', fn.sum<number>('submissions').as('submissions')])
    .groupBy('day')
    .orderBy('day')
    .execute();
});

export const submissionsByProject = read({ shows: ['leads'] }, async (db, filter: DatasetFilter) => {
  return totals(db, filter)
    .select(({ fn }) => ['project_name', fn.sum<number>('submissions').as('submissions')])
    .groupBy('project_name')
    .orderBy('submissions', 'desc')
    .orderBy('project_name')
    .limit(PROJECTS_MAX)
    .execute();
});

export const submissionsBySource = read({ shows: ['leads'] }, async (db, filter: DatasetFilter) => {
  return totals(db, filter)
    .select(({ fn }) => ['source', fn.sum<number>('submissions').as('submissions')])
    .groupBy('source')
    .orderBy('submissions', 'desc')
    .orderBy('source')
    .limit(SOURCES_MAX)
    .execute();
});

/** Coldest first. */
export const submissionsByEngagement = read({ shows: ['leads'] }, async (db, filter: DatasetFilter) => {
  const rows = await totals(db, filter)
    .select(({ fn }) => [
      'engagement_label',
      fn.sum<number>('submissions').as('submissions'),
      fn.sum<number>('engagement').as('engagement'),
    ])
    .groupBy('engagement_label')
    .execute();
  return ENGAGEMENT_LABELS.flatMap((label) => rows.filter((row) => row.engagement_label === label)).map(
    ({ engagement_label, submissions, engagement }) => ({
      engagement_label,
      submissions,
      avg_engagement_score: average(engagement, submissions),
    }),
  );
});

export const submissionsOverview = read({ shows: ['leads'] }, async (db, filter: DatasetFilter) => {
  const { submissions, suspicion, engagement, time_to_submit_ms, timed } = await totals(db, filter)
    .select(({ fn, lit }) => FIGURES.map((figure) => fn.coalesce(fn.sum<number>(figure), lit(0)).as(figure)))
    .executeTakeFirstOrThrow();
  return {
    total_submissions: submissions,
    avg_suspicion_score: average(suspicion, submissions),
    avg_engagement_score: average(engagement, submissions),
    avg_time_to_submit_s: average(time_to_submit_ms / SECOND_MS, timed),
  };
});

const FIGURES = ['submissions', 'suspicion', 'engagement', 'time_to_submit_ms', 'timed'] as const;

function totals({ query }: Db, { days, project, source, engagementLabel, now }: DatasetFilter) {
  return query
    .selectFrom('submission_totals')
    .where('day', '>', utcDay(now - days * DAY_MS))
    .where('submissions', '>', 0)
    .$if(project !== '', (select) => select.where('project_name', '=', project))
    .$if(source !== '', (select) => select.where('source', '=', source))
    .$if(engagementLabel !== '', (select) => select.where('engagement_label', '=', engagementLabel));
}
