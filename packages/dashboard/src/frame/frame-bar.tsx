import { DIMENSIONS } from '@leadtrail/contract/question-fields';
import { type ReactNode, useEffect, useState } from 'react';
import { classes } from '../ui/classes.ts';
import { FilterChip } from '../ui/filter-chip.tsx';
import { Select } from '../ui/select.tsx';
import type { Frame } from './frame.ts';
import { PeriodSelect } from './period-select.tsx';
import { hadFewSites, rememberFewSites } from './remember.ts';
import { SiteSelect } from './site-select.tsx';
import type { ChangeFrame } from './use-frame.ts';
import { useWorkspace } from './use-workspace.ts';
import { useValueName } from './value-name.ts';
import type { Comparison } from './when.ts';

/** The parts of the frame that a page uses; the others are hidden, so that they do not seem to apply. */
export type FramePart = 'sites' | 'comparison' | 'filters';

const COMPARISONS: readonly { value: Comparison; label: string }[] = [
  { value: 'previous_period', label: 'vs previous period' },
  { value: 'previous_year', label: 'vs previous year' },
  { value: 'none', label: 'No comparison' },
];

export function FrameBar({
  frame,
  onChange,
  parts,
  children,
}: {
  frame: Frame;
  onChange: ChangeFrame;
  parts: readonly FramePart[];
  /** What the page itself adds. */
  children?: ReactNode;
}) {
  const { timeZone, sites, isLoading } = useWorkspace();
  const hasSites = useHasSites(sites.length, isLoading);
  const has = (part: FramePart) => parts.includes(part);
  return (
    <section aria-label="What is shown" className="grid gap-2 print:hidden">
      <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-center">
        {has('sites') && (hasSites || frame.sites.length > 0) && (
          <SiteSelect sites={sites} chosen={frame.sites} onChange={(chosen) => onChange({ sites: chosen })} />
        )}
        <PeriodSelect when={frame.when} timeZone={timeZone} onChange={(when) => onChange({ when })} />
        {has('comparison') && frame.when !== 'all' && (
          <Select
            label="Comparison"
            className="sm:w-44"
            value={frame.compare}
            choices={COMPARISONS}
            onChange={(compare) => onChange({ compare })}
          />
        )}
        {children}
        <p
          className={classes(
            'self-center text-[0.8125rem] wrap-anywhere text-ink-faint sm:ml-auto',
            timeZone === undefined && 'invisible',
          )}
        >
          Days in {timeZone ?? 'UTC'}
        </p>
      </div>
      {has('filters') && frame.filters.length > 0 && <Filters frame={frame} onChange={onChange} />}
    </section>
  );
}

/** Whether to show the site select. While the sites load, the last known answer avoids a layout shift. */
function useHasSites(count: number, isLoading: boolean): boolean {
  const [hadFew] = useState(hadFewSites);
  useEffect(() => {
    if (!isLoading) rememberFewSites(count <= 1);
  }, [count, isLoading]);
  return isLoading ? !hadFew : count > 1;
}

function Filters({ frame: { filters }, onChange }: { frame: Frame; onChange: ChangeFrame }) {
  const nameOf = useValueName();
  return (
    <ul aria-label="Filters" className="flex flex-wrap gap-1.5">
      {filters.map((filter) => (
        <li key={`${filter.dimension}:${filter.value}`}>
          <FilterChip
            name={DIMENSIONS[filter.dimension]}
            value={nameOf(filter)}
            onRemove={() => onChange({ filters: filters.filter((each) => each !== filter) })}
          />
        </li>
      ))}
    </ul>
  );
}
