import { DIMENSIONS, type DimensionName } from '@leadtrail/contract/question-fields';
import type { ReactNode } from 'react';
import { countryName } from '../format.ts';
import { FilterChip } from '../ui/filter-chip.tsx';
import { Select } from '../ui/select.tsx';
import type { Frame, FrameFilter } from './frame.ts';
import { PeriodSelect } from './period-select.tsx';
import { SiteSelect } from './site-select.tsx';
import type { ChangeFrame } from './use-frame.ts';
import { useWorkspace } from './use-workspace.ts';
import type { Comparison } from './when.ts';

/** The parts of the frame that a page can use; the others are not shown, so that nobody believes they count. */
export type FramePart = 'sites' | 'comparison' | 'filters';

const COMPARISONS: readonly { value: Comparison; label: string }[] = [
  { value: 'previous_period', label: 'vs period before' },
  { value: 'previous_year', label: 'vs year before' },
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
  const { timeZone, sites } = useWorkspace();
  const has = (part: FramePart) => parts.includes(part);
  return (
    <section aria-label="What is shown" className="grid gap-2 print:hidden">
      <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-center">
        {has('sites') && (sites.length > 1 || frame.sites.length > 0) && (
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
        {timeZone !== undefined && (
          <p className="col-span-2 text-[0.8125rem] text-ink-faint sm:ml-auto">Days in {timeZone}</p>
        )}
      </div>
      {has('filters') && frame.filters.length > 0 && <Filters frame={frame} onChange={onChange} />}
    </section>
  );
}

function Filters({ frame: { filters }, onChange }: { frame: Frame; onChange: ChangeFrame }) {
  return (
    <ul aria-label="Filters" className="flex flex-wrap gap-1.5">
      {filters.map((filter) => (
        <li key={`${filter.dimension}:${filter.value}`}>
          <FilterChip
            name={DIMENSIONS[filter.dimension]}
            value={valueName(filter)}
            onRemove={() => onChange({ filters: filters.filter((each) => each !== filter) })}
          />
        </li>
      ))}
    </ul>
  );
}

const PAGES: ReadonlySet<DimensionName> = new Set(['page', 'entry_page', 'exit_page']);

/** How a value of a dimension is written. */
export function valueName({ dimension, value }: FrameFilter): string {
  if (dimension === 'country' && !value.startsWith('(')) return countryName(value);
  if (PAGES.has(dimension)) return value.replace(/^https?:\/\//, '');
  if (dimension === 'device' && !value.startsWith('(')) return value.charAt(0).toUpperCase() + value.slice(1);
  if (value === '(direct)') return 'Direct';
  if (value === '(none)') return 'None';
  return value === '(unknown)' ? 'Unknown' : value;
}
