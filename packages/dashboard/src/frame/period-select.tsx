import { useEffect, useId, useState } from 'react';
import { Select } from '../ui/select.tsx';
import { spanText } from './compared-period.ts';
import { DayInput } from './day-input.tsx';
import { type Days, daysOf, todayIn } from './days.ts';
import type { PeriodName, When } from './when.ts';

const CUSTOM = 'custom';
type Chosen = PeriodName | typeof CUSTOM;

export const PERIODS: readonly { value: Chosen; label: string }[] = [
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Yesterday' },
  { value: 'last_7_days', label: 'Last 7 days' },
  { value: 'last_30_days', label: 'Last 30 days' },
  { value: 'last_90_days', label: 'Last 90 days' },
  { value: 'this_month', label: 'This month' },
  { value: 'last_month', label: 'Last month' },
  { value: 'this_year', label: 'This year' },
  { value: 'all', label: 'All time' },
  { value: CUSTOM, label: 'Custom dates' },
];

/** A preset, or two days from the calendar. */
export function PeriodSelect({
  when,
  timeZone = 'UTC',
  onChange,
}: {
  when: When;
  timeZone: string | undefined;
  onChange: (when: When) => void;
}) {
  const isCustom = when.includes('..');
  const days = isCustom ? daysOf(when, '') : undefined;

  function choose(chosen: Chosen) {
    if (chosen !== CUSTOM) return onChange(chosen);
    const today = todayIn(timeZone);
    const shown = daysOf(when, today) ?? { from: today, to: today };
    onChange(`${shown.from}..${shown.to}`);
  }

  return (
    <>
      <Select
        label="Period"
        className="sm:w-40"
        value={isCustom ? CUSTOM : (when as PeriodName)}
        choices={PERIODS}
        onChange={choose}
      />
      {days !== undefined && <CustomDays days={days} onChange={onChange} />}
    </>
  );
}

/** Invalid days stay in their fields, with a note that the page still shows the last valid ones. */
function CustomDays({ days: { from, to }, onChange }: { days: Days; onChange: (when: When) => void }) {
  const noteId = useId();
  const [typed, setTyped] = useState({ from, to });
  // Follows the address, for example after going back.
  useEffect(() => setTyped({ from, to }), [from, to]);

  function take(change: Partial<Days>) {
    const next = { ...typed, ...change };
    setTyped(next);
    if (next.from !== '' && next.to !== '' && next.from <= next.to) onChange(`${next.from}..${next.to}`);
  }

  const wrong = wrongWith(typed);
  const tied = (day: string) => (day === '' || wrong === BACKWARDS ? { noteId } : {});
  return (
    <div className="col-span-2 grid grid-cols-2 gap-2 sm:flex sm:flex-wrap sm:items-center">
      <DayInput
        label="From"
        day={typed.from}
        max={typed.to}
        onChange={(from = '') => take({ from })}
        {...tied(typed.from)}
      />
      <DayInput
        label="To"
        day={typed.to}
        min={typed.from}
        onChange={(to = '') => take({ to })}
        {...tied(typed.to)}
      />
      {wrong !== undefined && (
        <p id={noteId} role="alert" className="col-span-2 text-[0.8125rem] text-negative">
          {wrong} This page still shows {spanText({ from, to })}.
        </p>
      )}
    </div>
  );
}

const BACKWARDS = 'The end date is before the start date.';

function wrongWith({ from, to }: Days): string | undefined {
  if (from === '' || to === '') return 'Choose both dates.';
  return from > to ? BACKWARDS : undefined;
}
