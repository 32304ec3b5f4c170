import type { ReactNode } from 'react';
import type { Frame } from '../../frame/frame.ts';
import type { ChangeFrame } from '../../frame/use-frame.ts';
import { Breakdown } from './breakdown.tsx';

/** Visits and leads from every side, in columns. */
export function Breakdowns({
  children,
  ...shared
}: {
  frame: Frame;
  onChange: ChangeFrame;
  /** Another card, at the end. */
  children?: ReactNode;
}) {
  return (
    <div className="min-w-0 gap-4 sm:gap-5 xl:columns-2 min-[112.5rem]:columns-3 print:columns-2! [&>*]:mb-4 [&>*]:break-inside-avoid sm:[&>*]:mb-5 max-xl:[&>*:last-child]:mb-0">
      <Breakdown
        {...shared}
        title="Where visits come from"
        dimensions={['channel', 'source', 'medium', 'campaign', 'term', 'content']}
      />
      <Breakdown {...shared} title="Pages" dimensions={['entry_page', 'page', 'exit_page', 'event']} />
      <Breakdown {...shared} title="Devices" dimensions={['device', 'browser', 'os']} />
      <Breakdown {...shared} title="Sites and forms" dimensions={['site', 'project', 'form']} />
      {children}
    </div>
  );
}
