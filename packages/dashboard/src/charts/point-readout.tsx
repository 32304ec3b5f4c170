import { formatDay, formatNumber } from '../format.ts';
import { classes } from '../ui/classes.ts';
import { utcDay } from './days.ts';
import type { DaySeries } from './days-panel.tsx';
import { SWATCHES } from './tones.ts';

const READOUT_WIDTH = 168;
const READOUT_GAP = 12;

/** Tooltip of one day. */
export function DayReadout({
  day,
  series,
  at,
  x,
  width,
}: {
  day: string;
  series: readonly DaySeries[];
  at: number;
  x: number;
  width: number;
}) {
  const fitsRight = x + READOUT_GAP + READOUT_WIDTH <= width;
  const left = fitsRight ? x + READOUT_GAP : Math.max(0, x - READOUT_GAP - READOUT_WIDTH);
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute top-2 z-10 grid gap-1 rounded-lg border border-line bg-raised px-3 py-2 text-[0.8125rem] shadow-raised"
      style={{ left, width: READOUT_WIDTH }}
    >
      <p className="font-medium">{nameOfDay(day)}</p>
      {series.map(({ name, tone, values }) => (
        <p key={name} className="flex items-center justify-between gap-3">
          <span className="flex min-w-0 items-center gap-2 text-ink-soft">
            <span className={classes('size-2 shrink-0 rounded-full', SWATCHES[tone])} />
            <span className="truncate">{name}</span>
          </span>
          <span className="font-medium tabular-nums">{formatNumber(values[at] ?? 0)}</span>
        </p>
      ))}
    </div>
  );
}

/** The same for screen readers. */
export function spokenDay(days: readonly string[], series: readonly DaySeries[], at: number): string {
  const counts = series.map(({ name, values }) => `${name} ${formatNumber(values[at] ?? 0)}`);
  return `${nameOfDay(days[at] ?? '')}: ${counts.join(', ')}`;
}

function nameOfDay(day: string): string {
  if (day === '') return '';
  return day === utcDay(Date.now()) ? `${formatDay(day)}, so far` : formatDay(day);
}
