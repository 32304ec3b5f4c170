import { LIST_DEFAULT } from '@leadtrail/contract/limits';
import type { ReplayItem } from '@leadtrail/contract/replay';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Play, Video } from 'lucide-react';
import { useCallback } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { counted, countryName, formatDuration } from '../../format.ts';
import { type MoveList, PagedList } from '../../shared/paged-list.tsx';
import { ReplayDialog } from '../../shared/replay/replay-dialog.tsx';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { ListTime } from '../../ui/time.tsx';
import type { RecordingsSearch } from './search.ts';

/** All recorded visits, latest first. */
export function RecordingsPage() {
  const [{ offset = 0, replay }, change] = useSearchParams<RecordingsSearch>();
  const asked = { limit: LIST_DEFAULT, offset };
  const query = useQuery({
    queryKey: queryKeys.recordingList(asked),
    queryFn: async ({ signal }) => {
      const { sessions: rows, total } = await call('replaySessions', { query: asked, signal });
      return { rows, total };
    },
    placeholderData: keepPreviousData,
  });
  const move = useCallback<MoveList>((to, how) => change({ offset: to || undefined }, how), [change]);
  const columns: Column<ReplayItem>[] = [
    {
      key: 'page',
      title: 'Visit',
      cell: ({ session_id, entry_page }) => (
        <span className="flex min-w-0 items-center gap-3">
          <Button
            size="small"
            icon={<Play aria-hidden="true" />}
            aria-label={`Play the visit to ${entry_page ?? 'a page that is not known'}`}
            onClick={() => change({ replay: session_id, offset: offset || undefined })}
          />
          <span className="min-w-0 wrap-anywhere">{entry_page?.replace(/^https?:\/\//, '') ?? '–'}</span>
        </span>
      ),
    },
    { key: 'time', title: 'Started', cell: ({ started_at }) => <ListTime value={started_at} /> },
    { key: 'length', title: 'Length', cell: ({ duration_ms }) => formatDuration(duration_ms), isFrom: 'md' },
    {
      key: 'country',
      title: 'Country',
      cell: ({ country }) => (country === null ? '–' : countryName(country)),
      isFrom: 'md',
    },
  ];
  return (
    <Page title="Recordings" hint="Recorded visits. What people typed is never recorded.">
      <PagedList
        query={query}
        caption="Recordings"
        columns={columns}
        rowKey={({ session_id }) => session_id}
        offset={offset}
        limit={LIST_DEFAULT}
        onMove={move}
        counted={(total) => counted(total, 'recording')}
        empty={
          <EmptyState icon={<Video aria-hidden="true" />} title="No recordings yet">
            Switch recording on under Settings, Retention and replay.
          </EmptyState>
        }
      />
      <ReplayDialog
        sessionId={replay}
        onClose={() => change({ replay: undefined, offset: offset || undefined }, { isReplacing: true })}
      />
    </Page>
  );
}
