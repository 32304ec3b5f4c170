import { useEffect } from 'react';
import { useIsAdmin } from '../../api/role.ts';
import { isShared } from '../../api/shared-link.ts';
import { FrameBar } from '../../frame/frame-bar.tsx';
import { PrintButton, PrintTitle } from '../../frame/print.tsx';
import { useFrame } from '../../frame/use-frame.ts';
import { SavedViews } from '../../shared/saved-views/saved-views.tsx';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Page } from '../../ui/page.tsx';
import { CampaignTable } from './campaign-table.tsx';
import { CostsButton } from './costs-button.tsx';
import { CsvButton } from './csv-button.tsx';
import { Funnel } from './funnel.tsx';
import { rememberTable, useRememberedTable } from './remember-table.ts';
import type { CampaignsSearch } from './search.ts';
import { TableSetup } from './table-setup.tsx';

export function CampaignsPage() {
  const [search, changeSearch] = useSearchParams<CampaignsSearch>();
  const [frame, changeFrame] = useFrame();
  const isAdmin = useIsAdmin();
  useRememberedTable(search, changeSearch);
  useEffect(() => rememberTable(search), [search]);
  return (
    <Page
      title="Campaigns"
      hint="What brought visits, leads and revenue, and what it cost."
      actions={
        <>
          {!isShared && <SavedViews page="campaigns" />}
          {isAdmin && <CostsButton />}
          <CsvButton frame={frame} search={search} />
          <PrintButton />
        </>
      }
    >
      <PrintTitle frame={frame} />
      <FrameBar frame={frame} onChange={changeFrame} parts={['sites', 'comparison', 'filters']} />
      <Funnel frame={frame} />
      <TableSetup frame={frame} search={search} onChange={changeSearch} />
      <CampaignTable frame={frame} search={search} onChange={changeSearch} />
    </Page>
  );
}
