import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState } from '../ui/states.tsx';

/** What was asked for once it is there; until then its outline, or what went wrong. */
export function Loaded<T>({
  query,
  outline,
  children,
}: {
  query: UseQueryResult<T>;
  /** In about the size of what comes. */
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
