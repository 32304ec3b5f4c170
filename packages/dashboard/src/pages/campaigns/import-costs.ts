import type { CostsImported } from '@leadtrail/contract/costs';
import { parseCsv, textOfFile } from '@leadtrail/contract/read-csv';
import { send } from '../../api/client.ts';

export const COST_FIELDS = {
  date: 'Date',
  amount: 'Amount',
  campaign: 'Campaign',
  source: 'Source',
  medium: 'Medium',
  site: 'Site key',
  currency: 'Currency',
  clicks: 'Clicks',
  impressions: 'Impressions',
} as const;
export type CostField = keyof typeof COST_FIELDS;

/** How the user maps a file: the column of each field, and the source and medium of lines that name none. */
export type NamedColumns = Partial<Record<CostField | 'default_source' | 'default_medium', string>>;

export type ChosenFile = { id: string; file: File; columns: readonly string[] };

const LOOKED_AT_BYTES = 64 * 1024;
/** Exports have a title and a date range above the header. */
const LINES_LOOKED_AT = 12;

/** The names of the columns: the first line with the most cells. */
export async function columnsIn(file: File): Promise<string[]> {
  const beginning = new Uint8Array(await file.slice(0, LOOKED_AT_BYTES).arrayBuffer());
  const text = textOfFile(beginning, { isCut: file.size > LOOKED_AT_BYTES });
  let header: string[] = [];
  for (const { cells, line } of parseCsv(text)) {
    if (line > LINES_LOOKED_AT) break;
    if (cells.length > header.length) header = cells;
  }
  return [...new Set(header.map((cell) => cell.trim()).filter((cell) => cell !== ''))];
}

export async function importCosts(
  file: File,
  query: NamedColumns & { dry_run?: 'true' },
  signal?: AbortSignal,
): Promise<CostsImported> {
  const response = await send('POST', `/analytics/costs/import?${new URLSearchParams(query)}`, {
    file,
    ...(signal && { signal }),
  });
  return response.json();
}
