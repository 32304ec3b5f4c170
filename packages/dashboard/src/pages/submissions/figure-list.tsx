import { LIST_DEFAULT } from '@leadtrail/contract/limits';
import type { SubmissionsBehind } from '@leadtrail/contract/questions';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { counted } from '../../format.ts';
import { type MoveList, PagedList } from '../../shared/paged-list.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { columnsOf } from './columns.tsx';

/** The question of the figure whose submissions are listed. */
export type Behind = Pick<SubmissionsBehind, 'metric' | 'period' | 'filters' | 'compared'> &
  Partial<Pick<SubmissionsBehind, 'compare' | 'attribution'>>;

/** Exactly the submissions that a figure counts. */
export function FigureList({ behind, offset, onMove }: { behind: Behind; offset: number; onMove: MoveList }) {
  const asked = { ...behind, limit: LIST_DEFAULT, offset };
  const query = useQuery({
    queryKey: queryKeys.submissions(asked),
    queryFn: async ({ signal }) => {
      const { submissions: rows, total } = await call('submissionsBehind', { body: asked, signal });
      return { rows, total };
    },
    placeholderData: keepPreviousData,
  });
  return (
    <PagedList
      query={query}
      caption="Submissions"
      columns={columnsOf((title) => title)}
      rowKey={(row) => row.submission_id}
      offset={offset}
      limit={LIST_DEFAULT}
      onMove={onMove}
      counted={(total) => counted(total, 'submission')}
      empty={
        <EmptyState icon={<SearchX aria-hidden="true" />} title="No submissions here">
          Choose a longer period or other sites.
        </EmptyState>
      }
    />
  );
}
