import { useEffect } from 'react';
import { Page } from '../../ui/page.tsx';
import { Board } from './board.tsx';
import { ExportMenu } from './export-menu.tsx';
import { keepLeadsSearch } from './last-search.ts';
import { LayoutSwitch } from './layout-switch.tsx';
import { LeadsTable } from './leads-table.tsx';
import { useMoveLead } from './move-lead.ts';
import { NewLeads } from './new-leads.tsx';
import { filtersOf } from './queries.ts';
import { StageMenu } from './stage-menu.tsx';
import { Toolbar } from './toolbar.tsx';
import { useLeadLinks } from './use-lead-links.ts';
import { useLeadsSearch } from './use-leads-search.ts';
import { ViewBar } from './view-bar.tsx';

/** Everybody who has enquired: to search, to sort out and to move along. */
export function LeadsPage() {
  const [search, changeSearch] = useLeadsSearch();
  useEffect(() => keepLeadsSearch(search), [search]);
  const move = useMoveLead();
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
          <Board search={search} onMove={move} links={links} />
        ) : (
          <>
            <LeadsTable search={search} onChange={changeSearch} links={links} />
            <StageMenu onMove={move} />
          </>
        )}
      </div>
    </Page>
  );
}
