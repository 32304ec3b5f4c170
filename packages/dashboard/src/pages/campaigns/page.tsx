import { Megaphone } from 'lucide-react';
import { type CampaignQuery, isNotSetUp, useReport } from '../../shared/campaign-reports.ts';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { CampaignFigures } from './campaign-figures.tsx';
import { Filters } from './filters.tsx';
import { ByEngagement, ByProject, BySource, SubmissionsPerDay } from './reports.tsx';
import { type CampaignsSearch, PERIOD_DEFAULT, PERIODS, readCampaignsSearch } from './search.ts';

export function CampaignsPage() {
  const [search, changeSearch] = useSearchParams<CampaignsSearch>();
  const { days = PERIOD_DEFAULT, project, source, engagement } = search;
  const asked: CampaignQuery = { days, project, source, engagement_label: engagement };
  const figures = useReport('figures', asked);

  if (isNotSetUp(figures.error)) return <NotSetUp />;
  return (
    <Page
      title="Campaigns"
      hint="Form submissions by project, source and engagement"
      actions={
        <Segments
          label="Period"
          value={String(days)}
          choices={PERIODS.map((period) => ({
            value: String(period),
            label: period === 365 ? '1 year' : `${period} days`,
          }))}
          onChange={(chosen) => changeSearch(readCampaignsSearch({ days: chosen }))}
        />
      }
    >
      <Filters search={search} days={days} onChoose={changeSearch} />
      <CampaignFigures figures={figures} />
      <SubmissionsPerDay asked={asked} />
      <div className="grid gap-4 sm:gap-5 lg:grid-cols-2 xl:grid-cols-3">
        <ByProject asked={asked} onChoose={(chosen) => changeSearch({ project: chosen })} />
        <BySource asked={asked} onChoose={(chosen) => changeSearch({ source: chosen })} />
        <ByEngagement asked={asked} onChoose={(chosen) => changeSearch({ engagement: chosen })} />
      </div>
    </Page>
  );
}

function NotSetUp() {
  return (
    <Page title="Campaigns">
      <Card>
        <EmptyState icon={<Megaphone aria-hidden="true" />} title="Campaign figures are not set up yet">
          <p>
            Set <Name>EDGE_ACCOUNT_ID</Name> and <Name>ANALYTICS_ENGINE_API_TOKEN</Name> in the service’s
            environment and restart it. Earlier submissions are counted, too.
          </p>
        </EmptyState>
      </Card>
    </Page>
  );
}

function Name({ children }: { children: string }) {
  return <code className="rounded bg-sunken px-1 py-0.5 font-mono text-xs text-ink">{children}</code>;
}
