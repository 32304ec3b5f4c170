import { scaleLinear } from 'd3-scale';
import type { PointerEvent } from 'react';
import { formatNumber } from '../format.ts';
import { classes } from '../ui/classes.ts';
import { AXIS_HEIGHT, LEFT, LinePanel, PANEL_TOP, type PointSeries, RIGHT } from './line-panel.tsx';
import { PointReadout, spokenPoint } from './point-readout.tsx';
import { SWATCHES } from './tones.ts';
import { useCursor } from './use-cursor.ts';
import { useWidth } from './use-width.ts';
import { ValuesTable } from './values-table.tsx';

const HEIGHT = 260;

/** A line chart over days or hours. The step to a point that is not over is dashed. */
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
  /** Their names. */
  points: readonly string[];
  series: readonly PointSeries[];
  /** The point that is not over. */
  running: number | undefined;
}) {
  const [measure, width] = useWidth();
  const cursor = useCursor(points.length);
  const x = scaleLinear([0, Math.max(1, points.length - 1)], [LEFT, Math.max(LEFT + 1, width - RIGHT)]);
  const height = PANEL_TOP + HEIGHT + AXIS_HEIGHT;
  const read = cursor.at ?? running ?? points.length - 1;
  const nameOf = (at: number) => `${points[at] ?? ''}${at === running ? ', so far' : ''}`;

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
        aria-valuetext={spokenPoint(nameOf(read), series, read)}
        onKeyDown={cursor.onKeyDown}
        onFocus={(event) => event.target.matches(':focus-visible') && cursor.moveTo(read)}
        onBlur={cursor.leave}
        onPointerMove={follow}
        onPointerDown={follow}
        onPointerLeave={cursor.leave}
        className="relative touch-pan-y rounded-md print:h-auto!"
        style={{ height }}
      >
        {width > 0 && (
          <svg
            aria-hidden="true"
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            className="block overflow-visible print:h-auto print:w-full"
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
          />
        )}
      </div>
      <ValuesTable
        caption={label}
        columns={[unit, ...series.map(({ name }) => name)]}
        rows={points.map((point, index) => [
          point,
          ...series.map(({ values }) => (values[index] == null ? '–' : formatNumber(values[index]))),
        ])}
      />
    </div>
  );
}

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
