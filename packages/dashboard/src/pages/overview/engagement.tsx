import { Distribution } from '../../charts/distribution.tsx';
import { ENGAGEMENT_STEPS } from '../../charts/engagement.ts';
import { Loaded } from '../../charts/loaded.tsx';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { useEngagement } from './queries.ts';

export function Engagement() {
  const engagement = useEngagement();
  return (
    <Card
      title="Engagement"
      hint="Ended sessions by engagement score"
      className="lg:col-span-2 xl:col-span-1"
    >
      <Loaded query={engagement} outline={<Skeleton className="h-56" />}>
        {(rows) => {
          const counts = new Map<string, number>(rows.map(({ bucket, count }) => [bucket, count]));
          return (
            <Distribution
              label="Sessions by engagement"
              buckets={ENGAGEMENT_STEPS.map(({ label, bucket, points }) => ({
                key: bucket,
                name: label,
                hint: points,
                count: counts.get(bucket) ?? 0,
              }))}
            />
          );
        }}
      </Loaded>
    </Card>
  );
}
