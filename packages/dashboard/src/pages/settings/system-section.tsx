import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { Distribution } from '../../charts/distribution.tsx';
import { ENGAGEMENT_STEPS } from '../../charts/engagement.ts';
import { Loaded } from '../../charts/loaded.tsx';
import { formatDecimal, formatDuration, formatNumber, formatShare } from '../../format.ts';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Skeleton } from '../../ui/states.tsx';

/** Figures of the installation, over all time and all sites. */
export function SystemSection() {
  const figures = useQuery({
    queryKey: queryKeys.figures,
    queryFn: ({ signal }) => call('overview', { signal }),
  });
  const storage = useQuery({
    queryKey: queryKeys.storage,
    queryFn: ({ signal }) => call('storage', { signal }),
  });
  const engagement = useQuery({
    queryKey: queryKeys.engagement,
    queryFn: ({ signal }) => call('engagement', { signal }),
  });
  return (
    <div className="grid gap-4">
      <Card title="Tracked so far" hint="All sites, all time">
        <Loaded query={figures} outline={<Skeleton className="h-48" />}>
          {(all) => (
            <Facts
              facts={[
                { name: 'Visits', value: formatNumber(all.total_sessions) },
                { name: 'Visitors', value: formatNumber(all.unique_visitors) },
                { name: 'Devices', value: formatNumber(all.unique_fingerprints) },
                { name: 'Events', value: formatNumber(all.total_events) },
                { name: 'Average engagement', value: formatDecimal(all.avg_engagement_score) },
                { name: 'Average duration', value: formatDuration(all.avg_session_duration_s * 1000) },
                {
                  name: 'VPN suspected',
                  value: `${formatNumber(all.vpn_suspected_count)} visits (${formatShare(all.vpn_suspected_count / all.total_sessions)})`,
                },
              ]}
            />
          )}
        </Loaded>
      </Card>
      <Card title="Storage">
        <Loaded query={storage} outline={<Skeleton className="h-14" />}>
          {({ total_objects, estimated_sessions }) => (
            <Facts
              facts={[
                { name: 'Files in storage', value: formatNumber(total_objects) },
                { name: 'Visits in storage (estimated)', value: formatNumber(estimated_sessions) },
              ]}
            />
          )}
        </Loaded>
      </Card>
      <Card title="Engagement" hint="Ended visits by engagement score">
        <Loaded query={engagement} outline={<Skeleton className="h-56" />}>
          {(rows) => {
            const counts = new Map<string, number>(rows.map(({ bucket, count }) => [bucket, count]));
            return (
              <Distribution
                label="Visits by engagement"
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
    </div>
  );
}
