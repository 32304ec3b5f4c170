import { DIMENSIONS, type DimensionName } from '@leadtrail/contract/question-fields';
import { type ReactNode, useState } from 'react';
import { Loaded } from '../../charts/loaded.tsx';
import { formatPercent } from '../../format.ts';
import { FigureLink } from '../../frame/figure-link.tsx';
import { type Frame, OF_VISITS, withFilter } from '../../frame/frame.ts';
import { type ChangeFrame, questionFrame, useAnswer } from '../../frame/use-frame.ts';
import { useValueName } from '../../frame/value-name.ts';
import { MEASURED_EVENTS } from '../../shared/measured-events.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';

const FEW = 8;
const MANY = 100;
/** Dimensions that visits do not have. */
const OF_FORMS: ReadonlySet<DimensionName> = new Set(['project', 'form']);
const METRICS = ['visits', 'leads', 'conversion_rate'] as const;

type Props = {
  title: string;
  dimensions: readonly DimensionName[];
  frame: Frame;
  onChange: ChangeFrame;
};

/** Visits and leads by one of several dimensions; a row is a filter. */
export function Breakdown({ title, dimensions, frame, onChange }: Props) {
  const [chosen, setChosen] = useState(dimensions[0] ?? 'channel');
  return (
    <Card title={title}>
      <Tabs
        label={title}
        value={chosen}
        tabs={dimensions.map((value) => ({ value, label: DIMENSIONS[value] }))}
        onChange={setChosen}
      />
      <Rows key={chosen} dimension={chosen} frame={frame} onChange={onChange} />
    </Card>
  );
}

export function Rows({
  dimension,
  frame,
  onChange,
}: Omit<Props, 'title' | 'dimensions'> & { dimension: DimensionName }) {
  const [isWhole, setWhole] = useState(false);
  const hasVisits = !OF_FORMS.has(dimension);
  const hasLeads = !OF_VISITS.has(dimension);
  const { compare: _, ...asked } = questionFrame(frame);
  const answer = useAnswer({
    ...asked,
    metrics: hasLeads ? [...METRICS] : ['visits'],
    dimensions: [dimension],
    order_by: [[hasVisits ? 'visits' : 'leads', 'desc']],
    limit: (isWhole ? MANY : FEW + 1) + (dimension === 'event' ? MEASURED_EVENTS.size : 0),
  });
  return (
    <div className="mt-3">
      <Loaded query={answer} outline={<Skeleton className="h-64" />}>
        {({ rows }) => {
          const shown = rows.filter(
            ({ dimensions: [value = ''], metrics: [, leads] }) =>
              (hasVisits || (leads ?? 0) > 0) && !(dimension === 'event' && MEASURED_EVENTS.has(value)),
          );
          if (shown.length === 0) return <EmptyState title="Nothing in this period" />;
          const visible = isWhole ? shown : shown.slice(0, FEW);
          const most = Math.max(1, ...visible.map(({ metrics }) => metrics[hasVisits ? 0 : 1] ?? 0));
          return (
            <div
              className={classes('grid gap-2 transition-opacity', answer.isPlaceholderData && 'opacity-60')}
            >
              <table className="w-full table-fixed text-left">
                <caption className="sr-only">By {DIMENSIONS[dimension].toLowerCase()}</caption>
                <thead>
                  <tr className="text-xs text-ink-faint">
                    <th scope="col" className="h-7 pl-2.5 font-medium">
                      {DIMENSIONS[dimension]}
                    </th>
                    {hasVisits && <NumberHead>Visits</NumberHead>}
                    {hasLeads && <NumberHead>Leads</NumberHead>}
                    {hasVisits && hasLeads && <NumberHead isFromSm>Rate</NumberHead>}
                  </tr>
                </thead>
                <tbody>
                  {visible.map(({ dimensions: [value = ''], metrics: [visits, leads, rate] }) => (
                    <Row
                      key={value}
                      dimension={dimension}
                      value={value}
                      share={((hasVisits ? visits : leads) ?? 0) / most}
                      frame={frame}
                      onChange={onChange}
                    >
                      {hasVisits && (
                        <NumberCell>
                          <FigureLink
                            frame={frame}
                            metric="visits"
                            count={visits ?? 0}
                            more={[{ dimension, value }]}
                          />
                        </NumberCell>
                      )}
                      {hasLeads && (
                        <NumberCell>
                          <FigureLink
                            frame={frame}
                            metric="leads"
                            count={leads ?? 0}
                            more={[{ dimension, value }]}
                          />
                        </NumberCell>
                      )}
                      {hasVisits && hasLeads && (
                        <NumberCell isFromSm>{rate == null ? '–' : formatPercent(rate)}</NumberCell>
                      )}
                    </Row>
                  ))}
                </tbody>
              </table>
              {(isWhole || shown.length > FEW) && (
                <Button
                  look="ghost"
                  size="small"
                  className="justify-self-start print:hidden"
                  aria-expanded={isWhole}
                  onClick={() => setWhole(!isWhole)}
                >
                  {isWhole ? 'Show fewer' : 'Show more'}
                </Button>
              )}
            </div>
          );
        }}
      </Loaded>
    </div>
  );
}

/** Names wrap in print, where no tooltip shows the rest. */
const NAME = 'block truncate px-2.5 print:wrap-anywhere print:whitespace-normal';

function Row({
  dimension,
  value,
  share,
  frame,
  onChange,
  children,
}: {
  dimension: DimensionName;
  value: string;
  share: number;
  frame: Frame;
  onChange: ChangeFrame;
  children: ReactNode;
}) {
  const isChosen = frame.filters.some((each) => each.dimension === dimension && each.value === value);
  const filters = isChosen
    ? frame.filters.filter((each) => each.dimension !== dimension)
    : withFilter(frame.filters, { dimension, value });
  const name = useValueName()({ dimension, value });
  return (
    <tr>
      <th scope="row" className="relative isolate py-0.5 font-normal">
        <span
          aria-hidden="true"
          className="absolute inset-y-0.5 left-0 -z-10 min-w-1 rounded-md bg-series-1/15"
          style={{ width: `${share * 100}%` }}
        />
        {OF_VISITS.has(dimension) ? (
          // Not a filter: it would leave no leads.
          <bdi title={name} className={classes(NAME, 'py-1.5')}>
            {name}
          </bdi>
        ) : (
          <button
            type="button"
            aria-pressed={isChosen}
            title={name}
            onClick={() => onChange({ filters })}
            className={classes(
              NAME,
              'min-h-11 w-full rounded-md text-left hover:bg-sunken/60 aria-pressed:ring-1 aria-pressed:ring-accent sm:min-h-8 print:min-h-6',
            )}
          >
            <bdi>{name}</bdi>
          </button>
        )}
      </th>
      {children}
    </tr>
  );
}

/** On a phone the names need the width of this column. */
const FROM_SM = 'max-sm:hidden';

function NumberHead({ children, isFromSm = false }: { children: string; isFromSm?: boolean }) {
  return (
    <th
      scope="col"
      className={classes('h-7 w-16 pr-1 text-right font-medium sm:w-20 print:w-15', isFromSm && FROM_SM)}
    >
      {children}
    </th>
  );
}

function NumberCell({ children, isFromSm = false }: { children: ReactNode; isFromSm?: boolean }) {
  return <td className={classes('pr-1 text-right tabular-nums', isFromSm && FROM_SM)}>{children}</td>;
}
