import { useCallback, useState } from 'react';
import { oneOf } from '../../shared/search-params.ts';

/** Which columns the table has and how tall its rows are, kept in this browser. */

export const COLUMN_NAMES = {
  project: 'Project',
  submitted: 'Submitted',
  engagement: 'Engagement',
  risk: 'Risk',
  channel: 'Channel',
  campaign: 'Campaign',
  delivery: 'Delivery',
  country: 'Country',
  site: 'Site',
} as const;
export type ColumnName = keyof typeof COLUMN_NAMES;
export const COLUMNS = Object.keys(COLUMN_NAMES) as ColumnName[];

export type TableLook = { columns: readonly ColumnName[]; isCompact: boolean };

const DEFAULT: TableLook = { columns: ['project', 'submitted', 'engagement', 'risk'], isCompact: false };
const NAME = 'leadtrail_dashboard_lead_table';

export function useTableLook(): [TableLook, (change: Partial<TableLook>) => void] {
  const [look, setLook] = useState(rememberedLook);
  const change = useCallback((changed: Partial<TableLook>) => {
    setLook((before) => {
      const next = { ...before, ...changed };
      remember(next);
      return next;
    });
  }, []);
  return [look, change];
}

function remember(look: TableLook): void {
  try {
    localStorage.setItem(NAME, JSON.stringify(look));
  } catch {
    // Where storage is blocked, it lives as long as the page.
  }
}

/** Another version may have written it. */
function rememberedLook(): TableLook {
  try {
    const { columns, isCompact } = Object(JSON.parse(localStorage.getItem(NAME) ?? '{}'));
    return {
      columns: Array.isArray(columns)
        ? COLUMNS.filter((name) => columns.some((each) => oneOf(each, [name]) !== undefined))
        : DEFAULT.columns,
      isCompact: isCompact === true,
    };
  } catch {
    return DEFAULT;
  }
}
