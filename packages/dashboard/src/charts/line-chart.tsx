import { scaleLinear } from 'd3-scale';
import { memo, type PointerEvent, useId } from 'react';
import { classes } from '../ui/classes.ts';
import { AXIS_HEIGHT, LEFT, LinePanel, PANEL_TOP, type PointSeries, RIGHT } from './line-panel.tsx';
import { PointReadout, spokenPoint, valueText } from './point-readout.tsx';
import { SWATCHES } from './tones.ts';
import { type OpeningEvent, useCursor } from './use-cursor.ts';
import { useOpen } from './use-open.ts';
import { useWidth } from './use-width.ts';
import { ValuesTable } from './values-table.tsx';

const HEIGHT = 260;

/**
 * A line chart over days or hours; the segment to the unfinished one is dashed. A point opens the page that lists what it
 * counts; the dot of the comparison line, or Shift+Enter, opens that of the compared period.
 */
export function LineChart({
  label,
  unit,
  points,
  series,
  running,
}: {
  label: string;
  /** What a point is, for screen readers. */
  unit: string;
  /** The names of the points. */
  points: readonly string[];
  series: readonly PointSeries[];
  /** The index of the unfinished point. */
  running: number | undefined;
}) {
  const [measure, width] = useWidth();
  const { open } = useOpen();
  const cursor = useCursor(points.length, (at, event) => open(seriesOf(event)?.addressAt?.(at), event));
  const helpId = useId();
  const x = scaleLinear([0, Math.max(1, points.length - 1)], [LEFT, Math.max(LEFT + 1, width - RIGHT)]);
  const height = PANEL_TOP + HEIGHT + AXIS_HEIGHT;
  const read = cursor.at ?? running ?? points.length - 1;
  const hasAddresses = series.some(({ addressAt }) => addressAt !== undefined);
  const canOpen = cursor.at !== null && series[0]?.addressAt?.(cursor.at) !== undefined;
  const nameOf = (at: number) => `${points[at] ?? ''}${at === running ? ', so far' : ''}`;

  function seriesOf(event: OpeningEvent): PointSeries | undefined {
    if (event.type === 'keydown') return event.shiftKey ? series.find(({ isGhost }) => isGhost) : series[0];
    return series[Number((event.target as SVGElement).dataset.series ?? 0)];
  }

  function follow(event: PointerEvent<HTMLElement>) {
    const { left } = event.currentTarget.getBoundingClientRect();
    const nearest = Math.round(x.invert(event.clientX - left));
    cursor.moveTo(Math.max(0, Math.min(nearest, points.length - 1)));
  }

  return (
    <div className="relative">
      {series.length > 1 && <Legend series={series} />}
      <div
        ref={measure}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={points.length - 1}
        aria-valuenow={read}
        aria-describedby={hasAddresses ? helpId : undefined}
        aria-valuetext={spokenPoint(nameOf(read), series, read)}
        onKeyDown={cursor.onKeyDown}
        onFocus={(event) => event.target.matches(':focus-visible') && cursor.moveTo(read)}
        onBlur={cursor.leave}
        onPointerMove={follow}
        onPointerDown={(event) => {
          cursor.onPointerDown(event);
          follow(event);
        }}
        onPointerLeave={cursor.onPointerLeave}
        onClick={cursor.onClick}
        className={classes('relative touch-pan-y rounded-md print:h-auto!', canOpen && 'cursor-pointer')}
        style={{ height }}
      >
        {width > 0 && (
          <svg
            aria-hidden="true"
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            className="pointer-events-none block overflow-visible print:h-auto print:w-full"
          >
            <LinePanel
              series={series}
              points={points}
              running={running}
              height={HEIGHT}
              width={width}
              x={x}
              at={cursor.at}
            />
          </svg>
        )}
        {cursor.at !== null && width > 0 && (
          <PointReadout
            name={nameOf(cursor.at)}
            series={series}
            at={cursor.at}
            x={x(cursor.at)}
            width={width}
            hint={cursor.isTouched && canOpen ? 'Tap again to open' : undefined}
          />
        )}
      </div>
      {hasAddresses && (
        <p id={helpId} className="hidden">
          Enter opens the list behind the point
          {series.length > 1 && ', Shift and Enter the list behind the point it is compared with'}.
        </p>
      )}
      <Values label={label} unit={unit} points={points} series={series} />
    </div>
  );
}

/** Memoised: moving the cursor re-renders the chart, and a long period has a thousand links. */
const Values = memo(function Values({
  label,
  unit,
  points,
  series,
}: {
  label: string;
  unit: string;
  points: readonly string[];
  series: readonly PointSeries[];
}) {
  return (
    <ValuesTable
      caption={label}
      columns={[unit, ...series.map(({ name }) => name)]}
      rows={points.map((name, at) => ({
        name,
        values: series.map((one) => ({ text: valueText(one, at), address: one.addressAt?.(at) })),
      }))}
    />
  );
});

function Legend({ series }: { series: readonly PointSeries[] }) {
  return (
    <ul aria-hidden="true" className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-[0.8125rem] text-ink-soft">
      {series.map(({ name, tone, isGhost = false }) => (
        <li key={name} className="flex items-center gap-2">
          <span className={classes('h-0.5 w-4 rounded-full', isGhost ? 'bg-line-control' : SWATCHES[tone])} />
          {name}
        </li>
      ))}
    </ul>
  );
}
