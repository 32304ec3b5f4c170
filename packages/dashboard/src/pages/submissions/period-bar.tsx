import type { ChangeSearch, SearchChange } from '../../shared/use-search-params.ts';
import { dayHint, lastDays } from '../../shared/utc-days.ts';
import { SearchInput } from '../../ui/search-input.tsx';
import { Segments } from '../../ui/segments.tsx';
import { DayInput } from './day-input.tsx';
import type { Period, SubmissionsSearch } from './search.ts';

/** The initial date range. */
const RANGE_DAYS = 7;

const PERIODS: readonly { value: Period; label: string }[] = [
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Yesterday' },
  { value: 'range', label: 'Date range' },
];

export function PeriodBar({
  search,
  onChange,
}: {
  search: SubmissionsSearch;
  onChange: ChangeSearch<SubmissionsSearch>;
}) {
  const { period = 'today', date_from, date_to } = search;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Segments
          label="Period"
          value={period}
          choices={PERIODS}
          onChange={(chosen) => onChange(periodChange(chosen))}
        />
        <p className="text-[0.8125rem] text-ink-faint">{dayHint()}</p>
        <SearchInput
          label="Search submissions"
          placeholder="E-mail, phone, project, source…"
          value={search.q ?? ''}
          onSearch={(q) => onChange({ q })}
          className="w-full sm:w-80 lg:ml-auto"
        />
      </div>
      {period === 'range' && (
        <div className="grid grid-cols-2 gap-3 sm:flex">
          <DayInput
            label="From"
            day={date_from}
            max={date_to}
            onChange={(day) => onChange({ date_from: day })}
          />
          <DayInput label="To" day={date_to} min={date_from} onChange={(day) => onChange({ date_to: day })} />
        </div>
      )}
    </div>
  );
}

function periodChange(period: Period): SearchChange<SubmissionsSearch> {
  if (period !== 'range') return { period, date_from: undefined, date_to: undefined };
  return { period, ...lastDays(RANGE_DAYS) };
}
