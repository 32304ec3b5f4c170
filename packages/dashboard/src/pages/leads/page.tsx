import { METRICS } from '@leadtrail/contract/question-fields';
import { useEffect, useMemo } from 'react';
import { FigureNote } from '../../frame/figure-note.tsx';
import { byTouch } from '../../frame/figure-search.ts';
import type { Frame } from '../../frame/frame.ts';
import { FrameBar } from '../../frame/frame-bar.tsx';
import { figureQuestion, useFrame } from '../../frame/use-frame.ts';
import { useFrameScope } from '../../frame/use-frame-scope.ts';
import { KeyboardHelp } from '../../shared/keyboard-help.tsx';
import { keepLeadsSearch } from '../../shared/last-leads-search.ts';
import { useMoveStage } from '../../shared/use-move-stage.ts';
import { type ChangeSearch, useSearchParams } from '../../shared/use-search-params.ts';
import { Page } from '../../ui/page.tsx';
import { SkeletonRows } from '../../ui/states.tsx';
import { Board } from './board.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FilterChips } from './filter-chips.tsx';
import { LayoutSwitch } from './layout-switch.tsx';
import { LeadsTable } from './leads-table.tsx';
import { NewLeads } from './new-leads.tsx';
import { filtersOf, type ScopedSearch } from './queries.ts';
import { type LeadsSearch, readLeadsSearch } from './search.ts';
import { StageMenu } from './stage-menu.tsx';
import { Toolbar } from './toolbar.tsx';
import { useLeadLinks } from './use-lead-links.ts';
import { ViewBar } from './view-bar.tsx';

export function LeadsPage() {
  const [address, changeSearch] = useSearchParams<LeadsSearch>();
  // Without the parameters of the frame.
  const search = useMemo(() => readLeadsSearch(address), [address]);
  useEffect(() => keepLeadsSearch(search), [search]);
  const [frame, changeFrame] = useFrame('all');
  const scoped = useScopedSearch(search, frame);
  const isFigure = search.figure !== undefined;
  const isCompared = scoped?.behind?.compared ?? false;
  return (
    <Page
      title="Leads"
      actions={
        !isFigure && (
          <>
            <KeyboardHelp isBoard={search.layout === 'board'} />
            <LayoutSwitch search={search} />
            {scoped !== undefined && <ExportMenu search={scoped} />}
          </>
        )
      }
    >
      <FrameBar
        frame={frame}
        onChange={changeFrame}
        parts={[
          'sites',
          ...(isCompared ? (['comparison'] as const) : []),
          ...(isFigure ? (['filters'] as const) : []),
        ]}
      />
      {isFigure ? (
        <FigureNote
          what={which(search)}
          without={search.figure === 'fake' ? 'bots' : 'bots and fakes'}
          all={{ to: '/leads', label: 'Show all leads' }}
          frame={frame}
          onPeriod={isCompared ? () => changeSearch({ compared: undefined }) : undefined}
        />
      ) : (
        <>
          <ViewBar search={search} scoped={scoped} />
          <Toolbar search={search} onChange={changeSearch} />
          <FilterChips search={search} onChange={changeSearch} />
        </>
      )}
      {scoped === undefined ? <SkeletonRows rows={12} /> : <Leads search={scoped} onChange={changeSearch} />}
    </Page>
  );
}

function Leads({ search, onChange }: { search: ScopedSearch; onChange: ChangeSearch<LeadsSearch> }) {
  const moveStage = useMoveStage();
  const links = useLeadLinks();
  if (search.layout === 'board') {
    return (
      <div className="min-w-0">
        <NewLeads key={JSON.stringify(filtersOf(search))} search={search} onChange={onChange} />
        <Board search={search} onMove={moveStage} links={links} />
      </div>
    );
  }
  return (
    <div className="min-w-0">
      {search.behind === undefined && (
        <NewLeads key={JSON.stringify(filtersOf(search))} search={search} onChange={onChange} />
      )}
      <LeadsTable
        // Resets the selection when the list changes.
        key={JSON.stringify([filtersOf(search), search.behind])}
        search={search}
        onChange={onChange}
        links={links}
      />
      <StageMenu onMove={moveStage} />
    </div>
  );
}

/** Undefined until the time zone, and so the start of the frame's days, is known. */
function useScopedSearch(search: LeadsSearch, frame: Frame): ScopedSearch | undefined {
  const scope = useFrameScope(frame);
  if (search.figure !== undefined) {
    return { ...search, behind: { metric: search.figure, ...figureQuestion(frame, search) } };
  }
  return scope && { ...search, ...scope };
}

function which(search: LeadsSearch): string {
  const { figure = 'leads' } = search;
  const name = figure === 'leads' ? 'Leads' : `${METRICS[figure].label} leads`;
  return `${name}${byTouch(search)}`;
}
