import type { ReactNode } from 'react';
import type { Frame } from '../../frame/frame.ts';
import type { ChangeFrame } from '../../frame/use-frame.ts';
import { classes } from '../../ui/classes.ts';
import { Breakdown } from './breakdown.tsx';

const IN_COLUMNS =
  'min-w-0 gap-4 sm:gap-5 xl:columns-2 print:columns-2! [&>*]:mb-4 [&>*]:break-inside-avoid sm:[&>*]:mb-5 max-xl:[&>*:last-child]:mb-0';
const IN_ROWS =
  'wide:grid wide:grid-cols-3 wide:[&>*]:mb-0 wide:[&>*:nth-child(4):last-child]:col-span-3 wide:[&>*:nth-child(5)]:col-span-2';

/**
 * Visits and leads by all dimensions, in two columns of cards, or three on a wide screen; the last card takes up the rest of
 * its row.
 */
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
    <div className={classes(IN_COLUMNS, IN_ROWS)}>
      <Breakdown
        {...shared}
        title="Where visits come from"
        dimensions={['channel', 'source', 'medium', 'campaign', 'term', 'content']}
      />
      <Breakdown {...shared} title="Pages" dimensions={['entry_page', 'page', 'exit_page', 'event']} />
      <Breakdown {...shared} title="Sites and forms" dimensions={['site', 'project', 'form']} />
      <Breakdown {...shared} title="Devices" dimensions={['device', 'browser', 'os']} />
      {children}
    </div>
  );
}
