import { useEffect } from 'react';
import { keepLeadsSearch } from '../../shared/last-leads-search.ts';
import { useMoveStage } from '../../shared/use-move-stage.ts';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Page } from '../../ui/page.tsx';
import { Board } from './board.tsx';
import { ExportMenu } from './export-menu.tsx';
import { LayoutSwitch } from './layout-switch.tsx';
import { LeadsTable } from './leads-table.tsx';
import { NewLeads } from './new-leads.tsx';
import { filtersOf } from './queries.ts';
import type { LeadsSearch } from './search.ts';
import { StageMenu } from './stage-menu.tsx';
import { Toolbar } from './toolbar.tsx';
import { useLeadLinks } from './use-lead-links.ts';
import { ViewBar } from './view-bar.tsx';

export function LeadsPage() {
  const [search, changeSearch] = useSearchParams<LeadsSearch>();
  useEffect(() => keepLeadsSearch(search), [search]);
  const moveStage = useMoveStage();
  const links = useLeadLinks();
  return (
    <Page
      title="Leads"
      actions={
        <>
          <LayoutSwitch search={search} />
          <ExportMenu search={search} />
        </>
      }
    >
      <ViewBar search={search} />
      <Toolbar search={search} onChange={changeSearch} />
      <div className="min-w-0">
        <NewLeads key={JSON.stringify(filtersOf(search))} search={search} onChange={changeSearch} />
        {search.layout === 'board' ? (
          <Board search={search} onMove={moveStage} links={links} />
        ) : (
          <>
            <LeadsTable search={search} onChange={changeSearch} links={links} />
            <StageMenu onMove={moveStage} />
          </>
        )}
      </div>
    </Page>
  );
}
