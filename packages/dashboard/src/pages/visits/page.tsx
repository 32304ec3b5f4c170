import { METRICS, type VisitMetric } from '@leadtrail/contract/question-fields';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { counted } from '../../format.ts';
import { FigureNote } from '../../frame/figure-note.tsx';
import type { Frame } from '../../frame/frame.ts';
import { FrameBar } from '../../frame/frame-bar.tsx';
import { figureQuestion, useFrame, WHEN_DEFAULT } from '../../frame/use-frame.ts';
import { type MoveList, PagedList } from '../../shared/paged-list.tsx';
import { ReplayDialog } from '../../shared/replay/replay-dialog.tsx';
import { defined } from '../../shared/search-params.ts';
import { useSearchParams } from '../../shared/use-search-params.ts';
import type { Choice } from '../../ui/choice.ts';
import { Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { columnsOf } from './columns.tsx';
import { LIMIT_DEFAULT, LIMITS, readVisitsSearch, type VisitsSearch } from './search.ts';

const SIZES: readonly Choice<string>[] = [LIMIT_DEFAULT, ...LIMITS].map((limit) => ({
  value: String(limit),
  label: `${limit} per page`,
}));

/** The visits that a figure counts, latest first. */
export function VisitsPage() {
  const [address, change] = useSearchParams<VisitsSearch>();
  // Without the parameters of the frame.
  const search = useMemo(() => readVisitsSearch(address), [address]);
  const { figure, goal, limit = LIMIT_DEFAULT, offset = 0, replay } = search;
  const [frame, changeFrame] = useFrame(WHEN_DEFAULT, { hasVisitFilters: true });
  const metric: VisitMetric = figure ?? 'visits';
  const asked = { metric, ...figureQuestion(frame, search), ...defined({ goal }), limit, offset };
  const { compared } = asked;
  const query = useQuery({
    queryKey: queryKeys.visitList(asked),
    queryFn: async ({ signal }) => {
      const { visits: rows, total } = await call('visitsBehind', { body: asked, signal });
      return { rows, total };
    },
    placeholderData: keepPreviousData,
  });
  const move = useCallback<MoveList>((to, how) => change({ offset: to || undefined }, how), [change]);
  const open = (sessionId: string | undefined, how?: { isReplacing: boolean }) =>
    change({ replay: sessionId, offset: offset || undefined }, how);
  return (
    <Page title="Visits">
      <FrameBar
        frame={frame}
        onChange={changeFrame}
        parts={compared ? ['sites', 'comparison', 'filters'] : ['sites', 'filters']}
      />
      {(figure !== undefined || compared || frame.filters.length > 0) && (
        <FigureNote
          what={which(search, frame)}
          all={{ to: '/visits', label: 'Show all visits' }}
          frame={frame}
          onPeriod={compared ? () => change({ compared: undefined }) : undefined}
        />
      )}
      <PagedList
        query={query}
        caption="Visits"
        columns={columnsOf({
          hasRecordings: query.data?.rows.some((visit) => visit.has_recording) ?? false,
          onPlay: open,
        })}
        rowKey={({ session_id }) => session_id}
        offset={offset}
        limit={limit}
        onMove={move}
        counted={(total) => counted(total, 'visit')}
        actions={
          <div className="w-38">
            <Select
              label="Visits per page"
              choices={SIZES}
              value={String(limit)}
              onChange={(size) => change({ limit: LIMITS.find((each) => String(each) === size) })}
            />
          </div>
        }
        empty={
          <EmptyState icon={<SearchX aria-hidden="true" />} title="No visits here">
            Choose a longer period or other sites.
          </EmptyState>
        }
      />
      <ReplayDialog sessionId={replay} onClose={() => open(undefined, { isReplacing: true })} />
    </Page>
  );
}

function which({ figure, goal }: VisitsSearch, { filters }: Frame): string {
  if (figure === undefined) return filters.length === 0 ? 'Visits' : 'Visits that match the filters';
  return goal === undefined ? METRICS[figure].label : `Visits that reached the goal “${goal}”`;
}
