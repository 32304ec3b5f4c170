import { DIMENSIONS, METRICS, type MetricName } from '@leadtrail/contract/question-fields';
import { ArrowDown, ArrowUp, SearchX } from 'lucide-react';
import { Loaded } from '../../charts/loaded.tsx';
import type { Frame } from '../../frame/frame.ts';
import { useAnswer } from '../../frame/use-frame.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState, SkeletonRows } from '../../ui/states.tsx';
import { Cells } from './cells.tsx';
import { COVERS, LevelRows, STICKY } from './level-rows.tsx';
import { sortOf, tableQuestion } from './question.ts';
import { type CampaignsSearch, columnsOf, levelsOf } from './search.ts';

const ROWS_MAX = 200;

/** Figures by one dimension, opened row by row into the next. */
export function CampaignTable({
  frame,
  search,
  onChange,
}: {
  frame: Frame;
  search: CampaignsSearch;
  onChange: ChangeSearch<CampaignsSearch>;
}) {
  const [level = 'source'] = levelsOf(search);
  const columns = columnsOf(search);
  const answer = useAnswer({ ...tableQuestion(frame, search, { dimensions: [level] }), limit: ROWS_MAX });
  const isCompared = frame.compare !== 'none' && frame.when !== 'all';
  return (
    <Card isFlush>
      <Loaded query={answer} outline={<SkeletonRows rows={10} />}>
        {({ rows, totals, meta }) =>
          rows.length === 0 ? (
            <EmptyState icon={<SearchX aria-hidden="true" />} title="Nothing in this period">
              Choose a longer period, or remove filters.
            </EmptyState>
          ) : (
            <div
              className={classes(
                'relative overflow-x-auto rounded-xl transition-opacity print:overflow-visible',
                answer.isPlaceholderData && 'opacity-60',
              )}
              aria-busy={answer.isPlaceholderData || undefined}
            >
              <table className="w-full border-collapse text-left print:text-[0.625rem] print:[&_:is(td,th)]:px-1.5 print:[&_td_*]:text-[0.625rem]">
                <caption className="sr-only">Figures by {DIMENSIONS[level].toLowerCase()}</caption>
                <thead>
                  <tr className="border-b border-line text-xs text-ink-faint print:text-[0.625rem]">
                    <th
                      scope="col"
                      className={classes(
                        STICKY,
                        COVERS.head,
                        'h-9 min-w-44 pl-4 font-medium sm:pl-5 print:min-w-28',
                      )}
                    >
                      {DIMENSIONS[level]}
                    </th>
                    {columns.map((name) => (
                      <SortableHead key={name} name={name} search={search} onChange={onChange} />
                    ))}
                    {isCompared && (
                      <th
                        scope="col"
                        className="px-2.5 pr-4 text-right font-medium whitespace-nowrap sm:pr-5"
                      >
                        Change
                      </th>
                    )}
                  </tr>
                </thead>
                <tbody>
                  <tr className="border-b border-line bg-sunken/40 font-medium">
                    <th
                      scope="row"
                      className={classes(STICKY, COVERS.total, 'px-3 py-2 pl-4 text-left sm:pl-5')}
                    >
                      Total
                    </th>
                    <Cells
                      frame={frame}
                      search={search}
                      figures={totals}
                      currency={meta.currency}
                      within={[]}
                    />
                  </tr>
                  <LevelRows frame={frame} search={search} rows={rows} currency={meta.currency} within={[]} />
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}

function SortableHead({
  name,
  search,
  onChange,
}: {
  name: MetricName;
  search: CampaignsSearch;
  onChange: ChangeSearch<CampaignsSearch>;
}) {
  const isSorted = sortOf(search) === name;
  const isAscending = isSorted && search.order === 'asc';
  const Arrow = isAscending ? ArrowUp : ArrowDown;
  const next = isSorted && !isAscending ? 'asc' : undefined;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : undefined}
      className="h-9 px-2.5 py-1 text-right font-medium"
    >
      <button
        type="button"
        onClick={() => onChange({ sort: name, order: next })}
        className={classes(
          '-mx-1.5 inline-flex min-h-7 items-center gap-1 rounded-md px-1.5 text-right leading-tight hover:bg-sunken hover:text-ink print:min-h-0 print:px-0',
          isSorted && 'text-ink',
        )}
      >
        {METRICS[name].label}
        {isSorted && <Arrow aria-hidden="true" className="size-3.5 shrink-0" />}
      </button>
    </th>
  );
}
