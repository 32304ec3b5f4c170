/** How segmented controls look, whether they are toggles, tabs or links. */

export const SEGMENT_ROW =
  'relative flex max-w-full gap-0.5 overflow-x-auto rounded-lg bg-sunken p-1 [scrollbar-width:none] sm:gap-1';

export const SEGMENT =
  'flex h-9 shrink-0 items-center gap-1.5 rounded-md px-2.5 text-[0.8125rem] font-medium whitespace-nowrap text-ink-soft hover:text-ink chosen:bg-chosen chosen:text-ink chosen:shadow-sm sm:h-7 sm:px-3 [&_svg]:size-4';
