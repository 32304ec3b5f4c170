import { max } from 'd3-array';
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { formatShort } from '../format.ts';
import type { FigureAddress } from '../frame/figure-address.ts';
import { classes } from '../ui/classes.ts';
import { FILLS, STROKES, type Tone } from './tones.ts';

export type PointSeries = {
  name: string;
  tone: Tone;
  /** Null: not known, or still to come. */
  values: readonly (number | null)[];
  /** The comparison: a pale line behind the others. */
  isGhost?: boolean;
  /** The page that lists what the value of a point counts. */
  addressAt?: (at: number) => FigureAddress | undefined;
};

/** Margins, with room for the axis labels. */
export const LEFT = 40;
export const RIGHT = 10;
export const PANEL_TOP = 10;
export const AXIS_HEIGHT = 26;
const LABEL_WIDTH = 84;
const VALUE_LINES = 3;
const DOT_RADIUS = 4;
/** A dot is easier to hit than to see. */
const HIT_RADIUS = 12;

type Scale = ScaleLinear<number, number>;

export function LinePanel({
  series,
  points,
  running,
  height,
  width,
  x,
  at,
}: {
  series: readonly PointSeries[];
  points: readonly string[];
  running: number | undefined;
  height: number;
  width: number;
  x: Scale;
  at: number | null;
}) {
  const most = max(series, ({ values }) => max(values, (value) => value ?? 0)) ?? 0;
  const bottom = PANEL_TOP + height;
  const y = scaleLinear([0, Math.max(VALUE_LINES, most)], [bottom, PANEL_TOP]).nice(VALUE_LINES);
  return (
    <>
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
        <line x1={x(at)} x2={x(at)} y1={PANEL_TOP} y2={bottom} className="stroke-line-strong" />
      )}
      {/* Reversed: the main line is painted on top. */}
      {series.toReversed().map((one) => (
        <Line
          key={one.name}
          index={series.indexOf(one)}
          one={one}
          x={x}
          y={y}
          at={at}
          running={one.isGhost ? undefined : running}
        />
      ))}
      <PointAxis points={points} x={x} y={bottom + AXIS_HEIGHT - 6} width={width} />
    </>
  );
}

function Line({
  index: seriesIndex,
  one: { values, tone, isGhost = false, addressAt },
  x,
  y,
  at,
  running,
}: {
  /** Place of the series among all; a click on its dot says which series was meant. */
  index: number;
  one: PointSeries;
  x: Scale;
  y: Scale;
  at: number | null;
  running: number | undefined;
}) {
  const known = values.flatMap((value, index) => (value === null ? [] : [{ index, value }]));
  const over = known.filter(({ index }) => index !== running);
  const open = running === undefined ? [] : known.filter(({ index }) => running - index <= 1);
  const outline = line<Point>(
    ({ index }) => x(index),
    ({ value }) => y(value),
  );
  const body = area<Point>(
    ({ index }) => x(index),
    y(0),
    ({ value }) => y(value),
  );
  const stroke = classes(isGhost ? 'stroke-line-control' : STROKES[tone]);
  // A line of one point is invisible.
  const dotted = at ?? (known.length === 1 ? known[0]?.index : undefined);
  const dot = known.find(({ index }) => index === dotted);
  const drawn = { fill: 'none', strokeLinejoin: 'round', strokeLinecap: 'round', className: stroke } as const;
  return (
    <>
      {!isGhost && <path d={body(over) ?? ''} className={FILLS[tone]} fillOpacity={0.12} />}
      <path d={outline(over) ?? ''} {...drawn} strokeWidth={isGhost ? 1.5 : 2} />
      {open.length > 1 && <path d={outline(open) ?? ''} {...drawn} strokeWidth={2} strokeDasharray="2 5" />}
      {dot !== undefined && (
        <circle
          cx={x(dot.index)}
          cy={y(dot.value)}
          r={DOT_RADIUS}
          strokeWidth={2}
          className={classes(isGhost ? 'fill-line-control' : FILLS[tone], 'stroke-surface')}
        />
      )}
      {dot !== undefined && addressAt?.(dot.index) !== undefined && (
        <circle
          data-series={seriesIndex}
          cx={x(dot.index)}
          cy={y(dot.value)}
          r={HIT_RADIUS}
          className="pointer-events-auto cursor-pointer fill-transparent"
        />
      )}
    </>
  );
}

type Point = { index: number; value: number };

function PointAxis({
  points,
  x,
  y,
  width,
}: {
  points: readonly string[];
  x: Scale;
  y: number;
  width: number;
}) {
  const fitting = Math.max(1, Math.floor((width - LEFT - RIGHT) / LABEL_WIDTH));
  const step = Math.max(1, Math.ceil((points.length - 1) / fitting));
  // The last point always gets a label.
  const shown = points.map((_, index) => index).filter((index) => (points.length - 1 - index) % step === 0);
  return shown.map((index) => (
    <text
      key={index}
      x={x(index)}
      y={y}
      textAnchor={index === points.length - 1 ? 'end' : index === 0 ? 'start' : 'middle'}
      className="fill-ink-faint text-[0.6875rem]"
    >
      {points[index]}
    </text>
  ));
}
