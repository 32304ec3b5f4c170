import type { LeadStatus } from '@leadtrail/contract/lead-status';
import type { LeadSort } from '@leadtrail/contract/leads';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { LeadFilters } from '../../api/query-keys.ts';
import { formatNumber } from '../../format.ts';
import { NUMBER_LINK } from '../../frame/figure-link.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { statusName } from '../../ui/status-badge.tsx';
import { BoardCard, type CardHandlers } from './board-card.tsx';
import { CARDS_AT_ONCE, columnOptions } from './queries.ts';
import type { LeadsView } from './search.ts';

export const BoardColumn = memo(function BoardColumn({
  status,
  sort,
  filters,
  list,
  heldId,
  isOver,
  handlers,
}: {
  status: LeadStatus;
  sort: LeadSort;
  filters: LeadFilters;
  /** The table view of the same leads, in all stages. */
  list: LeadsView;
  /** The card being moved, if it is from this column. */
  heldId: number | undefined;
  /** The current drop target. */
  isOver: boolean;
  handlers: CardHandlers;
}) {
  const query = useInfiniteQuery(columnOptions({ status, sort, filters }));
  const leads = query.data?.pages.flatMap((page) => page.leads) ?? [];
  const total = query.data?.pages.at(-1)?.total;
  const rest = total === undefined ? 0 : total - leads.length;
  return (
    <section
      data-stage={status}
      data-over={isOver || undefined}
      aria-label={statusName(status)}
      className="flex h-full w-[82vw] shrink-0 snap-center flex-col rounded-xl bg-sunken transition-colors data-over:bg-accent-soft data-over:outline-2 data-over:-outline-offset-2 data-over:outline-accent sm:w-64 2xl:w-auto 2xl:min-w-56 2xl:flex-1"
    >
      <h2 className="flex h-11 shrink-0 items-center gap-2 px-3.5 text-sm">
        {statusName(status)}
        {total !== undefined && (
          <span className="font-normal text-ink-soft tabular-nums">
            <StageCount list={list} status={status} total={total} />
          </span>
        )}
      </h2>
      {query.isPending ? (
        <LoadingCards />
      ) : query.isError && query.data === undefined ? (
        <ErrorState error={query.error} onRetry={query.refetch} />
      ) : (
        <ul
          aria-busy={query.isPlaceholderData || undefined}
          className={classes(
            'grid min-h-0 flex-1 auto-rows-min grid-cols-[minmax(0,1fr)] gap-2 overflow-y-auto overscroll-y-contain px-2 pb-2 transition-opacity',
            query.isPlaceholderData && 'opacity-60',
          )}
        >
          {leads.map((lead) => (
            <BoardCard key={lead.lead_id} lead={lead} isHeld={lead.lead_id === heldId} handlers={handlers} />
          ))}
          {leads.length === 0 && (
            <li className="rounded-lg border border-dashed border-line-strong px-3 py-6 text-center text-[0.8125rem] text-ink-soft">
              {isOver ? 'Drop here' : 'No leads'}
            </li>
          )}
          {query.hasNextPage && rest > 0 && (
            <li className="grid">
              <Button
                size="small"
                look="ghost"
                isBusy={query.isFetchingNextPage}
                onClick={() => query.fetchNextPage()}
              >
                Show {formatNumber(Math.min(rest, CARDS_AT_ONCE))} more
                <span className="sr-only">in {statusName(status)}</span>
              </Button>
            </li>
          )}
        </ul>
      )}
    </section>
  );
});

/** Links to the table of exactly these leads. */
function StageCount({ list, status, total }: { list: LeadsView; status: LeadStatus; total: number }) {
  const count = (
    <>
      {formatNumber(total)}
      <span className="sr-only"> {total === 1 ? 'lead' : 'leads'}</span>
    </>
  );
  if (total === 0) return count;
  return (
    <Link to="/leads" search={{ ...list, status }} className={NUMBER_LINK}>
      {count}
    </Link>
  );
}

function LoadingCards() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-2 px-2">
      <Skeleton className="h-24 bg-surface" />
      <Skeleton className="h-24 bg-surface" />
      <Skeleton className="h-24 bg-surface" />
    </div>
  );
}
