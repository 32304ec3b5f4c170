import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState } from '../ui/states.tsx';

/** Renders a query: its data, a skeleton or the error. */
export function Loaded<T>({
  query,
  outline,
  children,
}: {
  query: UseQueryResult<T>;
  /** About the size of the content, to avoid layout shift. */
  outline: ReactNode;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  return (
    <div role="status" aria-label="Loading">
      {outline}
    </div>
  );
}
