import { formatNumber } from '../format.ts';
import { classes } from '../ui/classes.ts';
import type { PointSeries } from './line-panel.tsx';
import { SWATCHES } from './tones.ts';

const READOUT_WIDTH = 184;
const READOUT_GAP = 12;

/** Tooltip of one point. */
export function PointReadout({
  name,
  series,
  at,
  x,
  width,
  hint,
}: {
  name: string;
  series: readonly PointSeries[];
  at: number;
  x: number;
  width: number;
  hint?: string | undefined;
}) {
  const fitsRight = x + READOUT_GAP + READOUT_WIDTH <= width;
  const left = fitsRight ? x + READOUT_GAP : Math.max(0, x - READOUT_GAP - READOUT_WIDTH);
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute top-2 z-10 grid gap-1 rounded-lg border border-line bg-raised px-3 py-2 text-[0.8125rem] shadow-raised"
      style={{ left, width: READOUT_WIDTH }}
    >
      <p className="font-medium">{name}</p>
      {series.map((one) => (
        <p key={one.name} className="flex items-center justify-between gap-3">
          <span className="flex min-w-0 items-center gap-2 text-ink-soft">
            <span
              className={classes(
                'size-2 shrink-0 rounded-full',
                one.isGhost ? 'bg-line-control' : SWATCHES[one.tone],
              )}
            />
            <span className="truncate">{one.name}</span>
          </span>
          <span className="font-medium tabular-nums">{valueText(one, at)}</span>
        </p>
      ))}
      {hint !== undefined && <p className="text-xs text-ink-faint">{hint}</p>}
    </div>
  );
}

/** The same for screen readers. */
export function spokenPoint(name: string, series: readonly PointSeries[], at: number): string {
  return `${name}: ${series.map((one) => `${one.name} ${valueText(one, at)}`).join(', ')}`;
}

export function valueText({ values }: PointSeries, at: number): string {
  const value = values[at];
  return value == null ? '–' : formatNumber(value);
}
