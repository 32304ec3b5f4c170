import type { UseQueryResult } from '@tanstack/react-query';
import { Figure } from '../../charts/figure.tsx';
import { Loaded } from '../../charts/loaded.tsx';
import { formatDecimal, formatDuration, formatNumber } from '../../format.ts';
import { Skeleton } from '../../ui/states.tsx';

type Figures = {
  total_submissions: number;
  avg_suspicion_score: number;
  avg_engagement_score: number;
  avg_time_to_submit_s: number;
};

const GRID = 'grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4';
const NONE = '–';

export function CampaignFigures({ figures }: { figures: UseQueryResult<Figures> }) {
  return (
    <Loaded
      query={figures}
      outline={
        <div className={GRID}>
          {['submissions', 'engagement', 'risk', 'time'].map((each) => (
            <Skeleton key={each} className="h-25 rounded-xl" />
          ))}
        </div>
      }
    >
      {({ total_submissions, avg_engagement_score, avg_suspicion_score, avg_time_to_submit_s }) => {
        const average = (text: string) => (total_submissions === 0 ? NONE : text);
        return (
          <dl className={GRID}>
            <Figure name="Submissions" value={formatNumber(total_submissions)} note="In this period" />
            <Figure
              name="Average engagement"
              value={average(formatDecimal(avg_engagement_score))}
              note="Of 100 points"
            />
            <Figure
              name="Average risk"
              value={average(formatDecimal(avg_suspicion_score))}
              note="Of 100 points; lower is better"
            />
            <Figure
              name="Time to submit"
              value={avg_time_to_submit_s === 0 ? NONE : formatDuration(avg_time_to_submit_s * 1000)}
              note="On average, from opening the form"
            />
          </dl>
        );
      }}
    </Loaded>
  );
}
