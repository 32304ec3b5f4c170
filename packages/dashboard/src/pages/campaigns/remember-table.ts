import { useEffect } from 'react';
import { isShared } from '../../api/shared-link.ts';
import type { ChangeSearch } from '../../shared/use-search-params.ts';
import { type CampaignsSearch, readCampaignsSearch } from './search.ts';

/** The table as it was left, kept in this browser. */

const NAME = 'leadtrail_dashboard_campaigns';

export function rememberTable(search: CampaignsSearch): void {
  if (isShared) return;
  try {
    localStorage.setItem(NAME, JSON.stringify(readCampaignsSearch(search)));
  } catch {
    // Where storage is blocked, the table lives in the address alone.
  }
}

/** Opened without an address of its own, the page shows the table of the last time. */
export function useRememberedTable(search: CampaignsSearch, onChange: ChangeSearch<CampaignsSearch>): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: Only when the page is opened.
  useEffect(() => {
    const kept = isShared ? {} : rememberedTable();
    const isBare = Object.keys(readCampaignsSearch(search)).length === 0;
    if (isBare && Object.keys(kept).length > 0) onChange(kept, { isReplacing: true });
  }, []);
}

function rememberedTable(): CampaignsSearch {
  try {
    return readCampaignsSearch(Object(JSON.parse(localStorage.getItem(NAME) ?? '{}')));
  } catch {
    return {};
  }
}
