import { useSearchParams } from '../../shared/use-search-params.ts';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { AllTime } from './all-time.tsx';
import { Countries } from './countries.tsx';
import { Engagement } from './engagement.tsx';
import { Figures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { PerDay } from './per-day.tsx';
import { Realtime } from './realtime.tsx';
import { RecentSubmissions } from './recent-submissions.tsx';
import { RefreshButton } from './refresh-button.tsx';
import { type OverviewSearch, PERIOD_DEFAULT, PERIODS, readOverviewSearch } from './search.ts';
import { Sources } from './sources.tsx';
import { TopPages } from './top-pages.tsx';

export function OverviewPage() {
  const [{ days = PERIOD_DEFAULT }, changeSearch] = useSearchParams<OverviewSearch>();
  return (
    <Page
      title="Overview"
      hint={`Last ${days} days compared with the ${days} days before`}
      actions={
        <>
          <Segments
            label="Period"
            value={String(days)}
            choices={PERIODS.map((period) => ({ value: String(period), label: `${period} days` }))}
            onChange={(chosen) => changeSearch(readOverviewSearch({ days: chosen }))}
          />
          <RefreshButton />
        </>
      }
    >
      <FirstSteps />
      <Realtime />
      <Figures count={days} />
      <div className="grid gap-4 sm:gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <PerDay count={days} />
        <RecentSubmissions />
      </div>
      <Countries />
      <div className="grid gap-4 sm:gap-5 lg:grid-cols-2 xl:grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)_minmax(0,1fr)]">
        <TopPages />
        <Sources />
        <Engagement />
      </div>
      <AllTime />
    </Page>
  );
}
