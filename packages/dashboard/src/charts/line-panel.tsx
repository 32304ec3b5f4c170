import { max } from 'd3-array';
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { formatDay, formatShort } from '../format.ts';
import { classes } from '../ui/classes.ts';
import { FILLS, STROKES, type Tone } from './tones.ts';

export type DaySeries = { name: string; tone: Tone; values: readonly number[] };

/** Margins, with room for the axis labels. */
export const LEFT = 40;
export const RIGHT = 10;
export const PANEL_TOP = 10;
const DAY_LABEL_WIDTH = 84;
const VALUE_LINES = 3;

export function DaysPanel({
  series,
  title,
  top,
  height,
  width,
  x,
  at,
}: {
  series: readonly DaySeries[];
  title: string | undefined;
  top: number;
  height: number;
  width: number;
  x: ScaleLinear<number, number>;
  at: number | null;
}) {
  const most = max(series, ({ values }) => max(values)) ?? 0;
  const y = scaleLinear([0, Math.max(VALUE_LINES, most)], [top + height, top]).nice(VALUE_LINES);
  return (
    <g>
      {title !== undefined && (
        <text x={0} y={top - PANEL_TOP - 5} className="fill-ink-soft text-xs font-medium">
          {title}
        </text>
      )}
      {y.ticks(VALUE_LINES).map((value) => (
        <g key={value}>
          <line
            x1={LEFT}
            x2={width - RIGHT}
            y1={y(value)}
            y2={y(value)}
            className={value === 0 ? 'stroke-line-strong' : 'stroke-line'}
          />
          <text
            x={LEFT - 8}
            y={y(value)}
            dy="0.32em"
            textAnchor="end"
            className="fill-ink-faint text-[0.6875rem] tabular-nums"
          >
            {formatShort(value)}
          </text>
        </g>
      ))}
      {at !== null && (
        <line x1={x(at)} x2={x(at)} y1={top} y2={top + height} className="stroke-line-strong" />
      )}
      {series.map((one) => (
        <Line key={one.name} one={one} x={x} y={y} at={at} isFilled={series.length === 1} />
      ))}
    </g>
  );
}

function Line({
  one: { values, tone },
  x,
  y,
  at,
  isFilled,
}: {
  one: DaySeries;
  x: ScaleLinear<number, number>;
  y: ScaleLinear<number, number>;
  at: number | null;
  isFilled: boolean;
}) {
  const points = [...values];
  const outline = line<number>((_, index) => x(index), y);
  const body = area<number>((_, index) => x(index), y(0), y);
  // A line of one point is invisible.
  const dotted = at ?? (points.length === 1 ? 0 : null);
  return (
    <>
      {isFilled && <path d={body(points) ?? ''} className={FILLS[tone]} fillOpacity={0.12} />}
      <path
        d={outline(points) ?? ''}
        fill="none"
        strokeWidth={2}
        strokeLinejoin="round"
        strokeLinecap="round"
        className={STROKES[tone]}
      />
      {dotted !== null && (
        <circle
          cx={x(dotted)}
          cy={y(points[dotted] ?? 0)}
          r={4}
          strokeWidth={2}
          className={classes(FILLS[tone], 'stroke-surface')}
        />
      )}
    </>
  );
}

export function DayAxis({
  days,
  x,
  y,
  width,
}: {
  days: readonly string[];
  x: ScaleLinear<number, number>;
  y: number;
  width: number;
}) {
  const fitting = Math.max(1, Math.floor((width - LEFT - RIGHT) / DAY_LABEL_WIDTH));
  const step = Math.max(1, Math.ceil((days.length - 1) / fitting));
  // The last day always gets a label.
  const shown = days.map((_, index) => index).filter((index) => (days.length - 1 - index) % step === 0);
  return shown.map((index) => (
    <text
      key={index}
      x={x(index)}
      y={y}
      textAnchor={index === days.length - 1 ? 'end' : index === 0 ? 'start' : 'middle'}
      className="fill-ink-faint text-[0.6875rem]"
    >
      {formatDay(days[index] ?? '')}
    </text>
  ));
}
