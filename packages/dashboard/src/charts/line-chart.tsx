import { scaleLinear } from 'd3-scale';
import type { PointerEvent } from 'react';
import { formatNumber } from '../format.ts';
import { classes } from '../ui/classes.ts';
import { DayReadout, spokenDay } from './day-readout.tsx';
import { DayAxis, type DaySeries, DaysPanel, LEFT, PANEL_TOP, RIGHT } from './days-panel.tsx';
import { SWATCHES } from './tones.ts';
import { useCursor } from './use-cursor.ts';
import { useWidth } from './use-width.ts';
import { ValuesTable } from './values-table.tsx';

/** For the panel's title. */
const TITLE_HEIGHT = 16;
const AXIS_HEIGHT = 26;
const PANEL_GAP = 22;

/** A line chart per day. Series of different kinds get a panel each (`isSplit`) instead of a second scale. */
export function DaysChart({
  label,
  days,
  series,
  isSplit = false,
  panelHeight = 180,
}: {
  label: string;
  days: readonly string[];
  series: readonly DaySeries[];
  isSplit?: boolean;
  panelHeight?: number;
}) {
  const [measure, width] = useWidth();
  const cursor = useCursor(days.length);
  const panels = isSplit ? series.map((one) => [one]) : [series];
  const x = scaleLinear([0, Math.max(1, days.length - 1)], [LEFT, Math.max(LEFT + 1, width - RIGHT)]);
  const panelTop = PANEL_TOP + (isSplit ? TITLE_HEIGHT : 0);
  const height = panels.length * (panelTop + panelHeight) + (panels.length - 1) * PANEL_GAP + AXIS_HEIGHT;
  const read = cursor.at ?? days.length - 1;

  function follow(event: PointerEvent<HTMLElement>) {
    const { left } = event.currentTarget.getBoundingClientRect();
    const nearest = Math.round(x.invert(event.clientX - left));
    cursor.moveTo(Math.max(0, Math.min(nearest, days.length - 1)));
  }

  return (
    <div className="relative">
      {series.length > 1 && !isSplit && <Legend series={series} />}
      <div
        ref={measure}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={days.length - 1}
        aria-valuenow={read}
        aria-valuetext={spokenDay(days, series, read)}
        onKeyDown={cursor.onKeyDown}
        onFocus={(event) => event.target.matches(':focus-visible') && cursor.moveTo(read)}
        onBlur={cursor.leave}
        onPointerMove={follow}
        onPointerDown={follow}
        onPointerLeave={cursor.leave}
        className="relative touch-pan-y rounded-md"
        style={{ height }}
      >
        {width > 0 && (
          <svg aria-hidden="true" width={width} height={height} className="block overflow-visible">
            {panels.map((shown, index) => (
              <DaysPanel
                key={shown.map(({ name }) => name).join()}
                series={shown}
                title={isSplit ? shown[0]?.name : undefined}
                top={index * (panelTop + panelHeight + PANEL_GAP) + panelTop}
                height={panelHeight}
                width={width}
                x={x}
                at={cursor.at}
              />
            ))}
            <DayAxis days={days} x={x} y={height - 6} width={width} />
          </svg>
        )}
        {cursor.at !== null && width > 0 && (
          <DayReadout
            day={days[cursor.at] ?? ''}
            series={series}
            at={cursor.at}
            x={x(cursor.at)}
            width={width}
          />
        )}
      </div>
      <ValuesTable
        caption={label}
        columns={['Day', ...series.map(({ name }) => name)]}
        rows={days.map((day, index) => [
          day,
          ...series.map(({ values }) => formatNumber(values[index] ?? 0)),
        ])}
      />
    </div>
  );
}

function Legend({ series }: { series: readonly DaySeries[] }) {
  return (
    <ul aria-hidden="true" className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-[0.8125rem] text-ink-soft">
      {series.map(({ name, tone }) => (
        <li key={name} className="flex items-center gap-2">
          <span className={classes('size-2 rounded-full', SWATCHES[tone])} />
          {name}
        </li>
      ))}
    </ul>
  );
}
