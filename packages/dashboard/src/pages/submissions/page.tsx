import { useCallback, useMemo } from 'react';
import { FigureNote } from '../../frame/figure-note.tsx';
import { byTouch } from '../../frame/figure-search.ts';
import { FrameBar } from '../../frame/frame-bar.tsx';
import { figureQuestion, useFrame } from '../../frame/use-frame.ts';
import type { When } from '../../frame/when.ts';
import type { MoveList } from '../../shared/paged-list.tsx';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Page } from '../../ui/page.tsx';
import { FigureList } from './figure-list.tsx';
import { readSubmissionsSearch, type SubmissionsSearch } from './search.ts';
import { SearchedList } from './searched-list.tsx';

/** The morning's list; other pages begin with more days. */
const WHEN_DEFAULT: When = 'today';

export function SubmissionsPage() {
  const [address, change] = useSearchParams<SubmissionsSearch>();
  // Without the parameters of the frame.
  const search = useMemo(() => readSubmissionsSearch(address), [address]);
  const { figure, offset = 0 } = search;
  const [frame, changeFrame] = useFrame(WHEN_DEFAULT);
  const behind = figure && { metric: figure, ...figureQuestion(frame, search) };
  const move = useCallback<MoveList>((to, how) => change({ offset: to || undefined }, how), [change]);
  return (
    <Page title="Submissions" hint="Each time someone submitted one of your forms.">
      <FrameBar
        frame={frame}
        onChange={changeFrame}
        parts={[
          'sites',
          ...(behind?.compared ? (['comparison'] as const) : []),
          ...(behind === undefined ? [] : (['filters'] as const)),
        ]}
      />
      {behind === undefined ? (
        <SearchedList search={search} onChange={change} onMove={move} frame={frame} onFrame={changeFrame} />
      ) : (
        <>
          <FigureNote
            what={`Submissions${byTouch(search)}`}
            all={{ to: '/submissions', label: 'Show all submissions' }}
            frame={frame}
            onPeriod={behind.compared ? () => change({ compared: undefined }) : undefined}
          />
          <FigureList behind={behind} offset={offset} onMove={move} />
        </>
      )}
    </Page>
  );
}
