import { FrameBar } from '../../frame/frame-bar.tsx';
import { PrintButton, PrintTitle } from '../../frame/print.tsx';
import { useFrame } from '../../frame/use-frame.ts';
import { Page } from '../../ui/page.tsx';
import { Breakdowns } from './breakdowns.tsx';
import { Course } from './course.tsx';
import { Figures } from './figures.tsx';
import { Places } from './places.tsx';

/** The overview of a shared link: no individual leads, no figures of all sites, no tasks. */
export function SharedOverviewPage() {
  const [frame, changeFrame] = useFrame();
  const shared = { frame, onChange: changeFrame };
  return (
    <Page title="Overview" actions={<PrintButton />}>
      <PrintTitle frame={frame} />
      <FrameBar {...shared} parts={['sites', 'comparison', 'filters']} />
      <Figures frame={frame} />
      <Course frame={frame} />
      <Breakdowns {...shared} />
      <Places {...shared} />
    </Page>
  );
}
