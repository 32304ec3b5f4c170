import { FrameBar } from '../../frame/frame-bar.tsx';
import { PrintButton, PrintTitle } from '../../frame/print.tsx';
import { useFrame } from '../../frame/use-frame.ts';
import { Page } from '../../ui/page.tsx';
import { Attention } from './attention.tsx';
import { Breakdowns } from './breakdowns.tsx';
import { Course } from './course.tsx';
import { Figures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LiveLink } from './live-link.tsx';
import { Places } from './places.tsx';
import { RecentSubmissions } from './recent-submissions.tsx';
import { RefreshButton } from './refresh-button.tsx';

export function OverviewPage() {
  const [frame, changeFrame] = useFrame();
  const shared = { frame, onChange: changeFrame };
  return (
    <Page
      title="Overview"
      actions={
        <>
          <LiveLink frame={frame} />
          <RefreshButton />
          <PrintButton />
        </>
      }
    >
      <PrintTitle frame={frame} />
      <FrameBar {...shared} parts={['sites', 'comparison', 'filters']} />
      <FirstSteps />
      <Figures frame={frame} />
      <div className="grid gap-4 sm:gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] print:grid-cols-1">
        <Attention className="xl:order-2 print:hidden" />
        <Course frame={frame} />
      </div>
      <Breakdowns {...shared}>
        <RecentSubmissions />
      </Breakdowns>
      <Places {...shared} />
    </Page>
  );
}
