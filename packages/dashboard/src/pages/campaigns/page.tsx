import { useEffect } from 'react';
import { useIsAdmin } from '../../api/role.ts';
import { FrameBar } from '../../frame/frame-bar.tsx';
import { useFrame } from '../../frame/use-frame.ts';
import { useSearchParams } from '../../shared/use-search-params.ts';
import { Page } from '../../ui/page.tsx';
import { CampaignTable } from './campaign-table.tsx';
import { CostsButton } from './costs-button.tsx';
import { CsvButton } from './csv-button.tsx';
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
      hint="What brought visits, leads and revenue, and what it cost"
      actions={
        <>
          {isAdmin && <CostsButton />}
          <CsvButton frame={frame} search={search} />
        </>
      }
    >
      <FrameBar frame={frame} onChange={changeFrame} parts={['sites', 'comparison', 'filters']} />
      <TableSetup search={search} onChange={changeSearch} />
      <CampaignTable frame={frame} search={search} onChange={changeSearch} />
    </Page>
  );
}
