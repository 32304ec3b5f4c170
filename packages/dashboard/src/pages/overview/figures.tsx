import type { LeadMetric } from '@leadtrail/contract/question-fields';
import type { QuestionAnswer } from '@leadtrail/contract/questions';
import type { ReactNode } from 'react';
import { isShared } from '../../api/shared-link.ts';
import { Change, Figure } from '../../charts/figure.tsx';
import { Loaded } from '../../charts/loaded.tsx';
import { formatPercent } from '../../format.ts';
import { otherPeriod } from '../../frame/compared-period.ts';
import { FigureLink } from '../../frame/figure-link.tsx';
import type { Frame } from '../../frame/frame.ts';
import { questionFrame, useAnswer } from '../../frame/use-frame.ts';
import { CHANCE, isCountNoise, isShareNoise } from '../../shared/noise.ts';
import { classes } from '../../ui/classes.ts';
import { Skeleton } from '../../ui/states.tsx';

const GRID = 'grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4 print:grid-cols-4';
const YOUNGER = 'leads of the previous period have had more time';
/** A shared link has no list of leads. */
const NOTE = isShared
  ? 'Bots and fakes are not counted. The rate includes leads without a visit.'
  : 'Bots and fakes are not counted; the list of leads shows them. The rate includes leads without a visit.';
const METRICS = ['leads', 'conversion_rate', 'qualified', 'won', 'visits'] as const;

/** The four key figures, each compared with the previous period. */
export function Figures({ frame }: { frame: Frame }) {
  const asked = questionFrame(frame);
  const isCompared = asked.compare !== undefined;
  const answer = useAnswer({ ...asked, metrics: [...METRICS] });
  return (
    <Loaded
      query={answer}
      outline={
        <Noted>
          <div className={GRID}>
            {METRICS.slice(0, 4).map((each) => (
              <Skeleton key={each} className={classes('rounded-xl', isCompared ? 'h-33.5' : 'h-29')} />
            ))}
          </div>
        </Noted>
      }
    >
      {({ totals, meta }) => (
        <Noted>
          <Shown frame={frame} totals={totals} isPartial={meta.partial} />
        </Noted>
      )}
    </Loaded>
  );
}

function Noted({ children }: { children: ReactNode }) {
  return (
    <div className="grid gap-2">
      {children}
      <p className="text-xs text-ink-soft">{NOTE}</p>
    </div>
  );
}

function Shown({
  frame,
  totals,
  isPartial,
}: {
  frame: Frame;
  totals: QuestionAnswer['totals'];
  isPartial: boolean;
}) {
  const [leads, rate, qualified, won, visits] = totals.metrics.map((value) => value ?? 0) as Numbers;
  const before = totals.previous?.map((value) => value ?? 0) as Numbers | undefined;
  const since = `compared with ${otherPeriod(frame.compare, isPartial)}`;
  const changed = (index: number, doubt: string | undefined) =>
    before && <Change by={relative(totals.change?.[index])} since={since} doubt={doubt} />;
  const isNoise = (index: number, now: number) => isCountNoise(now, before?.[index] ?? 0);
  // Stages take time: a fall may only mean that these leads are younger.
  const matured = (index: number, now: number) =>
    now < (before?.[index] ?? 0) ? YOUNGER : isNoise(index, now) ? CHANCE : undefined;
  return (
    <dl className={GRID}>
      <Figure
        name="Leads"
        value={<FigureLink frame={frame} metric="leads" count={leads} />}
        change={changed(0, isNoise(0, leads) ? CHANCE : undefined)}
        note={before && <Before frame={frame} metric="leads" count={before[0]} />}
      />
      <Figure
        name="Conversion rate"
        value={totals.metrics[1] == null ? '–' : formatPercent(rate)}
        change={changed(
          1,
          before !== undefined &&
            isShareNoise({ part: leads, whole: visits }, { part: before[0], whole: before[4] })
            ? CHANCE
            : undefined,
        )}
        note={
          <>
            Of <FigureLink frame={frame} metric="visits" count={visits} /> visits
          </>
        }
      />
      <Figure
        name="Qualified"
        value={<FigureLink frame={frame} metric="qualified" count={qualified} />}
        change={changed(2, matured(2, qualified))}
        note={before && <Before frame={frame} metric="qualified" count={before[2]} />}
      />
      <Figure
        name="Won"
        value={<FigureLink frame={frame} metric="won" count={won} />}
        change={changed(3, matured(3, won))}
        note={before && <Before frame={frame} metric="won" count={before[3]} />}
      />
    </dl>
  );
}

function Before(figure: { frame: Frame; metric: LeadMetric; count: number }) {
  return (
    <>
      Previously: <FigureLink {...figure} isCompared />
    </>
  );
}

type Numbers = [number, number, number, number, number];

/** The service answers in percent. */
function relative(change: number | null | undefined): number | null {
  return change == null ? null : change / 100;
}
