import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Card } from '../ui/card.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { ErrorState, SkeletonRows } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';

export type ListPage<R> = { rows: readonly R[]; total: number };
export type MoveList = (offset: number, how?: { isReplacing: boolean }) => void;

/** One page of a list, with its loading, error and empty states. */
export function PagedList<R>({
  query,
  caption,
  columns,
  rowKey,
  rowClassName,
  offset,
  limit,
  onMove,
  counted,
  actions,
  empty,
}: {
  query: UseQueryResult<ListPage<R>>;
  /** For screen readers. */
  caption: string;
  columns: readonly Column<R>[];
  rowKey: (row: R) => string | number;
  rowClassName?: (row: R) => string | undefined;
  offset: number;
  limit: number;
  onMove: MoveList;
  counted: (total: number) => string;
  actions?: ReactNode;
  empty: ReactNode;
}) {
  const { data } = query;
  const lastOffset = Math.max(0, Math.ceil((data?.total ?? 0) / limit) - 1) * limit;
  // The rows of the last page may have been deleted, or the link is old.
  const isBeyond = data !== undefined && !query.isPlaceholderData && offset > lastOffset;
  useEffect(() => {
    if (isBeyond) onMove(lastOffset, { isReplacing: true });
  }, [isBeyond, lastOffset, onMove]);

  const hasRows = data !== undefined && data.rows.length > 0;
  return (
    <Card isFlush>
      {/* Always in the page: screen readers announce changes of existing elements only. */}
      <div className={hasRows ? HEADER_CLASSES : 'sr-only'}>
        <p role="status" className="text-ink-soft tabular-nums">
          {data !== undefined && counted(data.total)}
        </p>
        {hasRows && actions}
      </div>
      {hasRows && (
        <>
          <Table
            caption={caption}
            columns={columns}
            rows={data.rows}
            rowKey={rowKey}
            {...(rowClassName === undefined ? {} : { rowClassName })}
            isStale={query.isPlaceholderData}
          />
          <Pagination offset={offset} limit={limit} total={data.total} onMove={onMove} />
        </>
      )}
      {data?.rows.length === 0 && empty}
      {data === undefined && !query.isError && <SkeletonRows rows={12} />}
      {data === undefined && query.isError && (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      )}
    </Card>
  );
}

const HEADER_CLASSES =
  'flex min-h-13 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2 sm:px-5';
