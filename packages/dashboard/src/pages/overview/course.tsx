import type { QuestionAnswer } from '@leadtrail/contract/questions';
import { LineChart } from '../../charts/line-chart.tsx';
import { Loaded } from '../../charts/loaded.tsx';
import { comparedDays } from '../../frame/days.ts';
import { type CountedFigure, type FigureAddress, figureAddress } from '../../frame/figure-address.ts';
import type { Frame } from '../../frame/frame.ts';
import { questionFrame, useAnswer } from '../../frame/use-frame.ts';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Card } from '../../ui/card.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { keysOf, pointsOf, valuesOf } from './points.ts';
import { CHARTED, type Charted, type OverviewSearch } from './search.ts';

const NAMES: Readonly<Record<Charted, string>> = { leads: 'Leads', visits: 'Visits' };
const POINTS_MAX = 10_000;

/** Leads or visits over the period, with the compared period as a pale line. */
export function Course({ frame }: { frame: Frame }) {
  const [{ chart = 'leads' }, changeSearch] = useSearchParams<OverviewSearch>();
  const isOneDay = ['today', 'yesterday'].includes(frame.when) || isSameDay(frame.when);
  const { period, filters } = questionFrame(frame);
  const question = {
    metrics: [chart],
    dimensions: [isOneDay ? ('hour' as const) : ('date' as const)],
    filters: filters ?? [],
    limit: POINTS_MAX,
  };
  const now = useAnswer({ ...question, period });
  const days = now.data && comparedDays(now.data.meta.period, frame.when, frame.compare);
  const before = useAnswer({ ...question, period: days ?? 'all' }, { isEnabled: days !== undefined });
  const title = `${NAMES[chart]} per ${isOneDay ? 'hour' : 'day'}`;
  return (
    <Card
      title={title}
      actions={
        <Segments
          label="Show in the chart"
          value={chart}
          choices={CHARTED.map((value) => ({ value, label: NAMES[value] }))}
          onChange={(chosen) => changeSearch({ chart: chosen === 'leads' ? undefined : chosen })}
        />
      }
    >
      <Loaded query={now} outline={<Skeleton className="h-74" />}>
        {(answer) => (
          <Chart
            title={title}
            frame={frame}
            metric={chart}
            answer={answer}
            ghost={days === undefined ? undefined : before.data}
            ghostName={frame.compare === 'previous_year' ? 'Previous year' : 'Previous period'}
            isHours={isOneDay}
          />
        )}
      </Loaded>
    </Card>
  );
}

function Chart({
  title,
  frame,
  metric,
  answer,
  ghost,
  ghostName,
  isHours,
}: {
  title: string;
  frame: Frame;
  metric: Charted;
  answer: QuestionAnswer;
  ghost: QuestionAnswer | undefined;
  ghostName: string;
  isHours: boolean;
}) {
  const { names, running, values } = pointsOf(answer, isHours);
  const before = ghost && valuesOf(ghost, isHours).slice(0, names.length);
  return (
    <LineChart
      label={title}
      unit={isHours ? 'Hour' : 'Day'}
      points={names}
      running={running}
      series={[
        {
          name: NAMES[metric],
          tone: 1,
          values,
          addressAt: addressesOf({ frame, metric }, answer, values, isHours),
        },
        ...(ghost === undefined || before === undefined
          ? []
          : [
              {
                name: ghostName,
                tone: 1 as const,
                isGhost: true,
                values: before,
                addressAt: addressesOf({ frame, metric }, ghost, before, isHours),
              },
            ]),
      ]}
    />
  );
}

/** The pages that list what the points count: of a day, or of an hour, which is a filter. */
function addressesOf(
  figure: Omit<CountedFigure, 'count'>,
  answer: QuestionAnswer,
  values: readonly (number | null)[],
  isHours: boolean,
): (at: number) => FigureAddress | undefined {
  const keys = keysOf(answer, isHours);
  return (at) => {
    const key = keys[at] ?? '';
    const day = isHours ? answer.meta.period.from : key;
    return figureAddress({
      ...figure,
      frame: { ...figure.frame, when: `${day}..${day}` },
      count: values[at] ?? 0,
      more: isHours ? [{ dimension: 'hour', value: key }] : [],
    });
  };
}

function isSameDay(when: string): boolean {
  const [from, to] = when.split('..');
  return from === to;
}
