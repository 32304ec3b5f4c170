import type { LeadMetric, VisitMetric } from '@leadtrail/contract/question-fields';
import { Loaded } from '../../charts/loaded.tsx';
import { formatShare } from '../../format.ts';
import { FigureLink } from '../../frame/figure-link.tsx';
import type { Frame } from '../../frame/frame.ts';
import { questionFrame, useAnswer } from '../../frame/use-frame.ts';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/states.tsx';

type StepMetric = LeadMetric | VisitMetric;

const STEPS = [
  { metric: 'visits', name: 'Visits' },
  { metric: 'form_views', name: 'Form seen' },
  { metric: 'form_starts', name: 'Form started' },
  { metric: 'form_submits', name: 'Form sent' },
  { metric: 'leads', name: 'Leads' },
  { metric: 'qualified', name: 'Qualified' },
  { metric: 'won', name: 'Won' },
] as const satisfies readonly { metric: StepMetric; name: string }[];

/** How many get from each step to the next: visits as far as the form, leads from there on. */
export function Funnel({ frame }: { frame: Frame }) {
  const { compare: _, ...asked } = questionFrame(frame);
  const answer = useAnswer({ ...asked, metrics: STEPS.map(({ metric }) => metric) });
  const ofVisits = useAnswer({
    ...asked,
    metrics: ['leads'],
    filters: [...(asked.filters ?? []), ['is', 'visitor_type', ['new', 'returning']]],
  });
  const leadsOfVisits = ofVisits.data?.totals.metrics[0];
  return (
    <Card title="From visit to won lead" className="break-inside-avoid">
      <Loaded query={answer} outline={<Skeleton className="h-[22.3rem] sm:h-[10.7rem] xl:h-[4.8rem]" />}>
        {({ totals }) => (
          <ol className="grid grid-cols-2 gap-x-4 gap-y-4 sm:grid-cols-4 xl:grid-cols-7 print:grid-cols-7 print:gap-x-2">
            {STEPS.map(({ metric, name }, at) => (
              <Step
                key={metric}
                frame={frame}
                metric={metric}
                name={name}
                count={totals.metrics[at] ?? 0}
                before={
                  // Leads that servers send have no visit, so they are no share of those that sent a form.
                  at === 0 || (metric === 'leads' && leadsOfVisits !== totals.metrics[at])
                    ? undefined
                    : (totals.metrics[at - 1] ?? 0)
                }
              />
            ))}
          </ol>
        )}
      </Loaded>
    </Card>
  );
}

function Step({
  frame,
  metric,
  name,
  count,
  before,
}: {
  frame: Frame;
  metric: StepMetric;
  name: string;
  count: number;
  /** The count of the previous step, if it includes these. */
  before: number | undefined;
}) {
  // Filtered by project or form there are no visits, so the count may exceed the previous step: no share then.
  const share = before === undefined || before === 0 || count > before ? undefined : count / before;
  return (
    <li className="grid min-w-0 content-start gap-1">
      <span className="text-[0.8125rem] text-ink-soft">{name}</span>
      <span className="text-lg leading-tight font-semibold tabular-nums">
        <FigureLink frame={frame} metric={metric} count={count} />
      </span>
      <span aria-hidden="true" className="h-1.5 overflow-hidden rounded-full bg-sunken">
        <span
          className="block h-full rounded-full bg-series-1"
          style={{ width: `${(share ?? Math.min(count, 1)) * 100}%` }}
        />
      </span>
      <span className="min-h-4.5 text-xs text-ink-faint tabular-nums">
        {share !== undefined && `${formatShare(share)} of the previous step`}
      </span>
    </li>
  );
}
