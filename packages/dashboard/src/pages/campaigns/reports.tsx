import type { UseQueryResult } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { type Bar, Bars } from '../../charts/bars.tsx';
import { daysUntil, latestDay } from '../../charts/days.ts';
import { DaysChart } from '../../charts/days-chart.tsx';
import { Distribution } from '../../charts/distribution.tsx';
import { ENGAGEMENT_STEPS, type EngagementLabel } from '../../charts/engagement.ts';
import { Loaded } from '../../charts/loaded.tsx';
import type { Tone } from '../../charts/tones.ts';
import { formatDecimal } from '../../format.ts';
import { type CampaignQuery, useReport } from '../../shared/campaign-reports.ts';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState, Skeleton } from '../../ui/states.tsx';

type Choosing<V> = { asked: CampaignQuery; onChoose: (chosen: V | undefined) => void };

export function SubmissionsPerDay({ asked }: { asked: CampaignQuery }) {
  const daily = useReport('daily', asked);
  return (
    <Card title="Submissions per day" hint="Days start at midnight UTC.">
      <Loaded query={daily} outline={<Skeleton className="h-60" />}>
        {(rows) => {
          const perDay = new Map(rows.map(({ day, submissions }) => [day, submissions]));
          const days = daysUntil(latestDay([...perDay.keys()]), asked.days);
          const values = days.map((day) => perDay.get(day) ?? 0);
          return (
            <Fading isStale={daily.isPlaceholderData}>
              <DaysChart
                label="Submissions per day"
                days={days}
                panelHeight={200}
                series={[{ name: 'Submissions', tone: 2, values }]}
              />
            </Fading>
          );
        }}
      </Loaded>
    </Card>
  );
}

export function ByProject({ asked, onChoose }: Choosing<string>) {
  const projects = useReport('byProject', asked);
  return (
    <Named
      title="Projects"
      label="Submissions by project"
      query={projects}
      nameOf={(row) => row.project_name}
      chosen={asked.project}
      onChoose={onChoose}
    />
  );
}

export function BySource({ asked, onChoose }: Choosing<string>) {
  const sources = useReport('bySource', asked);
  return (
    <Named
      title="Sources"
      label="Submissions by source"
      query={sources}
      nameOf={(row) => row.source}
      chosen={asked.source}
      onChoose={onChoose}
      tone={3}
    />
  );
}

/** A ranking; selecting a row filters the page by it, selecting it again clears the filter. */
function Named<R extends { submissions: number }>({
  title,
  label,
  query,
  nameOf,
  chosen,
  onChoose,
  tone = 1,
}: {
  title: string;
  label: string;
  query: UseQueryResult<R[]>;
  nameOf: (row: R) => string;
  chosen: string | undefined;
  onChoose: (name: string | undefined) => void;
  tone?: Tone;
}) {
  const barOf = (row: R): Bar => {
    const name = nameOf(row);
    if (name === '') return { key: name, label: 'Not given', value: row.submissions };
    const isSelected = name === chosen;
    const onSelect = () => onChoose(isSelected ? undefined : name);
    return { key: name, label: name, title: name, value: row.submissions, isSelected, onSelect };
  };
  return (
    <Card title={title}>
      <Loaded query={query} outline={<Skeleton className="h-56" />}>
        {(rows) =>
          rows.length === 0 ? (
            <Nothing />
          ) : (
            <Fading isStale={query.isPlaceholderData}>
              <Bars label={label} tone={tone} hasShares bars={rows.map(barOf)} />
            </Fading>
          )
        }
      </Loaded>
    </Card>
  );
}

export function ByEngagement({ asked, onChoose }: Choosing<EngagementLabel>) {
  const engagement = useReport('byEngagement', asked);
  return (
    <Card title="Engagement" hint="With average scores" className="lg:col-span-2 xl:col-span-1">
      <Loaded query={engagement} outline={<Skeleton className="h-56" />}>
        {(rows) => {
          const byLabel = new Map(rows.map((row) => [row.engagement_label, row]));
          return (
            <Fading isStale={engagement.isPlaceholderData}>
              <Distribution
                label="Submissions by engagement"
                buckets={ENGAGEMENT_STEPS.map(({ label, points }) => {
                  const row = byLabel.get(label);
                  const isSelected = asked.engagement_label === label;
                  return {
                    key: label,
                    name: label,
                    hint: row === undefined ? points : `avg ${formatDecimal(row.avg_engagement_score)}`,
                    count: row?.submissions ?? 0,
                    isSelected,
                    onSelect: () => onChoose(isSelected ? undefined : label),
                  };
                })}
              />
            </Fading>
          );
        }}
      </Loaded>
    </Card>
  );
}

function Nothing() {
  return (
    <EmptyState icon={<SearchX aria-hidden="true" />} title="No submissions here">
      Choose a longer period, or clear the filters.
    </EmptyState>
  );
}

/** Fades stale data while the next loads. */
function Fading({ isStale, children }: { isStale: boolean; children: React.ReactNode }) {
  return (
    <div aria-busy={isStale || undefined} className={classes('transition-opacity', isStale && 'opacity-60')}>
      {children}
    </div>
  );
}
