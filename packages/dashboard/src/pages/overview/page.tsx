import { FrameBar } from '../../frame/frame-bar.tsx';
import { useFrame } from '../../frame/use-frame.ts';
import { Page } from '../../ui/page.tsx';
import { Attention } from './attention.tsx';
import { Breakdown } from './breakdown.tsx';
import { Course } from './course.tsx';
import { Figures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Places } from './places.tsx';
import { Realtime } from './realtime.tsx';
import { RecentSubmissions } from './recent-submissions.tsx';
import { RefreshButton } from './refresh-button.tsx';

export function OverviewPage() {
  const [frame, changeFrame] = useFrame();
  const shared = { frame, onChange: changeFrame };
  return (
    <Page title="Overview" actions={<RefreshButton />}>
      <FrameBar {...shared} parts={['sites', 'comparison', 'filters']} />
      <FirstSteps />
      <Figures frame={frame} />
      <div className="grid items-start gap-4 sm:gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Attention className="xl:order-2" />
        <Course frame={frame} />
      </div>
      <Realtime />
      <div className="min-w-0 gap-4 sm:gap-5 xl:columns-2 min-[1800px]:columns-3 [&>*]:mb-4 [&>*]:break-inside-avoid sm:[&>*]:mb-5">
        <Breakdown
          {...shared}
          title="Where visits come from"
          dimensions={['channel', 'source', 'medium', 'campaign', 'term', 'content']}
        />
        <Breakdown {...shared} title="Pages" dimensions={['entry_page', 'exit_page']} />
        <Breakdown {...shared} title="Devices" dimensions={['device', 'browser', 'os']} />
        <Breakdown {...shared} title="Sites and forms" dimensions={['site', 'project', 'form']} />
        <RecentSubmissions />
      </div>
      <Places {...shared} />
    </Page>
  );
}
