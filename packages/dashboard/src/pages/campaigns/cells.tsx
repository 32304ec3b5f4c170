import { METRICS, type MetricName } from '@leadtrail/contract/question-fields';
import { Change } from '../../charts/figure.tsx';
import { formatDecimal, formatDuration, formatMoney, formatNumber, formatPercent } from '../../format.ts';
import { isListed, isVisitMetric } from '../../frame/figure-address.ts';
import { FigureLink } from '../../frame/figure-link.tsx';
import type { Frame, FrameFilter } from '../../frame/frame.ts';
import { CHANCE, isCountNoise } from '../../shared/noise.ts';
import { sortOf } from './question.ts';
import { type CampaignsSearch, columnsOf } from './search.ts';

type Figures = {
  metrics: readonly (number | null)[];
  previous?: readonly (number | null)[] | undefined;
  change?: readonly (number | null)[] | undefined;
};

/** Less of them is better. */
const COSTS: ReadonlySet<MetricName> = new Set([
  'cost_per_visit',
  'cost_per_goal',
  'cost_per_lead',
  'cost_per_won',
  'fake',
  'lost',
]);

/** The figures of a row, and how the one it is sorted by has changed. */
export function Cells({
  frame,
  search,
  figures,
  currency,
  within,
}: {
  frame: Frame;
  search: CampaignsSearch;
  figures: Figures;
  currency: string;
  within: readonly FrameFilter[];
}) {
  const columns = columnsOf(search);
  const sorted = columns.indexOf(sortOf(search));
  const now = figures.metrics[sorted] ?? 0;
  const before = figures.previous?.[sorted] ?? 0;
  const by = figures.change?.[sorted];
  const name = columns[sorted] ?? 'leads';
  return (
    <>
      {columns.map((column, index) => {
        const value = figures.metrics[index] ?? null;
        return (
          <td key={column} className="px-2.5 py-1.5 text-right whitespace-nowrap tabular-nums">
            {isListed(column) ? (
              <FigureLink
                frame={frame}
                metric={column}
                count={value ?? 0}
                more={within}
                goal={column === 'goal_visits' ? search.goal : undefined}
                attribution={isVisitMetric(column) ? undefined : search.attribution}
              />
            ) : (
              metricText(column, value, currency)
            )}
          </td>
        );
      })}
      {figures.change !== undefined && (
        <td className="px-2.5 py-1.5 pr-4 text-right whitespace-nowrap sm:pr-5">
          <Change
            by={by == null ? null : by / 100}
            since={`${METRICS[name].label} compared with the previous period`}
            doubt={METRICS[name].kind === 'count' && isCountNoise(now, before) ? CHANCE : undefined}
            isBad={COSTS.has(name)}
          />
        </td>
      )}
    </>
  );
}

/** Cents of larger sums only make the columns harder to compare. */
const ROUND_FROM = 100;

/** A dash instead of a division by zero, and where no money was recorded. */
export function metricText(name: MetricName, value: number | null, currency: string): string {
  const { kind } = METRICS[name];
  if (value === null || (kind === 'money' && value === 0)) return '–';
  switch (kind) {
    case 'count':
      return formatNumber(value);
    case 'percent':
      return formatPercent(value);
    case 'seconds':
      return formatDuration(value * 1000);
    case 'money':
      return formatMoney(value, currency, { digits: value >= ROUND_FROM ? 'whole' : 'usual' });
    default:
      return formatDecimal(value);
  }
}
